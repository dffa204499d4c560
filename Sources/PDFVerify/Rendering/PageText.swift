/// The text of a page as readers find it: characters and where each one is.
struct PageText {
  struct Glyph {
    let scalar: Unicode.Scalar
    /// In page units, from the lower left corner of what readers show.
    let box: PageBox
    var x: Double { (box.left + box.right) / 2 }
    var y: Double { (box.bottom + box.top) / 2 }
  }
  let glyphs: [Glyph]

  /// What can be compared: no spaces, hyphens or direction marks, which readers add and drop.
  static func letters(_ text: some Sequence<Unicode.Scalar>) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text where !isIgnored(scalar) { result.append(scalar) }
    return String(result)
  }

  private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x20, 0x7f...0xa0, 0xad, 0x2d, 0x2010, 0x2011, 0x200b...0x200f, 0x2028...0x202e,
      0x2060...0x2069, 0xfeff:
      true
    default: scalar.properties.isWhitespace
    }
  }

  /// All of the page's letters.
  var letters: String { Self.letters(glyphs.lazy.map(\.scalar)) }

  /// The text whose letters' middles lie in a box, as readers have it.
  func text(in box: PageBox) -> String {
    var result = String.UnicodeScalarView()
    for glyph in glyphs
    where glyph.x >= box.left && glyph.x <= box.right && glyph.y >= box.bottom && glyph.y <= box.top
    {
      result.append(glyph.scalar)
    }
    return String(result)
  }

  /// Whether one text is in another. Scripts that run from the right, or whose signs change places, count as
  /// found when the same letters are there: readers put them in order in ways of their own.
  static func contains(_ text: String, _ wanted: String) -> Bool {
    if wanted.isEmpty || text == wanted || text.contains(wanted) { return true }
    guard wanted.unicodeScalars.contains(where: isReordered) else { return false }
    var left = text.unicodeScalars.reduce(into: [Unicode.Scalar: Int]()) { $0[$1, default: 0] += 1 }
    for scalar in wanted.unicodeScalars {
      guard let count = left[scalar], count > 0 else { return false }
      left[scalar] = count - 1
    }
    return true
  }

  private static func isReordered(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x590...0x8ff, 0x900...0xdff, 0xe00...0xeff, 0x1000...0x109f, 0x1780...0x17ff,
      0xfb1d...0xfdff, 0xfe70...0xfeff:
      true
    default: false
    }
  }
}
