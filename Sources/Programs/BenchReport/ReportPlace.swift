/// The place in a Markdown file that the benchmark's report takes.
package enum ReportPlace {
  package static let begin = "<!-- imghost-bench writes from here -->"
  package static let end = "<!-- to here -->"

  /// A file's text with the report between the two marks, in place of what was there.
  ///
  /// - Parameter old: the file's text; nil for a new one. Without both marks, in order, all is replaced.
  package static func text(_ old: String?, report: String) -> String {
    guard let old, let start = old.ranges(of: begin).first?.upperBound,
      let stop = old[start...].ranges(of: end).first?.lowerBound
    else { return report }
    return old[..<start] + "\n" + report + old[stop...]
  }
}
