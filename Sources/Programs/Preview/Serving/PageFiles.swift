import CEmbeddedFiles

/// The files of the page, which are compiled into the program: see `CEmbeddedFiles`.
enum PageFiles {
  /// The media types of the page's files. No other embedded file has one of these endings.
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
    "js": "text/javascript; charset=utf-8",
  ]

  /// Returns a file and its media type; nil if there is none with this name. The empty name is the page itself.
  static func file(_ name: String) -> (type: String, bytes: UnsafeRawBufferPointer)? {
    let name = name.isEmpty ? "preview.html" : name
    var count = 0
    guard let type = name.split(separator: ".").last.flatMap({ types[String($0)] }),
      let bytes = imghost_embedded_file(name, &count)
    else { return nil }
    return (type, UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
