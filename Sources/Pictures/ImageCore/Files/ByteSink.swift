/// The destination of an encoder's bytes: a file, or memory. Used by one worker at a time.
public protocol ByteSink: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError)
}
