import Platform

/// An ICC profile of sRGB (IEC 61966-2-1): a matrix and one curve (ICC.1:2001-04). It has version 2.1, because PDF 1.4
/// allows only version 2.
enum SRGBProfile {
  /// The profile's bytes, the same on every run.
  static let bytes: [UInt8] = {
    let white = xyz(0.9642, 1.0, 0.8249)
    // The primaries are adapted to D50 with Bradford's matrix, with the values of the sRGB profile of IEC 61966-2-1.
    let tags: [(String, [UInt8])] = [
      ("desc", description("sRGB IEC61966-2.1")),
      ("cprt", text("No copyright, use freely")), ("wtpt", white),
      ("rXYZ", xyz(0.43607, 0.22249, 0.01392)), ("gXYZ", xyz(0.38515, 0.71687, 0.09708)),
      ("bXYZ", xyz(0.14307, 0.06061, 0.7141)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    var offset = 128 + 4 + tags.count * 12
    var table = number(tags.count)
    var data: [UInt8] = []
    var known: [[UInt8]: Int] = [:]
    for (name, body) in tags {
      let place = known[body] ?? offset + data.count
      if known[body] == nil {
        known[body] = place
        data += body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      }
      table += Array(name.utf8) + number(place) + number(body.count)
    }
    let size = 128 + table.count + data.count
    return header(size) + table + data
  }()

  /// Returns the header (ICC.1:2010, 7.2): version 2.1, for a display, from RGB to XYZ, with the date of the standard.
  private static func header(_ size: Int) -> [UInt8] {
    var bytes = number(size) + number(0) + [2, 0x10, 0, 0]
    bytes += Array("mntrRGB XYZ ".utf8)
    bytes += [1999, 10, 18, 0, 0, 0].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    bytes += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
    // The illuminant, D50.
    bytes += xyz(0.9642, 1.0, 0.8249)[8...]
    return bytes + [UInt8](repeating: 0, count: 128 - bytes.count)
  }

  /// The tone curve from samples to light, at 1,024 points (IEC 61966-2-1, 5.2).
  private static let curve: [UInt8] = {
    let count = 1_024
    var bytes = Array("curv".utf8) + number(0) + number(count)
    for index in 0..<count {
      let sample = Double(index) / Double(count - 1)
      let light = sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
      let value = Int((light * 65_535).rounded())
      bytes += [UInt8(value >> 8), UInt8(value & 0xff)]
    }
    return bytes
  }()

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Returns an XYZType of signed 16.16 fixed-point numbers.
  private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    Array("XYZ ".utf8) + number(0) + [x, y, z].flatMap { number(Int(($0 * 65_536).rounded())) }
  }

  private static func text(_ value: String) -> [UInt8] {
    Array("text".utf8) + number(0) + Array(value.utf8) + [0]
  }

  /// Returns a textDescriptionType without Unicode and Macintosh text.
  private static func description(_ value: String) -> [UInt8] {
    Array("desc".utf8) + number(0) + number(value.utf8.count + 1) + Array(value.utf8) + [0]
      + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
  }
}
