/// Copies of JPEGs that differ from each other in nothing but a comment, so that each has bytes of its own.
enum JPEGCopies {
  /// Makes `count` of them in a folder, named by their number, in a process of its own: see `Measurement`.
  static func make(_ count: Int, of sources: [String], in folder: String) throws(BenchFailure) {
    guard Folder.make(folder), Measurement(Subprocess.copies.command([String(count), folder] + sources)) != nil
    else { throw .failed("making \(count) JPEGs in \(folder)") }
  }

  /// `COUNT FOLDER JPEG…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 2, let count = Int(arguments[0]) else { return 2 }
    let sources = arguments[2...].compactMap { MappedFile($0) }
    guard sources.count == arguments.count - 2 else { return 1 }
    for index in 0..<count {
      let file = sources[index % sources.count]
      let digits = Array(String(1_000_000 + index).utf8)
      // The start of image, and a comment (ITU-T T.81, B.2.4.5).
      var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xfe, 0, UInt8(digits.count + 2)] + digits
      bytes += UnsafeRawBufferPointer(start: file.address + 2, count: file.count - 2)
      let path = "\(arguments[1])/\(String(1_000_000 + index).dropFirst()).jpg"
      let isWritten = bytes.withUnsafeBytes {
        RawFile.write($0.baseAddress!, count: $0.count, to: path)
      }
      guard isWritten else { return 1 }
    }
    return 0
  }
}
