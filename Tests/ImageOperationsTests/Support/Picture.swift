import ImageCore

/// A whole picture as plain numbers, to create inputs and compare results.
struct Picture: Equatable {
  let layout: PictureLayout
  /// Samples by row, pixel and band.
  var samples: [Int]

  var width: Int { layout.width }
  var height: Int { layout.height }
  var bands: Int { layout.bands }
  var top: Int { layout.format.sample.maximum }

  init(_ width: Int, _ height: Int, _ format: PixelFormat, _ samples: [Int]) {
    layout = PictureLayout(width: width, height: height, format: format)
    self.samples = samples
    precondition(samples.count == width * height * format.bands)
  }

  init(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ sample: (Int, Int, Int) -> Int
  ) {
    var samples: [Int] = []
    for y in 0..<height {
      for x in 0..<width { for band in 0..<format.bands { samples.append(sample(x, y, band)) } }
    }
    self.init(width, height, format, samples)
  }

  /// Returns noise that is the same in every run; a tenth of the samples are 0, and a tenth have the maximum.
  static func noise(_ width: Int, _ height: Int, _ format: PixelFormat, seed: UInt64 = 1) -> Picture {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    return Picture(width, height, format) { _, _, _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Int(state >> 40)
      return switch value % 10 {
      case 0: 0
      case 1: format.sample.maximum
      default: value / 10 % (format.sample.maximum + 1)
      }
    }
  }

  subscript(x: Int, y: Int, band: Int) -> Int { samples[(y * width + x) * bands + band] }

  /// Returns the sample nearest to a position that may be outside of the picture.
  func clamped(_ x: Int, _ y: Int, _ band: Int) -> Int {
    self[max(0, min(width - 1, x)), max(0, min(height - 1, y)), band]
  }

  /// Returns the samples of a pixel, from 0 to 1.
  func fractions(_ x: Int, _ y: Int) -> [Double] { (0..<bands).map { Double(self[x, y, $0]) / Double(top) } }

  var source: any RowSource {
    let buffer = PixelBuffer(layout)
    for y in 0..<height {
      for index in 0..<width * bands {
        let value = samples[y * width * bands + index]
        if layout.format.sample == .u8 {
          buffer.row(y).storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
        } else {
          buffer.row(y).storeBytes(of: UInt16(value), toByteOffset: index * 2, as: UInt16.self)
        }
      }
    }
    return BufferSource(buffer)
  }

  /// Reads a source to its end, `stripRows` rows at a time.
  init(_ source: any RowSource, stripRows: Int = 64) throws {
    layout = source.layout
    let buffer = PixelBuffer(layout)
    var row = 0
    while row < layout.height {
      let count = min(stripRows, layout.height - row)
      try source.read(count, into: buffer.row(row), stride: buffer.stride)
      row += count
    }
    samples = []
    samples.reserveCapacity(layout.width * layout.height * layout.bands)
    for y in 0..<layout.height {
      for index in 0..<layout.width * layout.bands {
        samples.append(
          layout.format.sample == .u8
            ? Int(buffer.row(y).load(fromByteOffset: index, as: UInt8.self))
            : Int(buffer.row(y).load(fromByteOffset: index * 2, as: UInt16.self)))
      }
    }
  }

  /// Returns the largest difference from a reference on the scale of the samples, which is clamped to their range; nil
  /// if the sizes differ.
  func distance(to reference: [Double]) -> Double? {
    guard reference.count == samples.count else { return nil }
    return zip(samples, reference).map { abs(Double($0) - max(0, min(Double(top), $1))) }.max()
  }
}

extension PixelFormat {
  static let all = SampleType.allCases.flatMap { sample in
    [ColourModel.gray, .rgb].flatMap { model in
      [PixelFormat(sample, model), PixelFormat(sample, model, alpha: true)]
    }
  }
  static let graya8 = PixelFormat(.u8, .gray, alpha: true)
  static let rgb16 = PixelFormat(.u16, .rgb)
  static let rgba16 = PixelFormat(.u16, .rgb, alpha: true)
}
