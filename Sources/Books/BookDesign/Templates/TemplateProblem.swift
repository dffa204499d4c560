/// A mistake in a file of templates.
public struct TemplateProblem: Sendable, Hashable, CustomStringConvertible {
  /// The file's name.
  public let file: String
  /// The template, by its name or place; nil for the file as a whole.
  public let template: String?
  public let reason: String

  public var description: String { file + ": " + (template.map { "\($0): " } ?? "") + reason }
}

/// All mistakes of a file of templates.
public struct TemplateProblems: Error, Sendable, Hashable {
  public let all: [TemplateProblem]
}
