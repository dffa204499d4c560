/// The destination of an encoder's bytes: a file, or memory. Used by one worker at a time.
public protocol ByteSink: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError)
}

/// Collects bytes in memory: an encoded page on its way into a PDF.
public final class MemorySink: ByteSink {
  public private(set) var bytes: [UInt8] = []

  public init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    self.bytes.append(contentsOf: bytes)
  }
}
