/// The side, corner or centre that cropping keeps, or that a padded picture is aligned to.
public struct Gravity: Hashable, Sendable {
  /// The horizontal direction: -1 left, 0 centre, 1 right.
  public let x: Int
  /// The vertical direction: -1 top, 0 centre, 1 bottom.
  public let y: Int

  public static let centre = Gravity(x: 0, y: 0)

  /// Returns the offset for placing a smaller side in a larger one.
  ///
  /// - Parameters:
  ///   - spare: the larger length minus the smaller one; negative if the picture is larger than its place.
  ///   - direction: `x` or `y`.
  ///   - roundUp: whether to round up half a pixel when centring.
  public func offset(_ spare: Int, _ direction: Int, roundUp: Bool) -> Int {
    switch direction {
    case -1: 0
    case 1: spare
    // The shift also rounds down for a negative difference.
    default: (spare + (roundUp ? 1 : 0)) >> 1
    }
  }

  /// Looks up a name; nil if it is not among `names`.
  public init?(name: String) {
    guard let found = Self.named.first(where: { $0.name == name }) else { return nil }
    self = found.gravity
  }

  /// The names of the positions of sharp (the Node.js library), followed by those of its gravities.
  public static let names = named.map(\.name)

  /// The names other than the first of a gravity, each with the first: for example, `top` for `north`.
  package static let equalNames = [String: String](
    uniqueKeysWithValues: named.map { ($0.name, name(of: $0.gravity)) }.filter { $0.0 != $0.1 })

  /// Returns the first name of a gravity.
  static func name(of gravity: Gravity) -> String { named.first { $0.gravity == gravity }?.name ?? "centre" }

  private static let named: [(name: String, gravity: Gravity)] = [
    ("centre", .centre), ("center", .centre),
    ("top", Gravity(x: 0, y: -1)), ("right top", Gravity(x: 1, y: -1)),
    ("right", Gravity(x: 1, y: 0)), ("right bottom", Gravity(x: 1, y: 1)),
    ("bottom", Gravity(x: 0, y: 1)), ("left bottom", Gravity(x: -1, y: 1)),
    ("left", Gravity(x: -1, y: 0)), ("left top", Gravity(x: -1, y: -1)),
    ("north", Gravity(x: 0, y: -1)), ("northeast", Gravity(x: 1, y: -1)),
    ("east", Gravity(x: 1, y: 0)), ("southeast", Gravity(x: 1, y: 1)),
    ("south", Gravity(x: 0, y: 1)), ("southwest", Gravity(x: -1, y: 1)),
    ("west", Gravity(x: -1, y: 0)), ("northwest", Gravity(x: -1, y: -1)),
  ]

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}

/// A strategy for finding the most interesting part of a picture. The strategies are those of sharp, which are modes of
/// `vips_smartcrop`.
public enum SmartCropStrategy: String, CaseIterable, Sendable {
  /// Keeps the part whose histogram has the most entropy.
  case entropy
  /// Keeps edges, skin tones and red colours.
  case attention
}

/// The part that cropping keeps, as scripts give it: one of sharp's positions, gravities or strategies.
public enum CropPosition: Hashable, Sendable {
  case gravity(Gravity)
  case smart(SmartCropStrategy)
  /// A position that the design of a book has determined. Scripts have no name for it.
  case focus(CropFocus)

  /// - Parameter name: one of `names`; any other name means the centre.
  public init(name: String) {
    if let strategy = SmartCropStrategy(rawValue: name) {
      self = .smart(strategy)
    } else {
      self = .gravity(Gravity(name: name) ?? .centre)
    }
  }

  /// A name for `init(name:)`. For a `focus`, which has no name, it is that of the centre.
  public var name: String {
    switch self {
    case .gravity(let gravity): Gravity.name(of: gravity)
    case .smart(let strategy): strategy.rawValue
    case .focus: Gravity.name(of: .centre)
    }
  }

  /// All valid names.
  public static let names = Gravity.names + SmartCropStrategy.allCases.map(\.rawValue)
}

/// The position of the kept part in a picture: the share of the removed columns that is to its left, and the share of
/// the removed rows that is above it, each from 0 to 1.
public struct CropFocus: Hashable, Sendable {
  public let x: Double
  public let y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

extension Gravity {
  /// The position as a `CropFocus`.
  public var focus: CropFocus { CropFocus(x: Double(x + 1) / 2, y: Double(y + 1) / 2) }
}
