import CPluginABI

/// Computes the blurred luma of a mask, from 0 to 65,535, which is the visible share of the upper picture.
///
/// The mask is blurred by three running means, whose result is nearly that of a Gaussian (W. M. Wells, Efficient
/// Synthesis of Gaussian Filters by Cascaded Uniform Filters, IEEE PAMI 8, 1986). The means are computed with integers,
/// so each value is the same whatever part of the picture is requested.
struct SoftMask: Sendable {
  /// The number of pixels that each mean includes on each side.
  private let reaches: [Int]

  /// The largest distance in pixels between a blurred value and the samples that it is computed from.
  var reach: Int { reaches.reduce(0, +) }

  /// - Parameter softness: the standard deviation of the Gaussian in pixels; 0 leaves the mask unchanged.
  init(softness: Double) {
    guard softness > 0 else {
      reaches = []
      return
    }
    // A mean over 2r + 1 pixels has the variance r(r + 1) / 3; the three variances must add up to the Gaussian's.
    var left = softness * softness
    var reaches: [Int] = []
    for remaining in stride(from: 3, to: 0, by: -1) {
      let share = max(0, 3 * left / Double(remaining))
      let reach = Int(((1 + 4 * share).squareRoot() / 2 - 0.5).rounded())
      left -= Double(reach * (reach + 1)) / 3
      reaches.append(reach)
    }
    self.reaches = reaches.filter { $0 > 0 }
  }

  /// Returns the largest possible reach of a mask whose softness is at most this value. Rounding may add one pixel for
  /// each of the three means.
  static func reach(upTo softness: Double) -> Int { SoftMask(softness: softness).reach + 3 }

  /// Returns the blurred mask of `region`, row by row. Beyond the picture, the pixels at its edges are repeated.
  func values(of mask: imghost_picture, _ region: imghost_region) -> [UInt16] {
    let (width, height) = (Int(region.width) + 2 * reach, Int(region.height) + 2 * reach)
    var values = [UInt16](repeating: 0, count: width * height)
    for row in 0..<height {
      let y = min(max(Int(region.top) + row - reach, 0), Int(mask.height) - 1)
      values.withUnsafeMutableBufferPointer { values in
        read(mask, y: y, left: Int(region.left) - reach, count: width, into: values.baseAddress! + row * width)
      }
    }
    let across = blurAcross(values, width: width, height: height)
    return blurDown(across, width: Int(region.width), height: height)
  }

  /// Blurs horizontally. Each row becomes shorter by the reach at both ends.
  private func blurAcross(_ values: [UInt16], width: Int, height: Int) -> [UInt16] {
    guard reach > 0 else { return values }
    var result: [UInt16] = []
    result.reserveCapacity((width - 2 * reach) * height)
    for row in 0..<height {
      var line = Array(values[row * width..<(row + 1) * width])
      for reach in reaches { line = Self.means(line, reach) }
      result += line
    }
    return result
  }

  private static func means(_ line: [UInt16], _ reach: Int) -> [UInt16] {
    let size = 2 * reach + 1
    var sum = line[..<(size - 1)].reduce(0) { $0 + UInt32($1) }
    return (0...line.count - size).map { start in
      sum += UInt32(line[start + size - 1])
      defer { sum -= UInt32(line[start]) }
      return UInt16(truncatingIfNeeded: (sum + UInt32(reach)) / UInt32(size))
    }
  }

  /// Blurs vertically. Each column becomes shorter by the reach at both ends.
  private func blurDown(_ values: [UInt16], width: Int, height: Int) -> [UInt16] {
    var (values, height) = (values, height)
    for reach in reaches {
      let size = 2 * reach + 1
      var sums = [UInt32](repeating: 0, count: width)
      var result = [UInt16](repeating: 0, count: width * (height - size + 1))
      for row in 0..<height {
        for x in 0..<width { sums[x] += UInt32(values[row * width + x]) }
        let first = row - size + 1
        guard first >= 0 else { continue }
        for x in 0..<width {
          let mean = (sums[x] + UInt32(reach)) / UInt32(size)
          result[first * width + x] = UInt16(truncatingIfNeeded: mean)
          sums[x] -= UInt32(values[first * width + x])
        }
      }
      (values, height) = (result, height - size + 1)
    }
    return values
  }

  /// Reads luma by ITU-R BT.709, multiplied by alpha if there is one.
  private func read(_ mask: imghost_picture, y: Int, left: Int, count: Int, into row: UnsafeMutablePointer<UInt16>) {
    let (bands, last) = (Int(mask.bands), Int(mask.width) - 1)
    // Only the requested part is converted.
    let first = min(max(left, 0), last)
    let end = min(max(left + count, 1), last + 1)
    let samples = SampleRow(mask, y: y).numbers(from: first * bands, count: (end - first) * bands)
    for i in 0..<count {
      let x = (min(max(left + i, first), end - 1) - first) * bands
      var value = bands < 3 ? samples[x] : 0.2126 * samples[x] + 0.7152 * samples[x + 1] + 0.0722 * samples[x + 2]
      if bands & 1 == 0 { value *= samples[x + bands - 1] }
      row[i] = UInt16(max(0, min(1, value)) * 65_535 + 0.5)
    }
  }
}
