import ImagePipeline
import PDFBook
import TextShaping

/// Makes texts from a picture's name and metadata displayable, and records the changes.
struct ShownTexts {
  private var found: [(options: [String], changes: [String])] = []

  /// The clauses for notes about the picture. Options with the same changes share a clause.
  var changes: [String] {
    found.map { entry in
      "its \(entry.options.joined(separator: ", ")): \(entry.changes.joined(separator: "; "))"
    }
  }

  /// Returns a displayable caption; nil if Pango is missing and Helvetica cannot show the caption.
  mutating func showable(_ caption: String) -> String? {
    parts([caption], of: "caption", isOneLine: false)?.joined()
  }

  /// Returns a displayable running line; nil if Pango is missing and Helvetica cannot show the line.
  mutating func showable(_ line: RunningText, _ option: String) -> RunningText? {
    let texts = line.parts.map { if case .text(let text) = $0 { text } else { "" } }
    guard let parts = parts(texts, of: option, isOneLine: true) else { return nil }
    return RunningText(
      parts: zip(line.parts, parts).map { part, text in
        if case .text = part { .text(text) } else { part }
      })
  }

  /// Returns a text's parts in displayable form; nil if Pango is missing and Helvetica cannot show the text.
  private mutating func parts(_ parts: [String], of option: String, isOneLine: Bool) -> [String]? {
    let isPangoThere = BookLettering.isPangoThere
    let cleaned = CleanedText(parts, isOneLine: isOneLine || !isPangoThere)
    if !isPangoThere, let problem = Caption.problem(with: cleaned.parts.joined()) {
      add(option, ["\(problem); the page is left without"])
      return nil
    }
    add(option, cleaned.changes)
    return cleaned.parts
  }

  private mutating func add(_ option: String, _ changes: [String]) {
    guard !changes.isEmpty else { return }
    if let index = found.firstIndex(where: { $0.changes == changes }) {
      found[index].options.append(option)
    } else {
      found.append(([option], changes))
    }
  }
}
