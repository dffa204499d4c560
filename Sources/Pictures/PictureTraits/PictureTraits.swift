import ImageCore
import Platform

/// The properties of a picture that a design uses, measured on a small version of it.
///
/// None of them is learned from examples: all are measurements of light, edges and colours.
package struct PictureTraits: Sendable, Hashable {
  /// The sharpness of the sharpest parts, from 0 for a blurred picture to 1.
  package var sharpness: Double
  /// The exposure, from 0 for a nearly black or white picture to 1 for one of medium brightness.
  package var exposure: Double
  /// The contrast between dark and light parts, from 0 to 1.
  package var contrast: Double
  /// The distribution of attention.
  package var attention: AttentionMap
  /// Up to five colours in sRGB that cover most of the picture, the most frequent first.
  package var colours: [Colour]
  /// The height of a straight horizon as a share of the picture's height from the top; nil if there is none.
  package var horizon: Double?
  /// A perceptual hash: those of similar pictures differ in few bits.
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
  /// The version of the measuring methods. Measurements of different versions are not comparable.
  package static let version = 2
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
