import ImageCore

/// The luma of every pixel of a picture, from 0 to 255, with the weights of ITU-R BT.709 rounded to 256ths.
struct LumaPlane {
  let width: Int
  let height: Int
  let values: [UInt8]

  /// - Parameter frame: an RGB picture with 8 bits per sample.
  init(_ frame: PixelBuffer) {
    let (width, height) = (frame.layout.width, frame.layout.height)
    (self.width, self.height) = (width, height)
    values = [UInt8](unsafeUninitializedCapacity: width * height) { values, count in
      for y in 0..<height {
        let line = frame.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<width {
          let sum = 54 &* UInt32(line[3 * x]) &+ 183 &* UInt32(line[3 * x + 1]) &+ 19 &* UInt32(line[3 * x + 2])
          values[y * width + x] = UInt8(truncatingIfNeeded: (sum &+ 128) >> 8)
        }
      }
      count = width * height
    }
  }
}
