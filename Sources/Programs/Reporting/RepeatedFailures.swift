import ImagePipeline

/// Failures with the same cause: the first one is reported in full, the others are counted.
///
/// `m.lua:3: save: 1019 more outputs failed for the same reason: needs about 536 MB of memory, …`
struct RepeatedFailures {
  private struct Cause: Hashable {
    let position: ScriptPosition?
    let subject: String?
    /// The picture, if the cause lies in the picture.
    let file: String?
    let words: String
  }

  private var counts: [Cause: Int] = [:]
  private var causes: [Cause] = []

  /// Whether this is the first failure with its cause.
  mutating func isNew(_ diagnostic: Diagnostic) -> Bool {
    // If one output cannot be written, the same reason usually prevents others, too.
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
