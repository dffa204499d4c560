/// A mistake in a file of templates.
package struct TemplateProblem: Sendable, Hashable, CustomStringConvertible {
  /// The file's name.
  package let file: String
  /// The template's name or position; nil for the file as a whole.
  package let template: String?
  package let reason: String

  package var description: String { file + ": " + (template.map { "\($0): " } ?? "") + reason }
}

/// All mistakes of a file of templates.
package struct TemplateProblems: Error, Sendable, Hashable {
  package let all: [TemplateProblem]
}
