import ImageCore

/// Finds equal pictures, so that they are computed only once. Pictures are equal if the same operation makes them with
/// equal arguments from equal pictures.
struct EqualPictures {
  private enum Step: Hashable {
    case source(ObjectIdentifier, orient: Bool, acceptsDamage: Bool)
    case canvas(PictureLayout, Colour)
    case operation(ObjectIdentifier, name: String, Arguments)
    /// A step that is equal to no other.
    case single(ObjectIdentifier)
  }

  private struct Key: Hashable {
    let step: Step
    let inputs: [ObjectIdentifier]
  }

  /// The first picture with each key.
  private var firsts: [Key: Picture] = [:]
  private var known: [ObjectIdentifier: Picture] = [:]
  /// All pictures so far. They are kept because their addresses are used as keys.
  private var kept: [Picture] = []

  var isEmpty: Bool { kept.isEmpty }

  /// Returns the picture that represents all pictures equal to this one.
  ///
  /// Uses a loop instead of recursion, because a script may chain thousands of operations.
  mutating func representative(of picture: Picture) -> Picture {
    var pending = [picture]
    while let last = pending.last {
      guard known[ObjectIdentifier(last)] == nil else {
        pending.removeLast()
        continue
      }
      let missing = last.inputs.filter { known[ObjectIdentifier($0)] == nil }
      if missing.isEmpty {
        pending.removeLast()
        enter(last)
      } else {
        pending += missing
      }
    }
    return known[ObjectIdentifier(picture)]!
  }

  private mutating func enter(_ picture: Picture) {
    let inputs = picture.inputs.map { known[ObjectIdentifier($0)]! }
    let key = Key(step: Self.step(picture), inputs: inputs.map { ObjectIdentifier($0) })
    let first: Picture
    if let other = firsts[key] {
      first = other
    } else {
      let isOwn = zip(inputs, picture.inputs).allSatisfy { $0 === $1 }
      first =
        isOwn
        ? picture
        : Picture(
          picture.step, inputs: inputs, position: picture.position, origin: picture.origin)
      firsts[key] = first
    }
    known[ObjectIdentifier(picture)] = first
    known[ObjectIdentifier(first)] = first
    kept.append(picture)
  }

  private static func step(_ picture: Picture) -> Step {
    switch picture.step {
    case .source(let file, let orient, let acceptsDamage):
      .source(ObjectIdentifier(file), orient: orient, acceptsDamage: acceptsDamage)
    case .canvas(let layout, let colour): .canvas(layout, colour)
    case .operation(let name, let operation, let arguments):
      .operation(ObjectIdentifier(type(of: operation)), name: name, arguments)
    case .invalid: .single(ObjectIdentifier(picture))
    }
  }

  /// Returns whether no two pictures can be equal, because each is made from a different file. Unlike `representative`,
  /// this function keeps no pictures in memory.
  static func areAllDifferent(_ pictures: [Picture]) -> Bool {
    var files: Set<ObjectIdentifier> = []
    files.reserveCapacity(pictures.count)
    for picture in pictures {
      guard let file = picture.origin, files.insert(ObjectIdentifier(file)).inserted, !picture.hasArguments
      else { return false }
    }
    return true
  }
}

extension Picture {
  /// Whether any of the picture's operations has another picture among its arguments.
  fileprivate var hasArguments: Bool { chain.contains { $0.inputs.count > 1 } }
}
