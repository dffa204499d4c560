/// Compares the linearisation dictionary (PDF 32000-1:2008, Annex F.2.2) with the file: the file's length, its number
/// of pages, and the object of the first page.
struct LinearizationCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    Linearization(file: document.file, pages: document.pages).faults()
  }
}

private struct Linearization {
  let file: PDFFile
  let pages: [PageRecord]

  func faults() -> [Fault] {
    guard let parameters = parameters() else { return [] }
    let count = file.bytes.count
    guard let length = parameters["L"]?.integer else { return [.linearization(.wrong("has no length (L)"))] }
    if length != count {
      // Programs that append to a file leave this dictionary unchanged; readers then ignore it (Annex F.4.6).
      if length > 0, length < count, isEnd(length) { return [.linearization(.lost(count - length))] }
      return [.linearization(.wrong("states \(length) bytes (L); the file has \(count)"))]
    }
    var faults: [Fault] = []
    let stated = parameters["N"]?.integer
    if stated != pages.count {
      faults.append(
        .linearization(
          .wrong("\(stated.map { "states \($0)" } ?? "has no number of") pages (N); there are \(pages.count)")))
    }
    // Page 0 comes first in most files; in a file that opens at another page, that page may come first.
    let first = parameters["P"]?.integer ?? 0
    let object = parameters["O"]?.integer
    if pages.indices.contains(first), object != pages[first].object {
      faults.append(
        .linearization(
          .wrong(
            "states that page \(first + 1) is \(object.map { "object \($0)" } ?? "nowhere") (O); "
              + "it is object \(pages[first].object)")))
    } else if !pages.isEmpty, !pages.indices.contains(first) {
      faults.append(.linearization(.wrong("names page \(first + 1) as the first page (P), which does not exist")))
    }
    return faults
  }

  /// Returns the linearisation dictionary; nil unless it is the first object and begins in the first 1,024 bytes.
  private func parameters() -> [String: PDFValue]? {
    let head = UnsafeRawBufferPointer(rebasing: file.bytes.prefix(1_024))
    guard let keyword = ByteSearch.first(Array(" obj".utf8), in: head, from: 0) else { return nil }
    var lexer = PDFLexer(file.bytes, at: keyword + 4)
    guard let entries = lexer.value()?.dictionary, entries["Linearized"] != nil else { return nil }
    return entries
  }

  /// Returns whether the first `length` bytes end with `%%EOF`, so that they may have been a complete file.
  private func isEnd(_ length: Int) -> Bool {
    let mark = Array("%%EOF".utf8)
    let head = UnsafeRawBufferPointer(rebasing: file.bytes[..<length])
    return ByteSearch.last(mark, in: head, downTo: length - mark.count - 2) != nil
  }
}
