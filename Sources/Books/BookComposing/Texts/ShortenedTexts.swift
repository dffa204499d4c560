import PDFBook

/// Texts of a book in which an ellipsis stands for what had no room, one note an option.
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

  /// Each with how many there are and the first of them, what was done, and what may be.
  var notes: [String] { entries.map(note) }

  private func note(_ entry: Entry) -> String {
    let (option, first, count) = (entry.option, entry.first, entry.count)
    let part = first.isInMiddle ? "middle" : "end"
    guard option == "caption" else {
      let pages = count == 1 ? first.owner : "\(count) pages, \(first.owner) first"
      let place = TextParameters.wholeBook.contains(option) ? "" : " on \(pages)"
      return "'\(option)' was too long for its line\(place), and an ellipsis stands for its \(part)"
    }
    let (who, whose) =
      count == 1
      ? ("the caption of \(first.owner) was", "its")
      : ("the captions of \(count) pictures, \(first.owner) first, were", "their")
    return "\(who) too long, and an ellipsis stands for \(whose) \(part); 'caption_lines' gives "
      + "more room, 'caption_overflow' smaller letters"
  }
}
