/// Which part of a picture stays when it is cut, or where it is put when it is padded.
struct Gravity: Hashable, Sendable {
  /// -1 left, 0 centre, 1 right.
  let x: Int
  /// -1 top, 0 centre, 1 bottom.
  let y: Int

  static let centre = Gravity(x: 0, y: 0)

  /// Where a smaller side begins in a larger one, given the difference of their lengths.
  func offset(_ spare: Int, _ direction: Int, roundUp: Bool) -> Int {
    switch direction {
    case -1: 0
    case 1: spare
    // Rounds down for a negative difference too: something larger than what it lies on.
    default: (spare + (roundUp ? 1 : 0)) >> 1
    }
  }

  /// Nil for a name that is not among `names`.
  init?(name: String) {
    guard let found = Self.named.first(where: { $0.name == name }) else { return nil }
    self = found.gravity
  }

  /// sharp's positions, then its gravities.
  static let names = named.map(\.name)

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

  init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}

/// What a script can say about the place of a cut: sharp's positions, gravities and strategies.
enum Placement: Hashable, Sendable {
  case gravity(Gravity)
  case smart(SmartCropStrategy)

  /// A name from `names`.
  init(name: String) {
    if let strategy = SmartCropStrategy(rawValue: name) {
      self = .smart(strategy)
    } else {
      self = .gravity(Gravity(name: name) ?? .centre)
    }
  }

  /// Every name there is.
  static let names = Gravity.names + SmartCropStrategy.allCases.map(\.rawValue)
}
