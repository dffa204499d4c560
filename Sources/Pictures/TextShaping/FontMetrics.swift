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
