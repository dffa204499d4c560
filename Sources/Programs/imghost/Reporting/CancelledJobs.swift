import ImagePipeline

/// What is said at the end about jobs that were cancelled, and why.
///
/// `book.lua:7: book 'a.pdf' was cancelled, because the script cancelled it at book.lua:9`
enum CancelledJobs {
  /// More are counted only.
  private static let most = 10

  static func lines(_ run: Run) -> [String] {
    let cancelled = run.jobs.filter(\.result.isCancelled)
    var lines = cancelled.prefix(most).map(line)
    if cancelled.count > most {
      lines.append("and \(cancelled.count - most) more jobs were cancelled")
    }
    return lines.map { printable($0) }
  }

  private static func line(_ job: Job) -> String {
    let result = job.result
    let missing = result.outputs.filter { $0.byteCount == nil && $0.failure == nil }
    let first = missing.first.map { " '\($0.path)'" } ?? ""
    let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
    let place = job.position.map { "\($0.file):\($0.line): " } ?? ""
    let reason = result.reason.map { ", because \($0)" } ?? ""
    let verb = missing.count > 1 ? "were" : "was"
    return "\(place)\(job.kind.rawValue)\(first)\(more) \(verb) cancelled\(reason)"
  }
}
