import ImageCore

/// The bytes of a record on disk.
extension PictureTraits {
  /// The traits as bytes that `init(stored:)` reads, in the machine's byte order.
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

  /// Reads a record; nil for one that is damaged.
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
