import Platform

/// The destination of an encoder's bytes: a file, or memory. Used by one worker at a time.
public protocol ByteSink: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError)
}

/// Writes all bytes to a descriptor, with as many calls as necessary; wraps `write(2)`.
///
/// - Returns: 0, or the value of `errno`.
public func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  var rest = bytes
  while let start = rest.baseAddress, rest.count > 0 {
    let count = write(descriptor, start, rest.count)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return count < 0 ? errno : EIO }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return 0
}
