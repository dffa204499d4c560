/// Naive search in bytes.
enum ByteSearch {
  static func first(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start >= 0, bytes.count >= needle.count else { return nil }
    var position = start
    while position <= bytes.count - needle.count {
      if matches(needle, bytes, position) { return position }
      position += 1
    }
    return nil
  }

  /// Returns the last occurrence at or after `limit`.
  static func last(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer, downTo limit: Int) -> Int? {
    var position = bytes.count - needle.count
    while position >= max(0, limit) {
      if matches(needle, bytes, position) { return position }
      position -= 1
    }
    return nil
  }

  private static func matches(_ needle: [UInt8], _ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    for index in needle.indices where bytes[position + index] != needle[index] { return false }
    return true
  }
}
