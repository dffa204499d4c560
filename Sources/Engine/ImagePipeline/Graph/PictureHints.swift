import ImageCore
import PictureTraits

/// The wishes of a script for its pictures in books.
struct PictureHints: Sendable {
  /// By pictures' identities. Each picture is held, so that no other takes its identity.
  private var entries: [ObjectIdentifier: (picture: Picture, hint: DesignHint)] = [:]

  /// The hint that was given for the picture itself; nil for none.
  subscript(picture: Picture) -> DesignHint? { entries[ObjectIdentifier(picture)]?.hint }

  /// Sets the hint of a picture; returns whether it had none.
  mutating func set(_ hint: DesignHint, for picture: Picture) -> Bool {
    entries.updateValue((picture, hint), forKey: ObjectIdentifier(picture)) == nil
  }

  /// Returns the hint for a picture, or for the nearest of the pictures that it was made from; nil if there is none.
  /// The part to keep counts for the picture itself only: an operation may have moved it.
  func hint(for picture: Picture) -> DesignHint? {
    guard !entries.isEmpty else { return nil }
    var next: Picture? = picture
    while let current = next {
      if var hint = self[current] {
        if current !== picture { hint.keep = nil }
        return hint
      }
      next = current.inputs.first
    }
    return nil
  }
}

extension GraphBuilder {
  /// Records a hint for pictures, on top of earlier ones for them. Mistakes are collected.
  package func hint(_ pictures: [Picture], _ raw: RawArguments, at position: ScriptPosition?) {
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(withPartAsList(raw), parameters: HintParameters.all, positionalCount: 0)
    } catch {
      return report(error, of: "hint", position)
    }
    let keep = arguments.optionalNumbers("keep").map {
      UnitRectangle(left: $0[0], top: $0[1], width: $0[2], height: $0[3])
    }
    if let problem = keep.flatMap(Self.problem) { return report("hint", problem, position) }
    for picture in pictures {
      var hint = hints[picture] ?? DesignHint()
      if arguments.has("hero") { hint.hero = arguments.boolean("hero") }
      if arguments.has("skip") { hint.skip = arguments.boolean("skip") }
      if let keep { hint.keep = keep }
      hint.caption = arguments.optionalText("caption") ?? hint.caption
      hint.startsPage = hint.startsPage || arguments.has("page")
      hint.score = arguments.optionalNumber("score") ?? hint.score
      if let other = hint.hero ? "hero = true" : hint.startsPage ? "page = \"new\"" : nil, hint.skip {
        return report(
          "hint", "skip leaves the picture out of the book, which contradicts \(other); remove one", position)
      }
      if hints.set(hint, for: picture) {
        recordedByteCount += RecordedMemory.hint + (hint.caption?.recordedByteCount ?? 0)
      }
    }
  }

  /// `keep = { x = 0.1, y = 0.2, w = 0.5, h = 0.5 }` as a list. Other tables are left to the check of lists.
  private func withPartAsList(_ raw: RawArguments) -> RawArguments {
    var raw = raw
    for index in raw.named.indices where raw.named[index].name == "keep" {
      guard case .fields(let fields) = raw.named[index].value, Set(fields.keys) == Set(HintParameters.partNames) else {
        continue
      }
      raw.named[index].value = .list(HintParameters.partNames.map { fields[$0]! })
    }
    return raw
  }

  private static func problem(_ part: UnitRectangle) -> String? {
    let numbers = [part.left, part.top, part.width, part.height].map { ParameterValue.text($0) }
    let shown = "keep = { \(numbers.joined(separator: ", ")) }"
    guard part.width > 0, part.height > 0 else {
      return "\(shown) is empty; width and height are shares of the picture above 0"
    }
    guard UnitRectangle.whole.contains(part, tolerance: 1e-6) else {
      return "\(shown) reaches beyond the picture; all are shares of its width and height, from 0 to 1"
    }
    return nil
  }
}
