import CText
import TextShaping

/// The parts of fonts that a PDF holds.
extension FontFace {
  /// Returns the code of a glyph in a PDF's text; nil if it has none.
  func code(_ glyph: UInt16) -> UInt16? {
    guard case .cff(let charset?) = outlines else { return glyph }
    return Int(glyph) < charset.identifiers.count ? charset.identifiers[Int(glyph)] : nil
  }

  /// Makes a subset with these glyphs, by `hb_subset_plan_create_or_fail`.
  ///
  /// - Returns: an OpenType file, and the index of each glyph in it.
  /// - Throws: `FontProblem` if HarfBuzz fails.
  func subset(_ glyphs: [UInt16]) throws(FontProblem) -> (file: [UInt8], glyphs: [UInt32]) {
    var length = 0
    var renumbered = [UInt32](repeating: 0, count: glyphs.count)
    // Readers look up glyphs of a CFF font without CIDs by index.
    var keepsNumbers: Int32 = 0
    if case .cff(nil) = outlines { keepsNumbers = 1 }
    guard
      let bytes = ctext_font_subset(font, glyphs.map(UInt32.init), glyphs.count, keepsNumbers, &renumbered, &length)
    else { throw ctext_font_is_variable(font) != 0 ? .variable : .damaged }
    defer { ctext_free(bytes) }
    return (Array(UnsafeBufferPointer(start: bytes, count: length)), renumbered)
  }
}
