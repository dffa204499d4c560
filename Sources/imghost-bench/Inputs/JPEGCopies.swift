/// Copies of JPEGs that differ from each other in nothing but a comment, so that each has bytes of its own.
enum JPEGCopies {
  /// Makes `count` of them in a folder, named by their number.
  ///
  /// - Returns: their paths.
  static func make(_ count: Int, of sources: [String], in folder: String) throws(BenchFailure)
    -> [String]
  {
    guard Folder.make(folder) else { throw .failed("folder \(folder)") }
    var paths: [String] = []
    for index in 0..<count {
      let source = sources[index % sources.count]
      guard let file = MappedFile(source), file.count > 2 else {
        throw .failed("reading \(source)")
      }
      let digits = Array(String(1_000_000 + index).utf8)
      // The start of image, and a comment (ITU-T T.81, B.2.4.5).
      let length = UInt8(digits.count + 2)
      var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xfe, 0, length] + digits
      bytes += UnsafeRawBufferPointer(start: file.address + 2, count: file.count - 2)
      file.unmap()
      let path = "\(folder)/\(String(1_000_000 + index).dropFirst()).jpg"
      let isWritten = bytes.withUnsafeBytes {
        RawFile.write($0.baseAddress!, count: $0.count, to: path)
      }
      guard isWritten else { throw .failed("writing \(path)") }
      paths.append(path)
    }
    return paths
  }
}
