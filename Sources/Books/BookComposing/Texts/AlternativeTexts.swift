import PDFBook

/// The texts of a tagged book that screen readers read instead of pictures, and notes about them.
struct AlternativeTexts {
  private let isTagged: Bool
  private var all = 0
  private var missing = 0
  /// Texts that were longer than a reader takes.
  private var cut = 0

  init(isTagged: Bool) { self.isTagged = isTagged }

  /// Returns the text instead of a picture: its own, or else its caption. Empty in a book without tags.
  mutating func add(own: String, caption: String) -> String {
    guard isTagged else { return "" }
    let cleaned = AlternativeText.cleaned(own)
    let text = cleaned.isEmpty ? AlternativeText.cleaned(caption) : cleaned
    all += 1
    if text.isEmpty { missing += 1 }
    let whole = cleaned.isEmpty ? caption : own
    if whole.unicodeScalars.count > AlternativeText.maximumLength { cut += 1 }
    return text
  }

  var notes: [String] {
    var notes: [String] = []
    if missing > 0 {
      let count = all == 1 ? "the picture has" : "\(missing) of \(all) pictures \(missing == 1 ? "has" : "have")"
      notes.append("\(count) no alternative text; add one with 'alt'")
    }
    if cut > 0 {
      let (texts, are) = cut == 1 ? ("the text of a picture is", "is") : ("the texts of \(cut) pictures are", "are")
      notes.append("\(texts) longer than \(AlternativeText.maximumLength) characters and \(are) cut there")
    }
    return notes
  }
}
