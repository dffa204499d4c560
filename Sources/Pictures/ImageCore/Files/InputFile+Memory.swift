import Platform

extension InputFile {
  /// Makes a file of bytes in memory, for code that reads files by their descriptor. It has no name, and its memory is
  /// freed with the last reference. Wraps `memfd_create(2)`.
  ///
  /// - Parameter label: the path in messages.
  public convenience init(_ bytes: EncodedBytes, label: String) throws(FileError) {
    let descriptor = makeMemoryFile(label)
    guard descriptor >= 0 else { throw FileError(.create, path: label, code: errno) }
    var code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    var status = stat()
    if code == 0, fstat(descriptor, &status) != 0 { code = errno }
    guard code == 0 else {
      close(descriptor)
      throw FileError(.write, path: label, code: code)
    }
    self.init(descriptor, path: label, status)
  }
}
