import Platform

/// The inputs of measurements. They are created if they are missing, and kept for the next time.
struct Inputs {
  /// The folder of created inputs.
  let folder: String
  /// The folder of photographs.
  let photoFolder: String

  var photos: [String] { Folder.files(photoFolder, suffix: ".jpg") }
}

/// Functions for files of raw bytes.
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

  /// Returns the size of a file in bytes; nil if it does not exist.
  static func size(_ path: String) -> Int? {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
  }
}

/// Functions for small text files.
enum TextFile {
  /// Reads a file; nil if it cannot be read.
  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a text to a file, and returns the path of the file.
  static func write(_ text: String, _ path: String) -> String {
    let isWritten = RawFile.write(text, to: path)
    precondition(isWritten, "\(path) cannot be written")
    return path
  }
}
