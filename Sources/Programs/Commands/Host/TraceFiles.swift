import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting
import RunTrace
import Scheduling

/// The files of `--trace`, `--timeline` and `--report`. Safe to use from any thread.
///
/// The files are opened before the run, so that an unwritable path is reported at once. They are renamed into place
/// when they are complete.
final class TraceFiles: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case trace, timeline
    /// The report is written last.
    case report

    var option: String { "--" + rawValue }
  }

  private struct State {
    var files: [(kind: Kind, file: OutputFile)]
    var workers = 1
    var droppedCount = 0
  }

  let recorder: TraceRecorder
  private let state: Monitor<State>

  /// Opens the files that the command line requests; in a dry run, only the report. Returns nil if none is requested.
  ///
  /// - Parameter script: the script's path, which must not be replaced.
  init?(_ line: ParsedLine, script: String, options: RunOptions) throws(UsageError) {
    var files: [(kind: Kind, file: OutputFile)] = []
    var places = OutputPlaces(options)
    let kinds = line.has("--dry-run") ? [.report] : Kind.allCases
    for kind in kinds {
      guard let path = line.value(kind.option) else { continue }
      let file = try OwnFile.open(
        path, for: kind.option, script: script, others: files.map { ($0.file.path, $0.kind.option) }, in: &places,
        beginnings: [ChromeTrace.beginning, Timeline.beginning, ReportPage.beginning],
        what: "a trace, timeline or report")
      files.append((kind, file))
    }
    guard !files.isEmpty else { return nil }
    recorder = TraceRecorder()
    state = Monitor(State(files: files))
  }

  var paths: [(path: String, option: String)] {
    state.withLock { state in state.files.map { ($0.file.path, $0.kind.option) } }
  }

  /// - Parameter workers: the number of workers of each kind in the scheduler.
  func begin(workers: Int) { state.withLock { $0.workers = workers } }

  /// Ends the recording, because later events do not belong to the run.
  func end() { recorder.end() }

  /// Writes all files at the end of a run. Later calls wait for the first one and then do nothing.
  ///
  /// - Parameters:
  ///   - read: files that must not be replaced.
  ///   - page: creates the page of the report.
  /// - Returns: The failures.
  func write(_ read: RunFiles? = nil, page: ((TraceRecord) -> String)?) -> [Diagnostic] {
    recorder.end()
    return state.withLock { state in
      let files = state.files
      state.files = []
      guard !files.isEmpty else { return [] }
      let record = recorder.record(workers: state.workers)
      state.droppedCount = record.droppedCount
      return files.compactMap { kind, file in
        file.finish(for: kind.option, read) { file throws(PictureError) in
          try Self.write(record, kind, page, to: file)
        }
      }
    }
  }

  func discard() {
    recorder.end()
    let files = state.withLock { state in
      defer { state.files = [] }
      return state.files
    }
    for (_, file) in files { file.discard() }
  }

  private static func write(
    _ record: TraceRecord, _ kind: Kind, _ page: ((TraceRecord) -> String)?, to file: OutputFile
  ) throws(PictureError) {
    func put(_ text: String) throws(PictureError) {
      var failure: PictureError?
      var text = text
      text.withUTF8 { bytes in
        do throws(PictureError) {
          try file.write(UnsafeRawBufferPointer(bytes))
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
    }
    switch kind {
    case .trace: try ChromeTrace(record).write(to: put)
    case .timeline: try put(Timeline(record).svg)
    case .report: try put(page?(record) ?? "")
    }
  }

  /// The note for the end of the run about events that were not recorded; empty if there are none.
  var notes: [String] {
    let dropped = state.withLock { $0.droppedCount }
    guard dropped > 0 else { return [] }
    return ["the trace lacks the last \(dropped) event\(dropped == 1 ? "" : "s"), which exceeded its memory"]
  }

  static func dryRunNotes(_ line: ParsedLine) -> [String] {
    guard line.has("--dry-run") else { return [] }
    return [Kind.trace.option, Kind.timeline.option, ManifestFile.option.name].filter(line.has).map {
      "\($0) has nothing to show in a dry run; no file was written"
    }
  }
}
