/// The text of a page as readers extract it: characters and their places.
struct PageText {
  struct Glyph {
    let scalar: Unicode.Scalar
    /// The character's box in page units, from the lower left corner of the visible part.
    let box: PageBox
    var x: Double { (box.left + box.right) / 2 }
    var y: Double { (box.bottom + box.top) / 2 }
  }
  let glyphs: [Glyph]

  /// Returns the characters to compare, without spaces, hyphens and invisible marks, which PDF readers add or drop.
  static func letters(_ text: some Sequence<Unicode.Scalar>) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text where !isIgnored(scalar) { result.append(scalar) }
    return String(result)
  }

  private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x20, 0x7f...0xa0, 0xad, 0x2d, 0x2010, 0x2011, 0x200b...0x200f, 0x2028...0x202e,
      0x2060...0x2069, 0xfeff, 0xfff9...0xfffb:
      true
    default: scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// The text in poppler's order, with poppler's spaces and line ends.
  var string: String { String(String.UnicodeScalarView(glyphs.lazy.map(\.scalar))) }

  /// All letters of the page.
  var letters: String { Self.letters(glyphs.lazy.map(\.scalar)) }

  /// Returns the characters whose centres are in a box, in poppler's order.
  func text(in box: PageBox) -> String {
    var result = String.UnicodeScalarView()
    var isInside = false
    for glyph in glyphs {
      let own = glyph.x >= box.left && glyph.x <= box.right && glyph.y >= box.bottom && glyph.y <= box.top
      // A combining mark may belong to another font and lie outside the box; it is kept with its letter.
      isInside = own || isInside && Self.isMark(glyph.scalar)
      if isInside { result.append(glyph.scalar) }
    }
    return String(result)
  }

  /// Returns whether a text contains another; both are results of `letters`.
  ///
  /// - Parameter inAnyOrder: whether the same letters in another order suffice, see `mayChangeOrder`.
  static func contains(_ text: String, _ wanted: String, inAnyOrder: Bool) -> Bool {
    if wanted.isEmpty || text == wanted || text.contains(wanted) { return true }
    guard inAnyOrder else { return false }
    var left = text.unicodeScalars.reduce(into: [Unicode.Scalar: Int]()) { $0[$1, default: 0] += 1 }
    for scalar in wanted.unicodeScalars {
      guard let count = left[scalar], count > 0 else { return false }
      left[scalar] = count - 1
    }
    return true
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Returns whether PDF readers may reorder a text, because it has right-to-left scripts, scripts displayed in another
  /// order than stored, combining marks, or characters that change the direction (Unicode Annex 9).
  static func mayChangeOrder(_ text: String) -> Bool { text.unicodeScalars.contains(where: isReordered) }

  private static func isReordered(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    case 0x590...0x8ff, 0x900...0xdff, 0xe00...0xfff, 0x1000...0x109f, 0x1780...0x17ff, 0x1980...0x19df,
      0xaa80...0xaadf, 0xfb1d...0xfdff, 0xfe70...0xfeff, 0x10800...0x10fff, 0x1e800...0x1efff:
      true
    default: isMark(scalar)
    }
  }
}
