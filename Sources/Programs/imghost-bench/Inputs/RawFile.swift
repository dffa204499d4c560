import Platform

/// Files of raw bytes, written whole.
enum RawFile {
  static func write(_ memory: UnsafeRawPointer, count: Int, to path: String) -> Bool {
    guard let file = fopen(path, "wb") else { return false }
    let isWhole = fwrite(memory, 1, count, file) == count
    return fclose(file) == 0 && isWhole
  }

  static func write(_ text: String, to path: String) -> Bool {
    Array(text.utf8).withUnsafeBytes {
      write($0.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, count: $0.count, to: path)
    }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// nil for a file that is not there.
  static func size(_ path: String) -> Int? {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
  }
}
