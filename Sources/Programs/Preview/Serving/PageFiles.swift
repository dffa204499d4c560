import CPreviewPage
import ImageCore

/// The files of the page, which are part of the program.
enum PageFiles {
  /// Returns a file and its media type; nil if there is none of this name. The empty name is the page itself.
  static func file(_ name: String) -> (type: String, bytes: [UInt8])? {
    let name = name.isEmpty ? "preview.html" : name
    var count = 0
    guard let bytes = cpreview_file(name, &count) else { return nil }
    return (type(PathName.fileExtension(name)), Array(UnsafeBufferPointer(start: bytes, count: count)))
  }

  private static func type(_ fileExtension: String) -> String {
    switch fileExtension {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "text/javascript; charset=utf-8"
    }
  }
}
