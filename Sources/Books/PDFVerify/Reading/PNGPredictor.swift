/// PNG's filters as predictors of Flate streams (PDF 32000-1:2008, 7.4.4.4).
enum PNGPredictor {
  /// Undoes a PNG filter (PNG specification, third edition, section 9) in place.
  static func restore(_ row: inout [UInt8], _ above: [UInt8], bytesPerPixel: Int) -> Bool {
    let filter = row[0]
    guard filter <= 4 else { return false }
    for index in above.indices {
      let left = index >= bytesPerPixel ? row[index + 1 - bytesPerPixel] : 0
      let up = above[index]
      switch filter {
      case 1: row[index + 1] &+= left
      case 2: row[index + 1] &+= up
      case 3: row[index + 1] &+= UInt8((Int(left) + Int(up)) / 2)
      case 4:
        let corner = index >= bytesPerPixel ? above[index - bytesPerPixel] : 0
        row[index + 1] &+= paeth(left, up, corner)
      default: return true
      }
    }
    return true
  }

  private static func paeth(_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8 {
    let estimate = Int(left) + Int(up) - Int(corner)
    let (a, b, c) = (abs(estimate - Int(left)), abs(estimate - Int(up)), abs(estimate - Int(corner)))
    return a <= b && a <= c ? left : b <= c ? up : corner
  }

  /// Undoes the filters of whole rows of `columns` bytes; nil if the last row is incomplete or a filter is unknown.
  static func restoreAll(_ bytes: [UInt8], columns: Int, bytesPerPixel: Int) -> [UInt8]? {
    guard columns > 0, bytes.count % (columns + 1) == 0 else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var above = [UInt8](repeating: 0, count: columns)
    for start in stride(from: 0, to: bytes.count, by: columns + 1) {
      var row = Array(bytes[start..<start + columns + 1])
      guard restore(&row, above, bytesPerPixel: bytesPerPixel) else { return nil }
      above = Array(row.dropFirst())
      result += above
    }
    return result
  }
}
