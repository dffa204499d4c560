/// Why a file of templates gives no value: its line, if it is known, and a clause.
public struct TemplateFileProblem: Error, Sendable, Hashable {
  public let line: Int?
  public let reason: String

  public init(line: Int?, reason: String) {
    self.line = line
    self.reason = reason
  }
}
