import BookDesign
import LuaBindings
import PictureTraits

/// Styles, papers and pictures for tests.
enum Samples {
  static func style(_ name: String) throws -> DesignStyle {
    let value = try TemplateFile.value(of: DesignStyle.source(named: name)) { fatalError($0) }
    return try DesignStyle(value, file: "\(name).lua", addingTo: DesignStyle(name: name, templates: []))
  }

  static func paper(_ width: Double, _ height: Double, _ style: DesignStyle) -> DesignPaper {
    let side = min(width, height)
    return DesignPaper(
      width: width, height: height,
      margins: .init(
        top: style.margins.top * side, bottom: style.margins.bottom * side, inner: style.margins.inner * side,
        outer: style.margins.outer * side), gap: style.gap * side)
  }

  static let square = (width: 566.9, height: 566.9)
  static let landscape = (width: 841.9, height: 595.3)
  static let portrait = (width: 595.3, height: 841.9)
}

/// A random number generator with the same numbers in each run: SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// Pictures of many shapes, some without traits, some with captions and hints.
  mutating func pictures(_ count: Int) -> ([DesignPicture], [DesignHint]) {
    var pictures: [DesignPicture] = []
    var hints: [DesignHint] = []
    var time = 0.0
    for _ in 0..<count {
      let (width, height) = size()
      time += Double.random(in: 1...4000, using: &self)
      pictures.append(
        DesignPicture(
          width: width, height: height, time: Int.random(in: 0..<9, using: &self) == 0 ? nil : time,
          traits: Int.random(in: 0..<8, using: &self) == 0 ? nil : traits()))
      var hint = DesignHint()
      switch Int.random(in: 0..<40, using: &self) {
      case 0: hint.hero = true
      case 1: hint.skip = true
      case 2: hint.startsPage = true
      case 3: hint.keep = UnitRectangle(left: 0.1, top: 0.2, width: 0.8, height: 0.7)
      case 4: hint.score = 0.9
      default: break
      }
      hints.append(hint)
    }
    return (pictures, hints)
  }

  private mutating func size() -> (Int, Int) {
    switch Int.random(in: 0..<20, using: &self) {
    case 0: (20_000, 1_000)
    case 1: (1, 1)
    case 2: (2_000, 2_000)
    case 3...6: (3_000, 4_000)
    case 7: (700, 3_000)
    case 8: (320, 240)
    case 9: (6_000, 2_500)
    default: (6_000, 4_000)
    }
  }

  private mutating func traits() -> PictureTraits {
    var weights = (0..<256).map { _ in Float.random(in: 0...0.2, using: &self) }
    let (x, y) = (Int.random(in: 1..<15, using: &self), Int.random(in: 1..<15, using: &self))
    for row in (y - 1)...(y + 1) { for column in (x - 1)...(x + 1) { weights[row * 16 + column] += 3 } }
    return PictureTraits(
      sharpness: .random(in: 0...1, using: &self), exposure: .random(in: 0...1, using: &self),
      contrast: .random(in: 0...1, using: &self), attention: AttentionMap(weights), fingerprint: next())
  }
}
