import ImagePipeline

/// The lines at the end of a run about cancelled jobs.
///
/// `book.lua:7: book 'a.pdf' was cancelled, because the script cancelled it at book.lua:9`
enum CancelledJobs {
  /// The most jobs that get a line; more are counted only.
  private static let most = 10

  static func lines(_ run: Run) -> [Diagnostic] {
    let cancelled = run.jobs.filter(\.result.isCancelled)
    var lines = cancelled.prefix(most).map(line)
    let more = cancelled.count - most
    if more > 0 {
      lines.append(
        Diagnostic(.output, at: nil, message: "\(more) more job\(more == 1 ? " was" : "s were") cancelled"))
    }
    return lines
  }

  private static func line(_ job: Job) -> Diagnostic {
    let result = job.result
    let missing = result.outputs.filter { $0.byteCount == nil && $0.failure == nil }
    let message = line(
      job.kind.rawValue, at: nil, missing: missing.map(\.path), reason: result.reason.map { "\($0)" })
    return Diagnostic(.output, at: job.position, message: message)
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
