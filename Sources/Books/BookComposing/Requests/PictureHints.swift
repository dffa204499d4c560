import BookDesign
import ImageCore
import ImagePipeline
import PictureTraits
import Synchronization

/// The hints of a script for its pictures in books.
///
/// All requests for books share one object, because a hint also applies to requests that were made before it.
final class PictureHints: Sendable {
  /// The hints by their pictures, which are kept alive so that no other picture has the same `ObjectIdentifier`.
  private let entries = Mutex<[ObjectIdentifier: (picture: Picture, hint: DesignHint)]>([:])

  /// The hint for exactly this picture; nil for none.
  subscript(picture: Picture) -> DesignHint? { entries.withLock { $0[ObjectIdentifier(picture)]?.hint } }

  /// Sets the hint of a picture; returns whether it had none.
  func set(_ hint: DesignHint, for picture: Picture) -> Bool {
    entries.withLock { $0.updateValue((picture, hint), forKey: ObjectIdentifier(picture)) == nil }
  }

  /// Returns the hint for a picture or, if there is none, for the nearest picture from which it was made, following
  /// only first inputs; nil if there is none either. The part to keep is not inherited, because an operation may have
  /// moved it.
  func hint(for picture: Picture) -> DesignHint? {
    if entries.withLock(\.isEmpty) { return nil }
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

/// The options of `img.hint`. None has a default: a later hint for a picture changes only what it names.
package enum HintParameters {
  /// The options in the order of help.
  package static let all: [ParameterDescriptor] = [
    ParameterDescriptor(
      "hero", .boolean, help: "whether the picture gets a page to itself, as large as the style allows"),
    ParameterDescriptor(
      "keep", .numbers(4...4),
      help: "the part that no crop may cut: x, y, width and height in shares of the upright picture, or photo.attention"
    ),
    ParameterDescriptor("skip", .boolean, help: "whether the picture stays out of the book"),
    ParameterDescriptor("caption", .text, help: "the text that replaces the caption of the book"),
    ParameterDescriptor("page", .choice(["new"]), help: "'new' if the picture begins a page"),
    ParameterDescriptor("score", .number(0...1), help: "the rank that replaces photo.score"),
  ]

  /// The keys of the four numbers of `keep` in a table, in the order of the numbers in a list.
  static let partNames = ["x", "y", "w", "h"]
}

extension BookRequests {
  /// Records a hint for pictures, and combines it with earlier hints for them. Mistakes are collected.
  package func hint(_ pictures: [Picture], _ raw: RawArguments, at position: ScriptPosition?) {
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(withPartAsList(raw), parameters: HintParameters.all, positionalCount: 0)
    } catch {
      return graph.report(error, of: "hint", position)
    }
    let keep = arguments.optionalNumbers("keep").map {
      UnitRectangle(left: $0[0], top: $0[1], width: $0[2], height: $0[3])
    }
    if let problem = keep.flatMap(Self.problem) { return graph.report("hint", problem, position) }
    for picture in pictures {
      var hint = hints[picture] ?? DesignHint()
      if arguments.has("hero") { hint.hero = arguments.boolean("hero") }
      if arguments.has("skip") { hint.skip = arguments.boolean("skip") }
      if let keep { hint.keep = keep }
      hint.caption = arguments.optionalText("caption") ?? hint.caption
      hint.startsPage = hint.startsPage || arguments.has("page")
      hint.score = arguments.optionalNumber("score") ?? hint.score
      if let other = hint.hero ? "hero = true" : hint.startsPage ? "page = \"new\"" : nil, hint.skip {
        return graph.report(
          "hint", "skip leaves the picture out of the book, which contradicts \(other); remove one", position)
      }
      if hints.set(hint, for: picture) {
        graph.recordedByteCount += Self.hintByteCount + (hint.caption?.recordedByteCount ?? 0)
      }
    }
  }

  /// Returns the arguments with `keep = { x = 0.1, y = 0.2, w = 0.5, h = 0.5 }` as a list. Other tables are left for
  /// the check of lists to report.
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
