import Platform

/// The sizes and modification times of files, which reveal changes without reading the files.
enum FileStamps {
  /// The maximum length of a list of stamps, in bytes. Files that do not fit are not checked for changes.
  static let maximumByteCount = 128 << 10

  /// Returns the stamps of files. A stamp consists of the file's size, the seconds and the nanoseconds of its
  /// modification time, and its path with a zero byte at the end.
  static func bytes(of paths: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for path in paths {
      let stamp = path.withCString(numbers(of:))
      guard bytes.count + stamp.count + path.utf8.count < maximumByteCount else { break }
      bytes += stamp + path.utf8 + [0]
    }
    return bytes
  }

  /// Returns whether each file still has its stamp. Calls with the same `known` look up each stamp only once.
  static func areCurrent(_ stamps: ArraySlice<UInt8>, known: inout [ArraySlice<UInt8>: Bool]) -> Bool {
    var rest = stamps
    while !rest.isEmpty {
      guard rest.count > numberByteCount, let end = rest.dropFirst(numberByteCount).firstIndex(of: 0) else {
        return false
      }
      let entry = rest[...end]
      rest = rest[(end + 1)...]
      if known[entry] == nil {
        known[entry] = entry.withUnsafeBytes { bytes in
          let path = bytes.baseAddress! + numberByteCount
          return bytes.prefix(numberByteCount).elementsEqual(numbers(of: path.assumingMemoryBound(to: CChar.self)))
        }
      }
      guard known[entry] == true else { return false }
    }
    return true
  }

  private static let numberByteCount = 3 * MemoryLayout<Int64>.size

  /// Returns the size and the two parts of the modification time of a file; zeros if the file does not exist.
  private static func numbers(of path: UnsafePointer<CChar>) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [UInt8](repeating: 0, count: numberByteCount) }
    let time = status.modificationTime
    return withUnsafeBytes(of: (Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec))) { Array($0) }
  }
}
