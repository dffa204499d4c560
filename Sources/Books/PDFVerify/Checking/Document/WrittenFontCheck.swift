import BookExpectations
import ImageCore

/// Compares the fonts that pages use with those that the book was written with.
struct WrittenFontCheck: ResultCheck {
  func check(_ document: DocumentContext, _ pages: inout [PageResult]) -> [Fault] {
    document.meant.map { Self.faults(pages, meant: $0.fonts) } ?? []
  }

  static func faults(_ pages: [PageResult], meant: [FontExpectation]) -> [Fault] {
    var found: [FontFacts] = []
    for page in pages { found += page.fonts.filter { !found.contains($0) } }
    var faults: [Fault] = []
    var missing: [FontExpectation] = []
    for font in meant {
      if let same = found.firstIndex(where: { $0.expectation == font }) {
        found.remove(at: same)
      } else {
        missing.append(font)
      }
    }
    for font in missing {
      if let other = found.firstIndex(where: {
        ($0.expectation?.name ?? $0.name).hasPrefix(font.name)
      }) {
        found.remove(at: other)
        faults.append(.font(.changed(font.name)))
      } else {
        faults.append(.font(.lost(font.name)))
      }
    }
    for font in found {
      if font.program != .standard {
        faults.append(.font(.added(font.name)))
      } else if !font.isPlain {
        faults.append(.font(.changed(font.name)))
      }
    }
    return faults
  }
}
