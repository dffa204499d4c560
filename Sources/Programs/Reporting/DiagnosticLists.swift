import ImageCore
import ImagePipeline

/// Lists failures in the order of the script's lines. Of those with the same cause, only the first is listed in full; a
/// line at the end counts the others.
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

  /// Counts a failure. Returns whether it is reported in full: it is the first with its cause, its cause is unknown, or
  /// it is about a file that was changed by hand.
  mutating func isNew(_ diagnostic: Diagnostic) -> Bool {
    // Each file that was changed by hand is named.
    if diagnostic.isRefusal { return true }
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

/// Mistakes in the order of their positions. If three or more differ only in the file, all but the first share a line.
///
/// `m.lua:3: save: the same for p2.jpg, p3.jpg, p4.jpg, p5.jpg and 7 more`
struct RepeatedMistakes {
  private struct Cause: Hashable {
    let kind: Diagnostic.Kind
    let position: ScriptPosition?
    let subject: String?
    let message: String
  }

  /// The number of mistakes with the same cause from which on all but the first share a line.
  private static let fewest = 3
  private static let mostNames = 4

  /// The mistakes with the same cause, in the order of their files.
  private var groups: [[Diagnostic]] = []

  /// Groups mistakes by their causes. Each file that cannot be opened keeps a line of its own, because only the names
  /// distinguish such files.
  init(_ mistakes: [Diagnostic]) {
    var known: [Cause: Int] = [:]
    for mistake in Diagnostic.byPlace(mistakes) {
      let cause = Cause(
        kind: mistake.kind, position: mistake.position, subject: mistake.subject,
        message: mistake.message)
      if mistake.file != nil, mistake.subject != "open", let index = known[cause] {
        groups[index].append(mistake)
      } else {
        known[cause] = groups.count
        groups.append([mistake])
      }
    }
  }

  /// Returns the lines for at most `most` causes, and the number of mistakes left out. Mistakes that stop the run take
  /// precedence.
  func lines(most: Int) -> (lines: [Diagnostic], rest: Int) {
    let order = groups.indices.sorted {
      let (left, right) = (groups[$0][0].kind.stopsRun, groups[$1][0].kind.stopsRun)
      return left == right ? $0 < $1 : left
    }
    let rest = order.dropFirst(most).reduce(0) { $0 + groups[$1].count }
    return (order.prefix(most).sorted().flatMap { Self.lines(groups[$0]) }, rest)
  }

  private static func lines(_ group: [Diagnostic]) -> [Diagnostic] {
    guard group.count >= fewest, let first = group.first else { return group }
    let names = group.dropFirst().compactMap(\.file)
    let listed = names.prefix(mostNames).map { printable($0) }.joined(separator: ", ")
    let more = names.count > mostNames ? " and \(names.count - mostNames) more" : ""
    return [
      first,
      Diagnostic(
        first.kind, at: first.position, subject: first.subject,
        message: "the same for " + listed + more),
    ]
  }
}
