/// A small ICC profile (ICC.1:2001-04, matrix and curves) with red and blue exchanged, so that any program that uses it
/// shows other colours.
enum TestProfile {
  static let swapped: [UInt8] = {
    let curve = text("curv") + word(0) + word(1) + [2, 51, 0, 0]
    let tags: [(String, [UInt8])] = [
      ("wtpt", xyz(0.9642, 1, 0.8249)), ("rXYZ", xyz(0.1431, 0.0606, 0.7141)),
      ("gXYZ", xyz(0.3851, 0.7169, 0.0971)), ("bXYZ", xyz(0.4361, 0.2225, 0.0139)),
      ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    var table = word(tags.count)
    var data: [UInt8] = []
    for (name, bytes) in tags {
      table += text(name) + word(128 + 4 + tags.count * 12 + data.count) + word(bytes.count)
      data += bytes
    }
    let body = table + data
    return header(128 + body.count) + body
  }()

  private static func header(_ count: Int) -> [UInt8] {
    var header = word(count) + word(0) + [2, 0x40, 0, 0] + text("mntrRGB XYZ ")
    header += [UInt8](repeating: 0, count: 12) + text("acsp")
    header += [UInt8](repeating: 0, count: 28)
    // The illuminant, D50.
    header += word(0xf6d6) + word(0x10000) + word(0xd32d)
    return header + [UInt8](repeating: 0, count: 128 - header.count)
  }

  private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    text("XYZ ") + word(0) + [x, y, z].flatMap { word(Int($0 * 65_536)) }
  }

  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
}
