import ImageCore
import ImageOperations
import Platform

/// The properties of a picture that a design uses, measured on a small version of it.
///
/// None of them is learned from examples: all are measurements of light, edges and colours.
package struct PictureTraits: Sendable, Hashable {
  /// The sharpness of the sharpest parts, from 0 for a blurred picture to 1.
  package var sharpness: Double
  /// The exposure, from 0 for a nearly black or white picture to 1 for one that uses the whole range.
  package var exposure: Double
  /// The contrast between dark and light parts, from 0 to 1.
  package var contrast: Double
  /// The distribution of attention.
  package var attention: AttentionMap
  /// Up to five colours in sRGB that cover most of the picture, the most frequent first.
  package var colours: [Colour]
  /// The height of a straight horizon as a share of the picture's height from the top; nil if there is none.
  package var horizon: Double?
  /// A hash of 64 bits, of which few differ between similar pictures.
  package var fingerprint: UInt64

  package init(
    sharpness: Double, exposure: Double, contrast: Double, attention: AttentionMap, colours: [Colour] = [],
    horizon: Double? = nil, fingerprint: UInt64 = 0
  ) {
    self.sharpness = sharpness
    self.exposure = exposure
    self.contrast = contrast
    self.attention = attention
    self.colours = colours
    self.horizon = horizon
    self.fingerprint = fingerprint
  }
}

// MARK: - Score

extension PictureTraits {
  /// The quality of the picture among similar ones, from 0 to 1.
  ///
  /// It is the weighted geometric mean of sharpness (0.5), exposure (0.3) and contrast (0.2). In a sum, two good
  /// properties would hide a bad one; in a product, a blurred or black picture stays near 0.
  package var score: Double {
    func part(_ value: Double, _ weight: Double) -> Double { pow(min(max(value, 0), 1), weight) }
    return part(sharpness, 0.5) * part(exposure, 0.3) * part(contrast, 0.2)
  }
}

// MARK: - Measuring

extension PictureTraits {
  /// The longest side of the version that is measured, in pixels. Larger pictures are reduced to it first, so that the
  /// results do not depend on the size of a file.
  package static let side = 384
  /// The version of the methods. Measurements of different versions are not comparable.
  package static let version = 2

  /// Measures a small version of a picture: upright, in sRGB, gray or RGB of any depth, with a longest side of at most
  /// `side` pixels. Transparent parts count as white, the colour of paper.
  ///
  /// - Throws: errors of the source, and `PictureError.cancelled`.
  package static func measure(_ source: any RowSource, _ context: OperationContext) throws(PictureError)
    -> PictureTraits
  {
    let frame = try opaque(try source.readAll(context))
    let small = ReducedPicture(frame, longestSide: 96)
    let levels = Levels(small.luma)
    return PictureTraits(
      sharpness: Sharpness.measure(LumaPlane(frame)), exposure: levels.exposure, contrast: levels.contrast,
      attention: AttentionMap(try AttentionCell.cells(of: frame, context)),
      colours: DominantColours.colours(in: small.picture, count: 5).map(\.colour),
      horizon: Horizon(small.luma, width: small.picture.width)?.height,
      fingerprint: PerceptualHash.hash(small.picture))
  }

  /// Returns the same picture as 8-bit RGB over white.
  private static func opaque(_ frame: PixelBuffer) throws(PictureError) -> PixelBuffer {
    let layout = frame.layout
    let conversion = FormatConversion(from: layout.format, to: .rgb8, background: .white)
    guard !conversion.isIdentity else { return frame }
    let result = PixelBuffer(layout.with(format: .rgb8))
    for y in 0..<layout.height { conversion.convert(frame.row(y), to: result.row(y), width: layout.width) }
    return result
  }
}

// MARK: - Storing

/// The format of a record on disk.
extension PictureTraits {
  /// The traits as bytes for `init(stored:)`, in the machine's byte order.
  package var stored: [UInt8] {
    var writer = WireWriter()
    for value in [sharpness, exposure, contrast, horizon ?? -1] { writer.append(value) }
    writer.append(fingerprint)
    for weight in attention.weights { writer.append(weight.bitPattern) }
    writer.append(UInt8(colours.count))
    for colour in colours {
      for value in [colour.red, colour.green, colour.blue] { writer.append(value) }
    }
    return writer.bytes
  }

  /// Parses a record; nil if it is damaged.
  package init?(stored bytes: [UInt8]) {
    guard let traits = try? Self.read(bytes) else { return nil }
    self = traits
  }

  private static func read(_ bytes: [UInt8]) throws(WireError) -> PictureTraits {
    var reader = WireReader(bytes)
    func share(_ range: ClosedRange<Double> = 0...1) throws(WireError) -> Double {
      let value = try reader.number()
      guard range.contains(value) else { throw WireError() }
      return value
    }
    let (sharpness, exposure, contrast) = (try share(), try share(), try share())
    let horizon = try share(-1...1)
    let fingerprint = try reader.integer(UInt64.self)
    var weights: [Float] = []
    for _ in 0..<AttentionMap.side * AttentionMap.side {
      weights.append(Float(bitPattern: try reader.integer(UInt32.self)))
    }
    guard let attention = AttentionMap(stored: weights) else { throw WireError() }
    var colours: [Colour] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      colours.append(Colour(red: try share(), green: try share(), blue: try share()))
    }
    try reader.finish()
    return PictureTraits(
      sharpness: sharpness, exposure: exposure, contrast: contrast, attention: attention, colours: colours,
      horizon: horizon < 0 ? nil : horizon, fingerprint: fingerprint)
  }
}

/// A picture that is reduced by averaging whole blocks of pixels, which removes noise and fine detail.
struct ReducedPicture {
  let picture: SmallPicture

  /// - Parameters:
  ///   - frame: an RGB picture with 8 bits per sample.
  ///   - longestSide: the longest side of the result, in pixels; a smaller picture stays unchanged.
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

  /// The luma of each pixel from 0 to 1, with the weights of ITU-R BT.709.
  var luma: [Double] { picture.pixels.map { 0.2126 * $0.x + 0.7152 * $0.y + 0.0722 * $0.z } }
}
