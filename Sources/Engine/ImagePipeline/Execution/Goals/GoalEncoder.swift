import ImageCore
import Synchronization

/// Collects all rows of a picture, finds the quality that makes its file meet a goal, and writes only the file of that
/// quality.
///
/// The file equals that of a plain `save` at this quality, byte for byte.
final class GoalEncoder: PictureEncoder {
  private typealias Trial = QualityTrials.Trial

  private let goal: QualityGoal
  private let trials: QualityTrials
  private let sink: any ByteSink
  private let context: OperationContext
  private var rows = 0
  /// The quality of the file; nil before it is written.
  private(set) var found: Int?

  /// The maximum number of qualities that are tried at once: the next one, and those that would follow its two possible
  /// outcomes.
  private static let mostAtOnce = 3

  init(
    _ goal: QualityGoal, _ format: SaveFormat, to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata,
    context: OperationContext
  ) {
    self.goal = goal
    self.sink = sink
    self.context = context
    trials = QualityTrials(
      frame: PixelBuffer(layout), format: format, metadata: metadata, context: context.onOneWorker)
  }

  /// Predicts the memory in bytes of the collected picture, and that of the search after the last row.
  static func byteCounts(_ goal: QualityGoal, _ format: SaveFormat, _ layout: PictureLayout, parallelism: Int)
    -> (frame: Int, search: Int)
  {
    // The best file so far is in memory in addition to the files being encoded.
    let count = min(mostAtOnce, parallelism) + 1
    return (PixelBuffer.byteCount(layout), count * QualityTrials.byteCount(goal, format, layout))
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    let frame = trials.frame
    for row in 0..<count {
      frame.row(self.rows + row).copyMemory(from: rows + row * stride, byteCount: frame.layout.rowByteCount)
    }
    self.rows += count
  }

  func finish() throws(PictureError) {
    precondition(rows == trials.frame.layout.height, "a picture is searched before its last row")
    let file = if let target = goal.similarity { try similarFile(target) } else { try smallFile(goal.qualities) }
    found = file.quality
    try file.bytes.withUnsafeBytes { bytes throws(PictureError) in try sink.write(bytes) }
  }

  /// Returns the file of the lowest quality that is similar enough. If that file is too large, or if no quality is
  /// similar enough and the size is limited, returns the file of the highest quality that is small enough. Throws if no
  /// quality meets the goal.
  private func similarFile(_ target: Double) throws(PictureError) -> Trial {
    var search = QualitySearch.similarity(goal.qualities, start: goal.start, target)
    let ends = try run(&search, limit: nil) { QualitySearch.measure(similarity: $0.similarity!) }
    let limit = goal.maximumByteCount
    if let found = ends.above {
      guard let limit, found.byteCount > limit else { return found }
      guard found.quality > goal.qualities.lowerBound else { throw tooLarge(found, limit) }
      return try smallFile(goal.qualities.lowerBound...found.quality - 1)
    }
    guard let best = ends.below else { preconditionFailure("a search without a trial") }
    if let limit { return best.byteCount <= limit ? best : try smallFile(goal.qualities) }
    throw problem(.notReached(similarity: best.similarity!, quality: best.quality, target: target))
  }

  /// Returns the file of the highest quality that is small enough; throws if none is.
  private func smallFile(_ qualities: ClosedRange<Int>) throws(PictureError) -> Trial {
    guard let limit = goal.maximumByteCount else { preconditionFailure("a file without a goal") }
    var search = QualitySearch.size(qualities, start: goal.start, byteCount: limit)
    let ends = try run(&search, limit: limit) { QualitySearch.measure(byteCount: $0.byteCount) }
    if let found = ends.below { return found }
    guard let smallest = ends.above else { preconditionFailure("a search without a trial") }
    throw tooLarge(smallest, limit)
  }

  private func tooLarge(_ trial: Trial, _ limit: Int) -> PictureError {
    problem(.tooLarge(byteCount: trial.byteCount, quality: trial.quality, limit: limit))
  }

  private func problem(_ error: QualityGoalError) -> PictureError { .operation(.unsuitable(error.description)) }

  /// Runs a search to its end, and returns the trials directly below and above its limit.
  private func run(_ search: inout QualitySearch, limit: Int?, _ measure: (Trial) -> Double) throws(PictureError)
    -> (below: Trial?, above: Trial?)
  {
    var known: [Int: Result<Trial, PictureError>] = [:]
    while let quality = search.next {
      if known[quality] == nil {
        let wanted = search.likely(min(Self.mostAtOnce, context.parallelism)).filter { known[$0] == nil }
        known.merge(zip(wanted, attempt(wanted, limit: limit))) { first, _ in first }
      }
      // An error is thrown only if a search on one worker would meet it, too.
      guard let trial = try known[quality]?.get() else { preconditionFailure("the next quality is likely") }
      search.add(measure(trial))
      let ends = (search.below?.quality ?? .min)...(search.above?.quality ?? .max)
      known = known.filter { ends.contains($0.key) }
    }
    func end(_ point: QualitySearch.Point?) throws(PictureError) -> Trial? {
      guard let quality = point?.quality else { return nil }
      return try known[quality]?.get()
    }
    return (try end(search.below), try end(search.above))
  }

  /// Tries several qualities at once.
  private func attempt(_ qualities: [Int], limit: Int?) -> [Result<Trial, PictureError>] {
    let results = Mutex([Result<Trial, PictureError>?](repeating: nil, count: qualities.count))
    let trials = trials
    context.parallelFor(qualities.count) { index in
      let result = Result { () throws(PictureError) in try trials.run(qualities[index], limit: limit) }
      results.withLock { $0[index] = result }
    }
    return results.withLock { $0.map { $0! } }
  }
}
