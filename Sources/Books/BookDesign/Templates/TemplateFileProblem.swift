/// Why a file of templates gives no value: its line, if it is known, and a clause.
package struct TemplateFileProblem: Error, Sendable, Hashable {
  package let line: Int?
  package let reason: String

  package init(line: Int?, reason: String) {
    self.line = line
    self.reason = reason
  }
}
