import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Scheduling

/// Collects the events of a run for its report page. Safe to use from any thread.
///
/// Memory use is bounded: of a million outputs, only the first ones are stored, and the others are counted.
package final class ReportLog: RunObserver {
  /// The maximum number of outputs, messages and printed lines that a page lists.
  package static let mostOutputs = 400
  package static let mostMessages = 200
  package static let mostPrinted = 100

  package struct Written: Sendable {
    package let byteCount: Int
    package let layout: PictureLayout?
    package let quality: Int?
  }

  package struct State: Sendable {
    /// The first written outputs, by their paths.
    package var written: [String: Written] = [:]
    /// The paths in the order in which the outputs were written.
    package var order: [String] = []
    package var totals = Run.Totals()
    package var messages: [ReportFacts.Message] = []
    package var furtherMessages = 0
    package var printed: [String] = []
    package var furtherPrinted = 0
    fileprivate var known: Set<String> = []

    fileprivate mutating func add(_ message: ReportFacts.Message) {
      guard messages.count < ReportLog.mostMessages else {
        furtherMessages += 1
        return
      }
      if known.insert(message.text).inserted { messages.append(message) }
    }
  }

  private let state = Monitor(State())
  /// The start time, from `monotonicSeconds`.
  package let startedAt = monotonicSeconds()

  package init() {}

  package var snapshot: State { state.withLock { $0 } }

  package func observe(_ event: RunEvent) {
    state.withLock { state in
      switch event {
      case .started, .pictureDone, .verified: break
      case .kept: state.totals.kept += 1
      case .wrote(let path, let byteCount, let layout, let quality):
        state.totals.written += 1
        state.totals.byteCount.addClamping(byteCount)
        guard state.order.count < Self.mostOutputs * 10 else { return }
        state.written[path] = Written(byteCount: byteCount, layout: layout, quality: quality)
        state.order.append(path)
      case .failed(let diagnostic):
        if diagnostic.kind != .verification { state.totals.failed += 1 }
        state.add(ReportFacts.Message(.error, diagnostic))
      case .note(let diagnostic): state.add(ReportFacts.Message(.warning, diagnostic))
      case .cancelled: state.totals.cancelled += 1
      }
    }
  }

  package func observe(_ event: PluginEvent) {
    guard case .log(let plugin, let isWarning, let text) = event else { return }
    let message = ReportFacts.Message(isWarning ? .warning : .note, "plugin '\(plugin)': \(text)")
    state.withLock { $0.add(message) }
  }

  package func printed(_ line: String, outputTakesLines: Bool) {
    state.withLock { state in
      if state.printed.count < Self.mostPrinted {
        state.printed.append(line)
      } else {
        state.furtherPrinted += 1
      }
    }
  }
}

extension ReportFacts.Message {
  package init(_ kind: Kind, _ diagnostic: Diagnostic) {
    self.init(kind, diagnostic.text, at: diagnostic.position)
  }
}
