/// The files of the page, which are compiled into the program.
enum PageFiles {
  /// Returns a file and its media type; nil if there is none with this name. The empty name is the page itself.
  static func file(_ name: String) -> (type: String, bytes: [UInt8])? {
    switch name {
    case "": ("text/html; charset=utf-8", PackageResources.preview_html)
    case "preview.css": ("text/css; charset=utf-8", PackageResources.preview_css)
    case "preview.svg": ("image/svg+xml", PackageResources.preview_svg)
    default: script(name).map { ("text/javascript; charset=utf-8", $0) }
    }
  }

  private static func script(_ name: String) -> [UInt8]? {
    switch name {
    case "comparison.js": PackageResources.comparison_js
    case "connection.js": PackageResources.connection_js
    case "elements.js": PackageResources.elements_js
    case "inspector.js": PackageResources.inspector_js
    case "layouts.js": PackageResources.layouts_js
    case "messages.js": PackageResources.messages_js
    case "outputs.js": PackageResources.outputs_js
    case "pictures.js": PackageResources.pictures_js
    case "plan.js": PackageResources.plan_js
    case "preview.js": PackageResources.preview_js
    case "run.js": PackageResources.run_js
    case "settings.js": PackageResources.settings_js
    case "tiles.js": PackageResources.tiles_js
    case "viewer.js": PackageResources.viewer_js
    default: nil
    }
  }
}
