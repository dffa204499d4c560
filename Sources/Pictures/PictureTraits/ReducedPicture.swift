import ImageCore
import ImageOperations

/// A picture that is made smaller by whole blocks of pixels, which removes noise and fine detail.
struct ReducedPicture {
  let picture: SmallPicture

  /// - Parameters:
  ///   - frame: RGB of 8 bits.
  ///   - longestSide: the longest side of the result, in pixels; a smaller picture stays as it is.
  init(_ frame: PixelBuffer, longestSide: Int) {
    let (width, height) = (frame.layout.width, frame.layout.height)
    let block = (max(width, height) + longestSide - 1) / longestSide
    let (columns, rows) = ((width + block - 1) / block, (height + block - 1) / block)
    var sums = [SIMD4<UInt32>](repeating: .zero, count: columns * rows)
    for y in 0..<height {
      let line = frame.row(y).assumingMemoryBound(to: UInt8.self)
      let start = y / block * columns
      for column in 0..<columns {
        var sum = SIMD4<UInt32>.zero
        for x in column * block..<min(width, column * block + block) {
          sum &+= SIMD4(UInt32(line[3 * x]), UInt32(line[3 * x + 1]), UInt32(line[3 * x + 2]), 1)
        }
        sums[start + column] &+= sum
      }
    }
    let pixels = sums.map { sum in
      let mean = SIMD4<Double>(sum) / (255 * Double(sum.w))
      return SIMD4(mean.x, mean.y, mean.z, 1)
    }
    picture = SmallPicture(width: columns, height: rows, pixels: pixels)
  }

  /// Luma of each pixel by the weights of ITU-R BT.709, from 0 to 1.
  var luma: [Double] { picture.pixels.map { 0.2126 * $0.x + 0.7152 * $0.y + 0.0722 * $0.z } }
}
