import CEmbeddedFiles

/// A chunk of Lua that is compiled into the program.
package enum EmbeddedScript {
  /// Returns the text of a file in the list of `CEmbeddedFiles`.
  package static func text(_ name: String) -> String {
    var count = 0
    guard let bytes = imghost_embedded_file(name, &count) else { preconditionFailure("\(name) is not embedded") }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
