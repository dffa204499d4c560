import Platform

/// Small files of text.
enum TextFile {
  /// nil for a file that cannot be read.
  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a text; gives its path.
  static func write(_ text: String, _ path: String) -> String {
    let isWritten = RawFile.write(text, to: path)
    precondition(isWritten, "\(path) cannot be written")
    return path
  }
}
