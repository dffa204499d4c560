/// The reason why a file of templates cannot be read, as a clause, with its line if known.
package struct TemplateFileProblem: Error, Sendable, Hashable {
  package let line: Int?
  package let reason: String

  package init(line: Int?, reason: String) {
    self.line = line
    self.reason = reason
  }
}
