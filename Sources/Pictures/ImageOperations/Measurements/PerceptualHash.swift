import ImageCore
import Platform

/// A perceptual hash: the hashes of pictures that look alike differ in few bits.
///
/// The luma is reduced to 32x32 values and transformed by a discrete cosine transform. A bit of the hash tells whether
/// one of the 8x8 lowest frequencies is above their median; the mean is left out (C. Zauner, "Implementation and
/// Benchmarking of Perceptual Image Hash Functions", 2010, section 3.2.1). Changes of size, format, compression and
/// colour alter few of the 64 bits. Rotation and cropping alter many.
package enum PerceptualHash {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "hash", family: "script",
      summary: "Compute a perceptual hash, 16 hexadecimal digits, to find pictures that look alike"),
    gives: .text, side: 256
  ) { source, _, _, context throws(PictureError) in
    .text(hexadecimal(hash(try SmallPicture(source, context))))
  }

  private static let side = 32
  private static let kept = 8
  /// The cosine of each used frequency at each cell.
  private static let waves = (0..<kept * side).map { index in
    cos(Double.pi / Double(side) * (Double(index % side) + 0.5) * Double(index / side))
  }

  static func hexadecimal(_ hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  package static func hash(_ picture: SmallPicture) -> UInt64 {
    let low = frequencies(squared(picture))
    // The first frequency, the mean, is excluded, because it does not depend on the picture's structure.
    let sorted = low.dropFirst().sorted()
    let median = sorted[sorted.count / 2]
    return low.enumerated().reduce(0) { $0 << 1 | ($1.offset > 0 && $1.element > median ? 1 : 0) }
  }

  /// Returns the mean luma of 32x32 equal cells, with transparent pixels over white.
  private static func squared(_ picture: SmallPicture) -> [Double] {
    let luma = picture.pixels.map { pixel in
      (0.2126 * pixel.x + 0.7152 * pixel.y + 0.0722 * pixel.z) * pixel.w + 1 - pixel.w
    }
    let rows = (0..<picture.height).flatMap { y in
      cells(length: picture.width) { luma[y * picture.width + $0] }
    }
    let columns = (0..<side).flatMap { x in cells(length: picture.height) { rows[$0 * side + x] } }
    return (0..<side * side).map { columns[$0 % side * side + $0 / side] }
  }

  /// Returns the means of 32 equal parts of a row or column. A part may begin and end inside a pixel.
  private static func cells(length: Int, _ value: (Int) -> Double) -> [Double] {
    (0..<side).map { cell in
      let (start, end) = (Double(cell * length) / Double(side), Double((cell + 1) * length) / Double(side))
      let sum = (Int(start)..<Int(end.rounded(.up))).reduce(0.0) { sum, x in
        sum + value(x) * (min(end, Double(x + 1)) - max(start, Double(x)))
      }
      return sum / (end - start)
    }
  }

  /// Returns the 8x8 lowest frequencies, row by row. Rounding them to 2⁻¹⁶ removes differences of the last bits of
  /// cosines between systems.
  private static func frequencies(_ cells: [Double]) -> [Double] {
    var rows = [Double](repeating: 0, count: side * kept)
    let waves = waves
    func wave(_ x: Int, _ frequency: Int) -> Double { waves[frequency * side + x] }
    for y in 0..<side {
      for u in 0..<kept {
        for x in 0..<side { rows[y * kept + u] += Double(cells[y * side + x]) * wave(x, u) }
      }
    }
    var low: [Double] = []
    for v in 0..<kept {
      for u in 0..<kept {
        let sum = (0..<side).reduce(0.0) { $0 + rows[$1 * kept + u] * wave($1, v) }
        low.append(Double((sum * 65_536).rounded() / 65_536))
      }
    }
    return low
  }
}
