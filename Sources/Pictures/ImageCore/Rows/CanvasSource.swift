/// Rows of one colour.
public final class CanvasSource: RowSource {
  public let layout: PictureLayout
  private let pixel: [Int]

  public init(_ layout: PictureLayout, _ colour: Colour) {
    self.layout = layout
    pixel = colour.samples(in: layout.format)
  }

  public func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for x in 0..<layout.width * layout.bands {
      let value = pixel[x % layout.bands]
      if layout.format.sample == .u8 {
        destination.assumingMemoryBound(to: UInt8.self)[x] = UInt8(value)
      } else {
        destination.assumingMemoryBound(to: UInt16.self)[x] = UInt16(value)
      }
    }
    for row in 1..<max(1, count) {
      (destination + row * stride).copyMemory(from: destination, byteCount: layout.rowByteCount)
    }
  }
}
