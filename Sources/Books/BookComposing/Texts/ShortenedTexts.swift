import PDFBook

/// Texts of a book that were shortened by an ellipsis; each option has one note.
struct ShortenedTexts {
  private struct Entry {
    let option: String
    let first: ShortenedText
    var count = 1
  }
  private var entries: [Entry] = []

  mutating func add(_ text: ShortenedText) {
    if let index = entries.firstIndex(where: { $0.option == text.option }) {
      entries[index].count += 1
    } else {
      entries.append(Entry(option: text.option, first: text))
    }
  }

  /// Notes with the number of texts, the first of them, and what helps.
  var notes: [String] { entries.map(note) }

  private func note(_ entry: Entry) -> String {
    let (option, first, count) = (entry.option, entry.first, entry.count)
    let part = first.isInMiddle ? "middle" : "end"
    guard option == "caption" else {
      let pages = count == 1 ? first.owner : "\(count) pages, \(first.owner) first"
      let place = TextParameters.wholeBook.contains(option) ? "" : " on \(pages)"
      return "'\(option)' was too long for its line\(place), and an ellipsis replaces its \(part)"
    }
    let (who, whose) =
      count == 1
      ? ("the caption of \(first.owner) was", "its")
      : ("the captions of \(count) pictures, \(first.owner) first, were", "their")
    return "\(who) too long, and an ellipsis replaces \(whose) \(part); 'caption_lines' gives "
      + "more room, 'caption_overflow' smaller letters"
  }
}
