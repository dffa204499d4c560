/// The files of the page, which are compiled into the program.
enum PageFiles {
  /// Returns a file and its media type; nil if there is none with this name. The empty name is the page itself.
  static func file(_ name: String) -> (type: String, bytes: [UInt8])? {
    let script = "text/javascript; charset=utf-8"
    return switch name {
    case "": ("text/html; charset=utf-8", PackageResources.preview_html)
    case "preview.css": ("text/css; charset=utf-8", PackageResources.preview_css)
    case "preview.svg": ("image/svg+xml", PackageResources.preview_svg)
    case "comparison.js": (script, PackageResources.comparison_js)
    case "connection.js": (script, PackageResources.connection_js)
    case "elements.js": (script, PackageResources.elements_js)
    case "inspector.js": (script, PackageResources.inspector_js)
    case "layouts.js": (script, PackageResources.layouts_js)
    case "messages.js": (script, PackageResources.messages_js)
    case "outputs.js": (script, PackageResources.outputs_js)
    case "pictures.js": (script, PackageResources.pictures_js)
    case "plan.js": (script, PackageResources.plan_js)
    case "preview.js": (script, PackageResources.preview_js)
    case "run.js": (script, PackageResources.run_js)
    case "settings.js": (script, PackageResources.settings_js)
    case "tiles.js": (script, PackageResources.tiles_js)
    case "viewer.js": (script, PackageResources.viewer_js)
    default: nil
    }
  }
}
