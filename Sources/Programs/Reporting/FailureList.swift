import ImageCore
import ImagePipeline

/// Lists failures in the order of the script's lines. Failures with the same cause share a line.
package enum FailureList {
  package static func lines(_ failures: [Diagnostic]) -> [String] {
    var repetitions = RepeatedFailures()
    let first = Diagnostic.byPlace(failures).filter { repetitions.isNew($0) }
    return (first + repetitions.lines).map(\.text)
  }
}

/// Failures with the same cause: the first one is reported in full, the others are counted.
///
/// `m.lua:3: save: 1019 more outputs failed for the same reason: needs about 536 MB of memory, …`
struct RepeatedFailures {
  private struct Cause: Hashable {
    let position: ScriptPosition?
    let subject: String?
    /// The picture that caused the failure; nil if the output caused it.
    let file: String?
    let words: String
  }

  private var counts: [Cause: Int] = [:]
  private var causes: [Cause] = []

  /// Counts a failure. Returns whether it is the first with its cause.
  mutating func isNew(_ diagnostic: Diagnostic) -> Bool {
    // If one output cannot be written, others usually fail for the same reason, too.
    let isOfOutput = diagnostic.kind == .output && diagnostic.file != nil
    guard let words = diagnostic.cause ?? (isOfOutput ? diagnostic.message : nil) else { return true }
    // The message about an output consists only of its cause; see `Diagnostic`.
    let isOfPicture = !diagnostic.message.elementsEqual(words)
    let cause = Cause(
      position: diagnostic.position, subject: diagnostic.subject,
      file: isOfPicture ? diagnostic.file : nil, words: words)
    counts[cause, default: 0] += 1
    if counts[cause] == 2 { causes.append(cause) }
    return counts[cause] == 1
  }

  /// The lines for all causes with repeated failures.
  var lines: [Diagnostic] {
    causes.map { cause in
      let count = counts[cause, default: 1] - 1
      return Diagnostic(
        .output, at: cause.position, subject: cause.subject, file: cause.file,
        message:
          "\(count) more output\(count == 1 ? "" : "s") failed for the same reason: \(cause.words)")
    }
  }
}

extension Diagnostic {
  /// Returns diagnostics in the order of their lines; those of the same line in natural order.
  package static func byPlace(_ all: [Diagnostic]) -> [Diagnostic] {
    let keyed = all.map { (line: $0.position?.line ?? 0, text: Array($0.text.utf8), $0) }
    return keyed.sorted { left, right in
      left.line == right.line ? naturalOrder(left.text, right.text) : left.line < right.line
    }.map { $0.2 }
  }
}
