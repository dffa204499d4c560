import CText

/// An installed font at one position on its variation axes.
///
/// Two are equal if they are the same object. `@unchecked Sendable`: nothing changes after `init`, and
/// HarfBuzz reads fonts from any thread.
final class FontFace: @unchecked Sendable, Hashable {
  /// The format of its outlines.
  enum Outlines {
    case trueType
    /// CFF, with the charset of a CID-keyed font.
    case cff(CFFCharset?)
  }

  /// Owned by this object. HarfBuzz counts the references to the face behind it.
  private let font: OpaquePointer
  /// The PostScript name.
  let name: String
  /// Why the font cannot be embedded; nil if it can.
  let problem: FontProblem?
  let outlines: Outlines
  let unitsPerEm: Int
  let metrics: FontMetrics

  /// Creates a font from an `hb_face_t`, and keeps the face alive. Nil if memory is short.
  ///
  /// - Parameter hasMoreAxes: whether the font has more axes than `axes` lists.
  init?(face: UnsafeMutableRawPointer, axes: [Float], hasMoreAxes: Bool) {
    guard let font = ctext_font_create(face, axes, UInt32(axes.count)) else { return nil }
    self.font = font
    func table(_ tag: String) -> SFNTTable { Self.table(font, tag) }
    unitsPerEm = max(1, Int(ctext_font_units_per_em(font)))
    name = FontName.postScript(table("name"))
    metrics = FontMetrics(
      head: table("head"), horizontal: table("hhea"), os2: table("OS/2"), post: table("post"), unitsPerEm: unitsPerEm)
    var problem: FontProblem?
    var outlines = Outlines.trueType
    // OpenType 1.9, OS/2 fsType: 2 is restricted, 0x100 forbids subsets, 0x200 allows bitmaps only.
    let permission = table("OS/2").unsigned16(8) ?? 0
    let cff = table("CFF ")
    if permission & 0xf == 2 || permission & 0x300 != 0 {
      problem = .forbidden
    } else if cff.count > 0 {
      do throws(FontProblem) {
        let charset = try CFFCharset.read(cff, glyphCount: Int(ctext_font_glyph_count(font)))
        outlines = .cff(charset)
      } catch {
        problem = error
      }
    } else if table("CFF2").count > 0 {
      problem = .variable
    } else if table("glyf").count == 0 {
      problem = .noOutlines
    }
    if hasMoreAxes { problem = .variable }
    self.problem = problem
    self.outlines = outlines
  }

  static func == (left: FontFace, right: FontFace) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  deinit { ctext_font_destroy(font) }

  /// Returns the advance of a glyph in thousandths of the font size.
  func advance(_ glyph: UInt16) -> Double {
    Double(ctext_font_advance(font, UInt32(glyph))) * 1_000 / Double(unitsPerEm)
  }

  /// Returns the vertical extent of a glyph around its baseline, in thousandths of the font size.
  func verticalExtent(_ glyph: UInt16) -> ClosedRange<Double> {
    var (below, above) = (Int32(0), Int32(0))
    ctext_font_reach(font, UInt32(glyph), &below, &above)
    let unit = 1_000 / Double(unitsPerEm)
    return Double(min(below, above)) * unit...Double(max(below, above)) * unit
  }

  /// Returns the code of a glyph in a PDF's text; nil if it has none.
  func code(_ glyph: UInt16) -> UInt16? {
    guard case .cff(let charset?) = outlines else { return glyph }
    return Int(glyph) < charset.identifiers.count ? charset.identifiers[Int(glyph)] : nil
  }

  /// Returns a copy of a table; empty if the font lacks it.
  private static func table(_ font: OpaquePointer, _ tag: String) -> SFNTTable {
    var length = 0
    let number = tag.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let bytes = ctext_font_copy_table(font, number, &length) else { return SFNTTable(bytes: []) }
    defer { ctext_free(bytes) }
    return SFNTTable(bytes: Array(UnsafeBufferPointer(start: bytes, count: length)))
  }

  /// Makes a subset with these glyphs, by `hb_subset_plan_create_or_fail`.
  ///
  /// - Returns: an OpenType file, and the index of each glyph in it.
  /// - Throws: `FontProblem` if HarfBuzz fails.
  func subset(_ glyphs: [UInt16]) throws(FontProblem) -> (file: [UInt8], glyphs: [UInt32]) {
    var length = 0
    var renumbered = [UInt32](repeating: 0, count: glyphs.count)
    // Readers find glyphs of a CFF font without CIDs by index.
    var keepsNumbers: Int32 = 0
    if case .cff(nil) = outlines { keepsNumbers = 1 }
    guard
      let bytes = ctext_font_subset(font, glyphs.map(UInt32.init), glyphs.count, keepsNumbers, &renumbered, &length)
    else { throw ctext_font_is_variable(font) != 0 ? .variable : .damaged }
    defer { ctext_free(bytes) }
    return (Array(UnsafeBufferPointer(start: bytes, count: length)), renumbered)
  }
}
