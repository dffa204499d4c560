import ImagePipeline

/// Mistakes by their places, those that are equal but for the file told together.
///
/// `m.lua:3: save: the same of p2.jpg, p3.jpg, p4.jpg, p5.jpg and 7 more`
struct RepeatedMistakes {
  private struct Cause: Hashable {
    let kind: Diagnostic.Kind
    let position: ScriptPosition?
    let subject: String?
    let message: String
  }

  /// So many say nothing new; two are told like any others.
  private static let fewest = 3
  private static let mostNames = 4

  /// Mistakes of one cause, in the order of their files.
  private var groups: [[Diagnostic]] = []

  /// Files that cannot be opened are each told: their names are all there is to know.
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

  /// Lines for `most` causes, mistakes of the script before others, and how many mistakes they do not tell.
  func lines(most: Int) -> (lines: [Diagnostic], rest: Int) {
    let order = groups.indices.sorted {
      let (left, right) = (groups[$0][0].kind == .script, groups[$1][0].kind == .script)
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
        message: "the same of " + listed + more),
    ]
  }
}
