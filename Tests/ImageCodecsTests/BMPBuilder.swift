/// Builds BMP files, including invalid ones.
struct BMPBuilder {
  /// The length of the information header.
  var length = 40
  var width = 2
  /// The height; negative if the top row comes first.
  var height = -1
  var bits = 24
  var compression = 0
  var masks: [Int] = []
  /// The palette: blue, green and red of each colour.
  var palette: [[UInt8]] = []
  /// The number of colours that the header states.
  var colourCount = 0
  /// The bytes of the rows with their padding, or the run-length codes.
  var pixels: [UInt8] = []
  var profile: [UInt8] = []
  /// The resolution in pixels per metre.
  var resolution = 0

  static func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The header, masks and palette.
  var information: [UInt8] {
    typealias Builder = BMPBuilder
    var colours: [UInt8] = []
    for colour in palette {
      colours += colour
      if length > 12 { colours.append(0) }
    }
    guard length > 12 else {
      var bytes = Builder.number(12)
      for value in [width, height, 1, bits] { bytes += Builder.number(value, 2) }
      return bytes + colours
    }
    var bytes: [UInt8] = []
    for value in [length, width, height] { bytes += Builder.number(value) }
    bytes += Builder.number(1, 2) + Builder.number(bits, 2)
    for value in [compression, pixels.count, resolution, resolution, colourCount, 0] { bytes += Builder.number(value) }
    for mask in masks { bytes += Builder.number(mask) }
    let header = length == 40 ? bytes.count : length
    bytes += [UInt8](repeating: 0, count: max(0, header - bytes.count))
    if !profile.isEmpty {
      bytes.replaceSubrange(56..<60, with: Array("DEBM".utf8))
      bytes.replaceSubrange(112..<120, with: Builder.number(length + pixels.count) + Builder.number(profile.count))
    }
    return Array(bytes[..<header]) + colours
  }

  var file: [UInt8] {
    let information = information
    let offset = 14 + information.count
    var bytes = Array("BM".utf8)
    for value in [offset + pixels.count + profile.count, 0, offset] { bytes += Self.number(value) }
    return bytes + information + pixels + profile
  }
}
