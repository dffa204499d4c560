import BookExpectations
import ImageCore
import TextShaping

/// A block of text on a page.
package struct PlacedText: Sendable, Hashable {
  package var block: TextBlock
  /// The upper left corner of the block as seen in reading direction, in points from the page's lower left corner.
  package var left: Double
  package var top: Double
  package var role: TextRole
  package var turn: TextTurn
  /// The language as a BCP 47 tag; empty for the document's language.
  package var language = ""
  /// The colour behind the lines; nil for none. Rotated text cannot have one.
  package var background: Colour?

  package init(_ block: TextBlock, left: Double, top: Double, role: TextRole = .paragraph, turn: TextTurn = .none) {
    self.block = block
    self.left = left
    self.top = top
    self.role = role
    self.turn = turn
  }
}

/// The rotation of a block on the page.
package enum TextTurn: String, Sendable, Hashable, CaseIterable {
  case none
  /// From top to bottom, as on spines of English books; the tops of the letters are on the right.
  case down
  /// From bottom to top; the tops of the letters are on the left.
  case up
}

/// The role of a text in a tagged book.
package enum TextRole: Sendable, Hashable {
  case paragraph
  case heading
  /// The caption of the picture at an index in the page's placements.
  case caption(Int)
  /// A text that repeats on every page and is not read aloud.
  case header, footer
}

/// The vertical position of a block in a taller rectangle.
package enum TextPosition: String, Sendable, Hashable, CaseIterable {
  case top
  case middle
  case bottom

  /// The fraction of the free height that is below a title. At the optical centre, the space below is one and a half
  /// times the space above.
  var fractionBelow: Double {
    switch self {
    case .top: 1
    case .middle: 0.6
    case .bottom: 0
    }
  }
}

extension PlacedText {
  /// The box of the text's lines on the page.
  package var coverage: PageRectangle {
    let first = block.lines.map(\.left).min() ?? 0
    let last = block.lines.map { $0.left + $0.width }.max() ?? 0
    let (length, height) = (last - first, block.height)
    return switch turn {
    case .none:
      PageRectangle(left: left + first, bottom: top - height, width: length, height: height)
    case .down:
      PageRectangle(left: left - height, bottom: top - last, width: height, height: length)
    case .up: PageRectangle(left: left, bottom: top + first, width: height, height: length)
    }
  }

  /// The text that `imghost-verify` looks for; nil if no text is drawn.
  var expectation: CaptionExpectation? {
    guard block.lines.contains(where: { !$0.text.isEmpty }) else { return nil }
    let box = coverage
    return CaptionExpectation(block.text, left: box.left, bottom: box.bottom, width: box.width, height: box.height)
  }

  /// Returns the text moved by a distance.
  package func moved(_ right: Double, _ up: Double) -> PlacedText {
    var other = self
    (other.left, other.top) = (left + right, top + up)
    return other
  }
}

// MARK: - Content

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

  /// Returns the operators that clip stacked diacritics above and below the block (8.5.4); empty if none extend that
  /// far. At the sides, diacritics extend no farther than letters.
  private func clipping(left: Double, top: Double, unit: Double) -> String {
    guard let clip = block.clip else { return "" }
    let box = [
      left - block.size, top - clip.upperBound, block.width + 2 * block.size,
      clip.upperBound - clip.lowerBound,
    ]
    return "\(PDFNumber.text(box.map { $0 / unit })) re W n "
  }

  /// Returns the operator that rotates the coordinate system around the block's corner (8.3.3); empty without a
  /// rotation.
  private func turning(unit: Double) -> String {
    let corner = PDFNumber.text([left / unit, top / unit])
    return switch turn {
    case .none: ""
    case .down: "0 -1 1 0 \(corner) cm "
    case .up: "0 1 -1 0 \(corner) cm "
    }
  }

  /// Returns operators that also stroke the glyphs' outlines (9.3.6), which emboldens a font as FreeType does. The
  /// stroke is a 24th of the font size wide, and half of it lies outside the glyphs.
  private func bold(_ text: String, _ size: Double) -> String {
    let stroke = PDFPage.fill(block.colour).uppercased()
    return "2 Tr \(PDFNumber.text(size / 24)) w \(stroke)\(text)0 Tr\n"
  }
}

/// Writes the glyphs of one run at their places.
private struct RunWriter {
  let run: GlyphRun
  /// The line's origin, in points: on the page, or relative to the corner of a rotated block.
  let left: Double
  let baseline: Double
  /// The size of the page's unit in points.
  let unit: Double
  private(set) var text = ""
  /// The place where readers draw the next glyph unless its place is adjusted, in points from the line's left end.
  private var pen = 0.0
  private var rise = 0.0
  /// The width that is added to the next glyph, in points.
  private var spacing = 0.0
  /// The elements of the unfinished `TJ` array, and the codes of its current string.
  private var array = ""
  private var codes = ""
  /// The number of elements in the array.
  private var elements = 0
  /// The number of elements after which an array ends: PDF 1.4 limits arrays to 8,191 elements (Appendix C).
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
    // The text corresponds to all the glyphs together, not to single ones (PDF 32000-1:2008, 14.9.4).
    show()
    text += "/Span<</ActualText\(PDFString.utf16(cluster.text))>>BDC\n"
    // Readers take the end of the last glyph for the end of the text. After a combining mark, which has no width, they
    // would insert a space.
    let end = cluster.glyphs.map { $0.x + font.face.advance($0.glyph) * run.size / 1_000 }.max() ?? 0
    for (index, glyph) in cluster.glyphs.enumerated() {
      if index == cluster.glyphs.count - 1 { widen(glyph, to: end, font.face, isJoined: !cluster.meanings.isEmpty) }
      // Readers that do not support ActualText use each glyph's own text.
      let meaning = cluster.meanings.isEmpty ? "" : cluster.meanings[index]
      let code = meaning.isEmpty ? font.code(glyph.glyph) : font.code(glyph.glyph, for: meaning)?.code
      if let code { place(glyph, code, font.face) }
    }
    show()
    if spacing != 0 { text += "0 Tc\n" }
    spacing = 0
    text += "EMC\n"
  }

  /// Extends the advance of a cluster's last glyph to the cluster's end, by character spacing (9.3.2).
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
      // Readers add up the rounded numbers, so each rounding error is carried over to the next number.
      let written = gap.rounded()
      pen += written * run.size / 1_000
      append(-written)
    }
    // Programs that rewrite content use lower-case digits. With the same digits here, the digest of rewritten content
    // stays the same.
    codes += Hexadecimal.text([UInt8(code >> 8), UInt8(code & 255)])
    pen += face.advance(glyph.glyph) * run.size / 1_000 + spacing
  }

  /// Adds a number to the array, split into several numbers if it exceeds the limit of PDF 1.4.
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
