import ImageCore

/// Predicts processor time in nanoseconds, from headers and the costs of codecs. Round numbers are enough, because
/// shards only need about equal shares.
///
/// Only integers are used, so that every machine divides a script in the same way.
enum WorkEstimate {
  /// The part of an output's time that does not depend on its pixels: opening, planning and naming.
  private static let fixed = 300_000

  /// The time for a pixel of an operation's result.
  private static let operation = 4
  /// The time to encode a pixel of a document.
  private static let entry = 6

  private static func pixels(_ layout: PictureLayout) -> Int { layout.width * layout.height }

  /// Predicts the time to read a source picture.
  ///
  /// - Parameter ends: the pictures made from it. Some decoders are faster for small results.
  static func source(_ picture: Picture, for ends: [Picture]) -> Int {
    guard case .source(let file, _, _) = picture.step, let contents = try? file.read() else { return fixed }
    let all = pixels(contents.header.layout)
    let largest = ends.compactMap { try? $0.info().layout }.map(pixels).max() ?? all
    let cost = contents.codec.cost
    // The planner keeps twice the required width and height.
    return fixed + all * cost.stored + min(all, largest * 4) * cost.decoded
  }

  /// Predicts the time for the operations between a source and a picture.
  static func operations(of picture: Picture) -> Int {
    var sum = 0
    for step in picture.chain where !step.inputs.isEmpty {
      if let layout = try? step.info().layout { sum += pixels(layout) * operation }
    }
    return sum
  }

  static func encoding(_ file: FileOutput) -> Int {
    guard file.use == nil, let layout = try? file.picture.info().layout else { return fixed }
    // Finding the quality for a goal takes about six trials.
    return fixed + pixels(layout) * file.format.codec.cost.encoded * (file.goal == nil ? 1 : 6)
  }

  static func encoding(_ page: DocumentEntry) -> Int {
    guard page.copiesSource == nil, let layout = try? page.picture.info().layout else { return fixed }
    return fixed + pixels(layout) * entry
  }
}
