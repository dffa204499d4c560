import ImageCore
import ImageOperations
import PictureTraits
import Testing

@Suite("Traits of drawn pictures")
struct PictureTraitsTests {
  @Test("blurring takes sharpness away, step by step")
  func blur() throws {
    let picture = Drawn.patches()
    let values = try [picture, picture.blurred(1), picture.blurred(2), picture.blurred(4)].map { try $0.traits() }
    let sharpness = values.map(\.sharpness)
    #expect(sharpness[0] == 1)
    #expect(zip(sharpness, sharpness.dropFirst()).allSatisfy { $0 > $1 + 0.05 }, "\(sharpness)")
    #expect(sharpness[3] < 0.1)
    #expect(values[2].score < values[0].score - 0.2)
  }

  @Test("noise does not make a blurred picture sharp")
  func noise() throws {
    let blurred = Drawn.patches().blurred(4)
    #expect(try blurred.noisy(0.02).traits().sharpness < 0.25)
  }

  @Test("a sharp subject in front of a blurred ground is sharp")
  func portrait() throws {
    let (ground, sharp) = (Drawn.patches(seed: 3).blurred(6), Drawn.patches(seed: 3))
    let whole = try Drawn.joined(sharp, ground) { x, y in (150..<250).contains(x) && (80..<220).contains(y) }.traits()
    #expect(whole.sharpness > 0.8, "\(whole.sharpness)")
    #expect(try ground.traits().sharpness < 0.1)
  }

  @Test("sharpness does not depend on the contrast")
  func faint() throws {
    let faint = Drawn.patches().mapped { 0.4 + 0.25 * $0 }
    #expect(try faint.traits().sharpness > 0.9)
    #expect(try faint.traits().contrast < 0.5)
  }

  static let levels: [(name: String, level: Double, spread: Double, exposure: ClosedRange<Double>)] = [
    ("black", 0, 0, 0...0), ("nearly black", 0.02, 0.02, 0...0.05), ("night", 0.12, 0.1, 0.2...0.6),
    ("middle", 0.5, 0.4, 0.95...1), ("bright", 0.85, 0.14, 0.3...0.7), ("white", 1, 0, 0...0),
  ]

  @Test("exposure", arguments: levels)
  func exposures(_ row: (name: String, level: Double, spread: Double, exposure: ClosedRange<Double>)) throws {
    let picture = Drawn.patches().mapped { row.level + ($0 - 0.5) * 2 * row.spread }
    let exposure = try picture.traits().exposure
    #expect(row.exposure.contains(exposure), "\(row.name): \(exposure)")
  }

  @Test("the score of a nearly black picture is near 0")
  func black() throws {
    #expect(try Drawn.patches().mapped { 0.04 * $0 }.traits().score < 0.1)
    #expect(try Drawn.patches().traits().score > 0.8)
  }

  static let formats: [PixelFormat] = [
    .gray8, .rgb8, .rgba8, PixelFormat(.u16, .gray), PixelFormat(.u16, .rgb, alpha: true),
  ]

  @Test("the format of the samples changes nothing", arguments: formats)
  func ofEveryFormat(_ format: PixelFormat) throws {
    let picture = Drawn.patches()
    let (one, other) = (try picture.traits(format), try picture.traits())
    #expect(one.fingerprint == other.fingerprint)
    #expect(abs(one.score - other.score) < 0.01)
    #expect(zip(one.attention.weights, other.attention.weights).allSatisfy { abs($0 - $1) < 0.001 })
  }

  static let sizes: [(Int, Int)] = [
    (1, 1), (1, 40), (40, 1), (2, 3), (15, 15), (17, 16), (384, 19), (19, 384), (384, 1),
  ]

  @Test("tiny and narrow pictures have traits", arguments: sizes)
  func ofEverySize(_ size: (Int, Int)) throws {
    for format in Self.formats {
      let traits = try Drawn.patches(size.0, size.1).traits(format)
      for value in [traits.sharpness, traits.exposure, traits.contrast, traits.score] {
        #expect((0...1).contains(value), "\(size)")
      }
      #expect(abs(traits.attention.weights.reduce(0, +) - 1) < 1e-4)
      #expect(!traits.colours.isEmpty)
    }
  }

  @Test("a plain picture has even attention and no edge")
  func plain() throws {
    let traits = try Drawn.gray(200, 100) { _, _ in 0.5 }.traits()
    #expect(traits.attention == .even)
    #expect((traits.sharpness, traits.contrast, traits.score) == (0, 0, 0))
    #expect(traits.exposure == 1 && traits.horizon == nil)
  }

  @Test("transparent parts count as white")
  func transparent() throws {
    let traits = try Drawn(100, 100) { x, _ in SIMD4(0, 0, 0, x < 50 ? 1 : 0) }.traits(.rgba8)
    let white = try Drawn(100, 100) { x, _ in x < 50 ? SIMD4(0, 0, 0, 1) : SIMD4(1, 1, 1, 1) }.traits(.rgba8)
    #expect(traits == white)
    #expect(traits.colours.map(\.hexadecimal).sorted() == ["#000000", "#ffffff"])
  }

  @Test("a record gives the same traits to the last bit, and a damaged one none")
  func records() throws {
    let traits = try Drawn.patches().traits()
    let bytes = traits.stored
    #expect(PictureTraits(stored: bytes) == traits)
    #expect(PictureTraits(stored: bytes + [0]) == nil)
    for count in 0..<bytes.count { #expect(PictureTraits(stored: Array(bytes.prefix(count))) == nil) }
    // Shares above 1 and numbers that are none.
    for value in [2.0, .nan, .infinity, -0.5] {
      var wrong = bytes
      withUnsafeBytes(of: value) { wrong.replaceSubrange(0..<8, with: $0) }
      #expect(PictureTraits(stored: wrong) == nil, "\(value)")
    }
    var heavy = bytes
    withUnsafeBytes(of: Float(0.9)) { heavy.replaceSubrange(40..<44, with: $0) }
    #expect(PictureTraits(stored: heavy) == nil)
  }
}
