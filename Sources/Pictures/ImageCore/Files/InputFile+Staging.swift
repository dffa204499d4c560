import Platform

extension InputFile {
  /// Files of which a copy costs more than it gains, in bytes: they are read at once anyway.
  private static let leastStaged = smallByteCount

  /// Copies the file to another disk, and returns the copy: without a name, so that it is gone when it is closed. Nil for
  /// a small file, and where the folder has no room or cannot be written.
  ///
  /// The copy keeps the path, for messages.
  ///
  /// - Parameter folder: a folder of a disk that is quicker than the file's.
  /// - Throws: `FileError` if the file itself cannot be read.
  public func staged(in folder: String) throws(FileError) -> InputFile? {
    guard byteCount > Self.leastStaged else { return nil }
    guard let copy = try? NamelessFile.make(in: folder) else { return nil }
    var status = stat()
    do throws(FileError) {
      guard try fill(copy), fstat(copy, &status) == 0 else {
        close(copy)
        return nil
      }
    } catch {
      close(copy)
      throw error
    }
    return InputFile(copy, path: path, status)
  }

  /// Writes all bytes into another file; false where that has no room.
  private func fill(_ copy: Int32) throws(FileError) -> Bool {
    var offset = 0
    var isWritten = true
    while isWritten, offset < byteCount {
      let bytes = try bytes(at: offset, count: min(1 << 20, byteCount - offset))
      // The file has become shorter meanwhile. The decoder says so.
      if bytes.isEmpty { break }
      isWritten = bytes.withUnsafeBytes { writeAll($0, to: copy) } == 0
      offset += bytes.count
    }
    return isWritten
  }
}
