import ImagePipeline

/// Failures of one cause: the first is told with all it says, the others are counted.
///
/// `m.lua:3: save: 1019 more outputs failed for the same reason: needs about 536 MB of memory, …`
struct RepeatedFailures {
  private struct Cause: Hashable {
    let position: ScriptPosition?
    let subject: String?
    /// The picture, where it is that which fails.
    let file: String?
    let words: String
  }

  private var counts: [Cause: Int] = [:]
  private var causes: [Cause] = []

  /// Whether nothing has failed of the same cause.
  mutating func isNew(_ diagnostic: Diagnostic) -> Bool {
    // What keeps an output from being written is mostly the same for others.
    let isOfOutput = diagnostic.kind == .output && diagnostic.file != nil
    guard let words = diagnostic.cause ?? (isOfOutput ? diagnostic.message : nil) else {
      return true
    }
    // About an output, it is the same of others; see `Diagnostic`.
    let isOfPicture = !diagnostic.message.elementsEqual(words)
    let cause = Cause(
      position: diagnostic.position, subject: diagnostic.subject,
      file: isOfPicture ? diagnostic.file : nil, words: words)
    counts[cause, default: 0] += 1
    if counts[cause] == 2 { causes.append(cause) }
    return counts[cause] == 1
  }

  /// How many more there were of each cause.
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
