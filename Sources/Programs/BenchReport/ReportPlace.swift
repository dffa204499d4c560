/// The section of a Markdown file that contains the benchmark's report.
package enum ReportPlace {
  package static let begin = "<!-- imghost-bench writes from here -->"
  package static let end = "<!-- to here -->"

  /// Returns a file's text with the text between the two marks replaced by the report.
  ///
  /// - Parameter old: the file's text; nil for a new one. If the marks are missing or out of order, the whole text is
  ///   replaced.
  package static func text(_ old: String?, report: String) -> String {
    guard let old, let start = old.ranges(of: begin).first?.upperBound,
      let stop = old[start...].ranges(of: end).first?.lowerBound
    else { return report }
    return old[..<start] + "\n" + report + old[stop...]
  }
}
