import Platform

/// Sizes and dates of files, by which a change is noticed without reading them.
enum FileStamps {
  /// The longest list that is kept. What lies behind it is not watched.
  static let maximumByteCount = 128 << 10

  /// The stamps of files: of each its size, the seconds and nanoseconds of its modification, and its path with a zero.
  static func bytes(of paths: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for path in paths {
      let stamp = path.withCString(numbers(of:))
      guard bytes.count + stamp.count + path.utf8.count < maximumByteCount else { break }
      bytes += stamp + path.utf8 + [0]
    }
    return bytes
  }

  /// Whether each file has its stamp still. Files that several lists name are looked up once with one `known`.
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

  /// The three numbers; a file that is not there has zeros.
  private static func numbers(of path: UnsafePointer<CChar>) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [UInt8](repeating: 0, count: numberByteCount) }
    let time = status.modificationTime
    return withUnsafeBytes(of: (Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec))) { Array($0) }
  }
}
