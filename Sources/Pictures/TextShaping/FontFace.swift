import CText
import VectorShapes

/// An installed font at one position of its variation axes.
///
/// Two values are equal if they are the same object. `@unchecked Sendable`, because nothing changes after `init`, and
/// HarfBuzz can read fonts on any thread.
package final class FontFace: @unchecked Sendable, Hashable {
  /// The format of a font's outlines.
  package enum Outlines {
    case trueType
    /// CFF, with the charset if the font is CID-keyed.
    case cff(CFFCharset?)
  }

  /// The `CTextFont`, which wraps a HarfBuzz font and keeps the font's face alive. Owned by this object.
  package let font: OpaquePointer
  /// The PostScript name.
  package let name: String
  /// The reason why the font cannot be embedded; nil if it can.
  package let problem: FontProblem?
  package let outlines: Outlines
  /// Whether the font can be drawn on pictures, which needs outlines but no licence for embedding.
  let isDrawable: Bool
  package let unitsPerEm: Int
  package let metrics: FontMetrics

  /// Creates a font from an `hb_face_t`, and keeps the face alive. Nil if there is not enough memory.
  ///
  /// - Parameter hasMoreAxes: whether the font has more axes than are in `axes`.
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
    // OpenType 1.9, OS/2 fsType: 2 is restricted, 0x100 forbids subsets, 0x200 allows only bitmaps.
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
    isDrawable = cff.count > 0 || table("CFF2").count > 0 || table("glyf").count > 0
    if hasMoreAxes { problem = .variable }
    self.problem = problem
    self.outlines = outlines
  }

  package static func == (left: FontFace, right: FontFace) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  deinit { ctext_font_destroy(font) }

  /// Returns the advance of a glyph in thousandths of the font size.
  package func advance(_ glyph: UInt16) -> Double {
    Double(ctext_font_advance(font, UInt32(glyph))) * 1_000 / Double(unitsPerEm)
  }

  /// Returns the vertical extent of a glyph around its baseline, in thousandths of the font size.
  package func verticalExtent(_ glyph: UInt16) -> ClosedRange<Double> {
    var (below, above) = (Int32(0), Int32(0))
    ctext_font_reach(font, UInt32(glyph), &below, &above)
    let unit = 1_000 / Double(unitsPerEm)
    return Double(min(below, above)) * unit...Double(max(below, above)) * unit
  }

  /// Returns a copy of a table; empty if the font does not have it.
  private static func table(_ font: OpaquePointer, _ tag: String) -> SFNTTable {
    var length = 0
    let number = tag.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let bytes = ctext_font_copy_table(font, number, &length) else { return SFNTTable(bytes: []) }
    defer { ctext_free(bytes) }
    return SFNTTable(bytes: Array(UnsafeBufferPointer(start: bytes, count: length)))
  }

  /// Returns the outline of a glyph in font units, with y upwards; empty for a blank. Nil if there is not enough
  /// memory.
  package func outline(_ glyph: UInt16) -> Path? {
    guard let raw = ctext_outline_create(font, UInt32(glyph)) else { return nil }
    defer { ctext_outline_destroy(raw) }
    var path = Path()
    var next = 0
    func point() -> Point {
      defer { next += 2 }
      return Point(Double(raw.pointee.coordinates[next]), Double(raw.pointee.coordinates[next + 1]))
    }
    for index in 0..<raw.pointee.step_count {
      switch Int(raw.pointee.steps[index]) {
      case ctext_start: path.start(point())
      case ctext_line: path.line(to: point())
      case ctext_quadratic:
        let control = point()
        path.quadratic(control, to: point())
      case ctext_cubic:
        let (first, second) = (point(), point())
        path.cubic(first, second, to: point())
      default: path.close()
      }
    }
    return path
  }
}

/// The metrics in a font descriptor (PDF 32000-1:2008, 9.8), in thousandths of the font size.
package struct FontMetrics: Sendable, Hashable {
  package let box: [Double]
  package let ascent: Double
  package let descent: Double
  package let capHeight: Double
  package let italicAngle: Double
  /// The stem width, which is estimated because OpenType does not contain it.
  package let stem: Double
  package let isFixedPitch: Bool

  /// Reads the tables `head`, `hhea`, `OS/2` and `post` (OpenType 1.9).
  init(
    head: SFNTTable, horizontal: SFNTTable, os2: SFNTTable, post: SFNTTable, unitsPerEm: Int
  ) {
    func thousandths(_ value: Int?) -> Double { Double(value ?? 0) * 1_000 / Double(unitsPerEm) }
    box = stride(from: 36, through: 42, by: 2).map { thousandths(head.signed16($0)) }
    ascent = thousandths(horizontal.signed16(4))
    descent = thousandths(horizontal.signed16(6))
    let hasCapHeight = (os2.unsigned16(0) ?? 0) >= 2
    capHeight = hasCapHeight ? thousandths(os2.signed16(88)) : ascent
    italicAngle = post.fixed(4) ?? 0
    isFixedPitch = (post.unsigned16(12) ?? 0) | (post.unsigned16(14) ?? 0) != 0
    // Regular (400) gives 85 and bold (700) 145, like the values in Type 1 fonts of these weights.
    stem = 5 + Double(min(1_000, os2.unsigned16(4) ?? 400)) * 0.2
  }

  /// The flags of the descriptor (PDF 32000-1:2008, table 123): 1 for fixed pitch, 4 for symbolic (its own character
  /// set), 64 for italic.
  package var flags: Int { (isFixedPitch ? 1 : 0) | 4 | (italicAngle != 0 ? 64 : 0) }
}
