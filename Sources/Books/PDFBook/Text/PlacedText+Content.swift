import ImageCore
import TextShaping

extension PlacedText {
  /// Returns the operators that draw the block (PDF 32000-1:2008, 9.4), and records the glyphs in the fonts.
  func content(unit: Double, fonts: inout FontTable, reserve: () -> Int) -> String {
    // Rotated text is drawn around its corner.
    let (left, top) = turn == .none ? (self.left, self.top) : (0, 0)
    var text = background.map { PageShape.fill(backgroundBox, $0).content(unit: unit) } ?? ""
    text += "q \(turning(unit: unit))\(clipping(left: left, top: top, unit: unit))"
    text += "\(PDFPage.fill(block.colour))BT\n"
    for line in block.lines {
      for run in line.runs {
        let index = fonts.index(run.face, reserve: reserve)
        var writer = RunWriter(run: run, left: left + line.left, baseline: top - line.baseline, unit: unit)
        writer.write(&fonts.fonts[index])
        text += "/T\(index) \(PDFNumber.text(run.size / unit)) Tf "
        text += run.isEmboldened ? bold(writer.text, run.size / unit) : writer.text
      }
    }
    return text + "ET Q\n"
  }

  /// Clips stacked diacritics above and below the block (8.5.4). At the sides they reach no further than letters.
  private func clipping(left: Double, top: Double, unit: Double) -> String {
    guard let clip = block.clip else { return "" }
    let box = [
      left - block.size, top - clip.upperBound, block.width + 2 * block.size,
      clip.upperBound - clip.lowerBound,
    ]
    return "\(PDFNumber.text(box.map { $0 / unit })) re W n "
  }

  /// Rotates the coordinate system around the block's corner (8.3.3).
  private func turning(unit: Double) -> String {
    let corner = PDFNumber.text([left / unit, top / unit])
    return switch turn {
    case .none: ""
    case .down: "0 -1 1 0 \(corner) cm "
    case .up: "0 1 -1 0 \(corner) cm "
    }
  }

  /// Strokes the outlines too (9.3.6), as FreeType emboldens a font: by a 24th of its size, half of it outside.
  private func bold(_ text: String, _ size: Double) -> String {
    let stroke = PDFPage.fill(block.colour).uppercased()
    return "2 Tr \(PDFNumber.text(size / 24)) w \(stroke)\(text)0 Tr\n"
  }
}

/// Writes the glyphs of one run at their places.
private struct RunWriter {
  let run: GlyphRun
  /// The line's origin on the page, in points.
  let left: Double
  let baseline: Double
  /// The size of the page's unit in points.
  let unit: Double
  private(set) var text = ""
  /// The place of the next glyph without a correction, in points from the line's left end.
  private var pen = 0.0
  private var rise = 0.0
  /// The width that is added to the next glyph, in points.
  private var spacing = 0.0
  /// The elements of the `TJ` array that is not written yet, and the codes of its last string.
  private var array = ""
  private var codes = ""
  /// The number of elements in the array.
  private var elements = 0
  /// PDF 1.4 limits arrays to 8,191 elements (Appendix C).
  private static let maximumElements = 8_000

  init(run: GlyphRun, left: Double, baseline: Double, unit: Double) {
    (self.run, self.left, self.baseline, self.unit) = (run, left, baseline, unit)
  }

  mutating func write(_ font: inout EmbeddedFont) {
    pen = run.clusters.first?.glyphs.first?.x ?? 0
    let origin = PDFNumber.text([(left + pen) / unit, baseline / unit])
    text += "1 0 \(PDFNumber.text(run.slant)) 1 \(origin) Tm\n"
    for cluster in run.clusters { write(cluster, &font) }
    show()
    if rise != 0 { text += "0 Ts\n" }
  }

  private mutating func write(_ cluster: GlyphCluster, _ font: inout EmbeddedFont) {
    if cluster.glyphs.count == 1, let (code, isExact) = font.code(cluster.glyphs[0].glyph, for: cluster.text), isExact {
      return place(cluster.glyphs[0], code, font.face)
    }
    // Only all glyphs together stand for the text (PDF 32000-1:2008, 14.9.4).
    show()
    text += "/Span<</ActualText\(PDFString.utf16(cluster.text))>>BDC\n"
    // Readers take the end of the last glyph for that of the text, and would put a space behind a mark.
    let end = cluster.glyphs.map { $0.x + font.face.advance($0.glyph) * run.size / 1_000 }.max() ?? 0
    for (index, glyph) in cluster.glyphs.enumerated() {
      if index == cluster.glyphs.count - 1 { widen(glyph, to: end, font.face, isJoined: !cluster.meanings.isEmpty) }
      // Readers that know no such text get what each glyph stands for.
      let meaning = cluster.meanings.isEmpty ? "" : cluster.meanings[index]
      let code = meaning.isEmpty ? font.code(glyph.glyph) : font.code(glyph.glyph, for: meaning)?.code
      if let code { place(glyph, code, font.face) }
    }
    show()
    if spacing != 0 { text += "0 Tc\n" }
    spacing = 0
    text += "EMC\n"
  }

  /// Adds what is missing behind the last glyph of joined ones to its width (9.3.2).
  private mutating func widen(_ glyph: PlacedGlyph, to end: Double, _ face: FontFace, isJoined: Bool) {
    let missing = end - glyph.x - face.advance(glyph.glyph) * run.size / 1_000
    guard isJoined, missing > run.size / 100 else { return }
    show()
    spacing = (missing * 1_000 / run.size).rounded() * run.size / 1_000
    text += "\(PDFNumber.text(spacing / unit)) Tc\n"
  }

  private mutating func place(_ glyph: PlacedGlyph, _ code: UInt16, _ face: FontFace) {
    if abs(glyph.y - rise) > run.size / 2_000 {
      show()
      rise = glyph.y
      text += "\(PDFNumber.text(rise / unit)) Ts\n"
    }
    if elements >= Self.maximumElements { show() }
    let gap = (glyph.x - pen) * 1_000 / run.size
    if gap.magnitude > 0.5 {
      endCodes()
      // Readers add up the rounded numbers.
      let written = gap.rounded()
      pen += written * run.size / 1_000
      append(-written)
    }
    // Lower case, as programs that rewrite content print it, so that its digest stays the same.
    codes += Hexadecimal.text([UInt8(code >> 8), UInt8(code & 255)])
    pen += face.advance(glyph.glyph) * run.size / 1_000 + spacing
  }

  /// Adds a number to the array, as several if it exceeds the limit of PDF 1.4.
  private mutating func append(_ number: Double) {
    var rest = number
    while rest.magnitude > 32_000 {
      let part = rest < 0 ? -32_000.0 : 32_000
      array += PDFNumber.text(part) + " "
      rest -= part
    }
    array += PDFNumber.text(rest)
    elements += 1 + Int(number.magnitude / 32_000)
  }

  private mutating func endCodes() {
    if !codes.isEmpty {
      array += "<\(codes)>"
      elements += 1
    }
    codes = ""
  }

  private mutating func show() {
    endCodes()
    if !array.isEmpty { text += "[\(array)]TJ\n" }
    array = ""
    elements = 0
  }
}
