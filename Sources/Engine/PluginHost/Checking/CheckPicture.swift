import ImageCore

/// Pictures for testing plugins.
package enum CheckPicture {
  static let formats: [PixelFormat] = [
    .gray8, .rgb8, .rgba8, PixelFormat(.u16, .rgb, alpha: true),
  ]

  /// Makes a ramp with noise that depends only on the position. In all but small or narrow pictures, every 8-bit value
  /// occurs, and no two rows are equal.
  static func make(_ width: Int, _ height: Int, _ format: PixelFormat) -> PixelBuffer {
    let buffer = PixelBuffer(PictureLayout(width: width, height: height, format: format))
    let count = width * format.bands
    for y in 0..<height {
      let row = buffer.row(y)
      var state = UInt32(truncatingIfNeeded: y &* 2_654_435_761) | 1
      for i in 0..<count {
        state = state &* 1_664_525 &+ 1_013_904_223
        let ramp = (i * 251 / count + y) & 0xff
        let value = (UInt32(ramp) &+ state >> 27) & 0xff
        if format.sample == .u8 {
          row.storeBytes(of: UInt8(value), toByteOffset: i, as: UInt8.self)
        } else {
          row.storeBytes(of: UInt16(value << 8 | state >> 24), toByteOffset: 2 * i, as: UInt16.self)
        }
      }
    }
    return buffer
  }

  /// Reads all rows of a source, and returns their bytes.
  package static func bytes(of source: any RowSource) throws(PictureError) -> [UInt8] {
    let picture = try source.readAll(.serial)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(source.layout.byteCount)
    for y in 0..<source.layout.height {
      bytes += UnsafeRawBufferPointer(start: picture.row(y), count: source.layout.rowByteCount)
    }
    return bytes
  }
}

extension PluginParameter {
  /// The values to test: the ends of the parameter's range, every choice, and difficult texts.
  var extremes: [ParameterValue] {
    switch type {
    case .boolean: [.boolean(false), .boolean(true)]
    case .integer(let range, _): [.integer(range.lowerBound), .integer(range.upperBound)]
    case .number(let range, _): [.number(range.lowerBound), .number(range.upperBound)]
    case .choice(let names, _): names.map { .text($0) }
    case .colour: [.text("#00000000"), .text("#ffffffff")]
    case .text: [.text(""), .text(String(repeating: "%n\u{1F600}", count: 80)), .text("/")]
    case .point(let range, _, _):
      [
        .list([.number(range.lowerBound), .number(range.lowerBound)]),
        .list([.number(range.upperBound), .number(range.upperBound)]),
      ]
    }
  }

  var isNumber: Bool {
    switch type {
    case .integer, .number, .point: true
    default: false
    }
  }
}
