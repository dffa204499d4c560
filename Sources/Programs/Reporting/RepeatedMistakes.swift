import ImagePipeline

/// Mistakes in the order of their positions. Mistakes that differ only in the file share a line.
///
/// `m.lua:3: save: the same for p2.jpg, p3.jpg, p4.jpg, p5.jpg and 7 more`
struct RepeatedMistakes {
  private struct Cause: Hashable {
    let kind: Diagnostic.Kind
    let position: ScriptPosition?
    let subject: String?
    let message: String
  }

  /// The minimum number of equal mistakes that share a line.
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
