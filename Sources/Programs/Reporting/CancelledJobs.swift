import ImagePipeline

/// The lines at the end of a run about cancelled jobs.
///
/// `book.lua:7: book 'a.pdf' was cancelled, because the script cancelled it at book.lua:9`
enum CancelledJobs {
  /// The most jobs that get a line; more are counted only.
  private static let most = 10

  static func lines(_ run: Run) -> [String] {
    let cancelled = run.jobs.filter(\.result.isCancelled)
    var lines = cancelled.prefix(most).map(line)
    let more = cancelled.count - most
    if more > 0 { lines.append("\(more) more job\(more == 1 ? " was" : "s were") cancelled") }
    return lines.map { printable($0) }
  }

  private static func line(_ job: Job) -> String {
    let result = job.result
    let missing = result.outputs.filter { $0.byteCount == nil && $0.failure == nil }
    return line(
      job.kind.rawValue, at: job.position, missing: missing.map(\.path),
      reason: result.reason.map { "\($0)" })
  }

  /// The line about one job.
  ///
  /// - Parameter missing: the paths of the outputs that are not written.
  static func line(_ kind: String, at position: ScriptPosition?, missing: [String], reason: String?) -> String {
    let place = position.map { "\($0.file):\($0.line): " } ?? ""
    let first = missing.first.map { " '\($0)'" } ?? ""
    let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
    let verb = missing.count > 1 ? "were" : "was"
    return "\(place)\(kind)\(first)\(more) \(verb) cancelled" + (reason.map { ", because \($0)" } ?? "")
  }
}
