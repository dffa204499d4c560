/// The texts of one picture's page that come from its name and metadata, made fit to be shown, and what was done
/// to them.
struct ShownTexts {
  private var found: [(options: [String], changes: [String])] = []

  /// Clauses for notes about the picture; options with the same changes stand together.
  var changes: [String] {
    found.map { entry in
      "its \(entry.options.joined(separator: ", ")): \(entry.changes.joined(separator: "; "))"
    }
  }

  /// A caption; nil where nothing makes it fit.
  mutating func showable(_ caption: String, _ book: any BookFormat) -> String? {
    let shown = book.showable([caption], isOneLine: false)
    add("caption", shown.changes)
    return shown.parts?.joined()
  }

  /// A running line; nil where nothing makes it fit.
  mutating func showable(_ line: RunningText, _ option: String, _ book: any BookFormat)
    -> RunningText?
  {
    let texts = line.parts.map { if case .text(let text) = $0 { text } else { "" } }
    let shown = book.showable(texts, isOneLine: true)
    add(option, shown.changes)
    guard let parts = shown.parts else { return nil }
    return RunningText(
      parts: zip(line.parts, parts).map { part, text in
        if case .text = part { .text(text) } else { part }
      })
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
