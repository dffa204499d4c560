/// The five filters of PNG (PNG specification, third edition, section 9), which PDF calls predictors 10
/// to 14.
enum PNGFilter {
  /// Filters a row into `output`, whose first byte becomes the filter's number, and returns the sum of
  /// the absolute signed differences: the usual estimate of how well the row will compress (12.7).
  static func apply(
    _ filter: UInt8, _ row: [UInt8], _ above: [UInt8], bytesPerPixel: Int,
    into output: inout [UInt8]
  ) -> Int {
    output[0] = filter
    var cost = 0
    for index in row.indices {
      let left = index >= bytesPerPixel ? row[index - bytesPerPixel] : 0
      let corner = index >= bytesPerPixel ? above[index - bytesPerPixel] : 0
      let value = row[index] &- prediction(filter, left, above[index], corner)
      output[index + 1] = value
      cost += Int(Int8(bitPattern: value).magnitude)
    }
    return cost
  }

  @inline(__always)
  private static func prediction(_ filter: UInt8, _ left: UInt8, _ up: UInt8, _ corner: UInt8)
    -> UInt8
  {
    switch filter {
    case 0: return 0
    case 1: return left
    case 2: return up
    case 3: return UInt8((Int(left) + Int(up)) / 2)
    default:
      let estimate = Int(left) + Int(up) - Int(corner)
      let (a, b, c) = (
        abs(estimate - Int(left)), abs(estimate - Int(up)), abs(estimate - Int(corner))
      )
      return a <= b && a <= c ? left : b <= c ? up : corner
    }
  }
}
