import BookExpectations
import ImageCore

/// Holds the fonts that pages use against those that their book was written with.
struct FontSealCheck {
  let meant: [FontExpectation]
  /// Whether they stand for all of a font's entries.
  let isWhole: Bool

  func faults(_ pages: [PageChecker.Result]) -> [Fault] {
    var found: [FontFacts] = []
    for page in pages { found += page.fonts.filter { !found.contains($0) } }
    var faults: [Fault] = []
    var missing: [FontExpectation] = []
    for font in meant {
      if let same = found.firstIndex(where: { (isWhole ? $0.seal : $0.olderSeal) == font }) {
        found.remove(at: same)
      } else {
        missing.append(font)
      }
    }
    for font in missing {
      if let other = found.firstIndex(where: { ($0.seal?.name ?? $0.name).hasPrefix(font.name) }) {
        found.remove(at: other)
        faults.append(.fontChanged(font.name))
      } else {
        faults.append(.fontLost(font.name))
      }
    }
    for font in found {
      if font.program != .standard {
        faults.append(.fontAdded(font.name))
      } else if !font.isPlain {
        faults.append(.fontChanged(font.name))
      }
    }
    return faults
  }
}
