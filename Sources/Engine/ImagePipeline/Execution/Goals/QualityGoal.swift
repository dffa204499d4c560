import ImageCore

/// A goal that `save` reaches by adjusting the quality of a file: its size, its similarity to the picture, or both.
struct QualityGoal: Sendable, Hashable {
  /// The maximum number of bytes in the file; nil for no limit.
  let maximumByteCount: Int?
  /// The structural similarity to reach; nil for none.
  let similarity: Double?
  /// The qualities that may be tried. A given `quality` is the highest of them.
  let qualities: ClosedRange<Int>
  /// The quality that is tried first: a given one, or else the format's default.
  let start: Int

  /// The codec's parameter that the search varies.
  static let parameter = "quality"

  /// Codec options that replace `quality` in determining the loss.
  private static let substitutes = ["lossless", "psnr"]

  /// Returns the given option that makes `quality` meaningless; nil if there is none.
  static func substitute(_ arguments: Arguments) -> String? {
    substitutes.first { name in
      switch arguments[name] {
      case .boolean(true)?: true
      case .integer(let number)?: number != 0
      case .number(let number)?: number != 0
      default: false
      }
    }
  }

  /// Creates the goal that checked options set; nil if they set none.
  ///
  /// - Parameter codec: a codec that `takesGoals`.
  init?(_ arguments: Arguments, _ codec: any PictureCodec) {
    maximumByteCount = arguments.optionalInteger(SinkParameters.maximumByteCount.name)
    similarity = arguments.optionalNumber(SinkParameters.similarity.name)
    guard maximumByteCount != nil || similarity != nil, let all = Self.qualities(codec) else { return nil }
    let given = arguments.isGiven(Self.parameter)
    let usual = arguments.optionalInteger(Self.parameter) ?? all.upperBound
    qualities = all.lowerBound...(given ? usual : all.upperBound)
    start = usual
  }

  /// Returns whether unchecked options set a goal.
  static func isSet(in options: RawArguments) -> Bool {
    options.named.contains { given in SinkParameters.goals.contains { $0.name == given.name } }
  }

  /// Returns the options that set a goal, as they were given.
  static func given(_ arguments: Arguments) -> [(name: String, value: ParameterValue)] {
    arguments.given.filter { given in SinkParameters.goals.contains { $0.name == given.name } }
  }

  /// Returns whether an integer parameter called `quality` changes the size of a codec's files.
  static func takesGoals(_ codec: any PictureCodec) -> Bool {
    codec.writes && !codec.isLossless && qualities(codec) != nil
  }

  private static func qualities(_ codec: any PictureCodec) -> ClosedRange<Int>? {
    let kind = codec.saveParameters.first { $0.name == parameter }?.kind
    if case .integer(let range)? = kind { return range }
    return nil
  }

  /// Returns the options for a plain `save` at a quality.
  static func arguments(_ arguments: Arguments, quality: Int) -> Arguments { arguments.with(parameter, quality) }
}

/// The reason why no quality meets a goal.
enum QualityGoalError: Error, Equatable {
  /// Even at the lowest quality, the file has this many bytes.
  case tooLarge(byteCount: Int, quality: Int, limit: Int)
  /// Even at the highest quality, the file reaches only this similarity.
  case notReached(similarity: Double, quality: Int, target: Double)
}

extension QualityGoalError: CustomStringConvertible {
  var description: String {
    switch self {
    case .tooLarge(let byteCount, let quality, let limit):
      "at quality \(quality) the file still has \(byteCount) bytes, and 'max_bytes' is \(limit); resize the picture or "
        + "allow more bytes"
    case .notReached(let similarity, let quality, let target):
      "quality \(quality) reaches a similarity of \(Self.text(similarity)), and 'target' is \(Self.text(target)); lower "
        + "the target or use a lossless format"
    }
  }

  /// Returns a similarity with four digits, rounded down, so that it never seems to reach a target that it misses.
  private static func text(_ similarity: Double) -> String {
    ParameterValue.text((similarity * 10_000).rounded(.down) / 10_000)
  }
}
