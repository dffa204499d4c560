import BookExpectations
import ImageCore

/// A block of text on a page.
public struct PlacedText: Sendable, Hashable {
  public var block: TextBlock
  /// Of the block's upper left corner as it is read, from the page's lower left one; points.
  public var left: Double
  public var top: Double
  public var role: TextRole
  public var turn: TextTurn
  /// As BCP 47 has it; empty for the document's.
  public var language = ""
  /// Painted behind its lines; nil for nothing. Not for text that is turned.
  public var label: Colour?

  public init(
    _ block: TextBlock, left: Double, top: Double, role: TextRole = .paragraph,
    turn: TextTurn = .none
  ) {
    self.block = block
    self.left = left
    self.top = top
    self.role = role
    self.turn = turn
  }
}

/// Which way a block's lines lie on the page.
public enum TextTurn: String, Sendable, Hashable, CaseIterable {
  case none
  /// From the page's top to its bottom, the letters' feet on the left: as on spines of English books.
  case down
  /// From its bottom to its top, their feet on the right.
  case up
}

/// What a text is in a tagged book.
public enum TextRole: Sendable, Hashable {
  case paragraph
  case heading
  /// Of a picture, by its place among the page's.
  case caption(Int)
  /// What repeats on every page, and is not read.
  case header, footer
}

/// Where a block stands in a rectangle that is higher than it.
public enum TextPosition: String, Sendable, Hashable, CaseIterable {
  case top
  case middle
  case bottom

  /// How much of the room that it leaves lies below a title: its optical middle has as much again below as above,
  /// and half.
  var shareBelow: Double {
    switch self {
    case .top: 1
    case .middle: 0.6
    case .bottom: 0
    }
  }
}

extension PlacedText {
  /// Puts a block into a rectangle of the width it was laid out for.
  public init(
    _ block: TextBlock, in rectangle: PageRectangle, position: TextPosition = .top
  ) {
    let room = rectangle.height - block.height
    let above =
      switch position {
      case .top: 0.0
      case .middle: room / 2
      case .bottom: room
      }
    self.init(
      block, left: rectangle.left, top: rectangle.bottom + rectangle.height - above)
  }

  /// What its lines cover: for whoever looks for the text on the page.
  public var coverage: PageRectangle {
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

  /// What `imghost-verify` looks for; nil where nothing is drawn.
  var expectation: CaptionExpectation? {
    guard block.lines.contains(where: { !$0.text.isEmpty }) else { return nil }
    let box = coverage
    return CaptionExpectation(
      block.text, left: box.left, bottom: box.bottom, width: box.width, height: box.height)
  }

  /// The same elsewhere.
  public func moved(_ right: Double, _ up: Double) -> PlacedText {
    var other = self
    (other.left, other.top) = (left + right, top + up)
    return other
  }

  /// Draws the block (PDF 32000-1:2008, 9.4), and notes the glyphs it takes.
  func content(unit: Double, fonts: inout FontTable, reserve: () -> Int) -> String {
    // What is turned is drawn around its corner.
    let (left, top) = turn == .none ? (self.left, self.top) : (0, 0)
    var text = label.map { PageShape.fill(labelBox, $0).content(unit: unit) } ?? ""
    text += "q \(turning(unit: unit))\(clipping(left: left, top: top, unit: unit))"
    text += "\(PDFPage.fill(block.colour))BT\n"
    for line in block.lines {
      for run in line.runs {
        let index = fonts.index(run.face, reserve: reserve)
        var writer = RunWriter(
          run: run, left: left + line.left, baseline: top - line.baseline, unit: unit)
        writer.write(&fonts.fonts[index])
        text += "/T\(index) \(PDFNumber.text(run.size / unit)) Tf "
        text += run.isEmboldened ? bold(writer.text, run.size / unit) : writer.text
      }
    }
    return text + "ET Q\n"
  }

  /// Keeps signs that are piled up off what is above and below the block (8.5.4). To the sides they reach no further
  /// than letters do.
  private func clipping(left: Double, top: Double, unit: Double) -> String {
    guard let clip = block.clip else { return "" }
    let box = [
      left - block.size, top - clip.upperBound, block.width + 2 * block.size,
      clip.upperBound - clip.lowerBound,
    ]
    return "\(PDFNumber.text(box.map { $0 / unit })) re W n "
  }

  /// Lays the block's own axes on the page's (8.3.3).
  private func turning(unit: Double) -> String {
    let corner = PDFNumber.text([left / unit, top / unit])
    return switch turn {
    case .none: ""
    case .down: "0 -1 1 0 \(corner) cm "
    case .up: "0 1 -1 0 \(corner) cm "
    }
  }

  /// Draws the outlines too (9.3.6), as thick as FreeType makes a font bold: a 24th of its size, half of it
  /// outside.
  private func bold(_ text: String, _ size: Double) -> String {
    let stroke = PDFPage.fill(block.colour).uppercased()
    return "2 Tr \(PDFNumber.text(size / 24)) w \(stroke)\(text)0 Tr\n"
  }
}

/// Writes the glyphs of one run, each where the layout has it.
private struct RunWriter {
  let run: GlyphRun
  /// Where the line's origin lies on the page; points.
  let left: Double
  let baseline: Double
  /// Points to a unit of the page.
  let unit: Double
  private(set) var text = ""
  /// Where the next glyph would fall, from the line's left end; points.
  private var pen = 0.0
  private var rise = 0.0
  /// What stands in the array of `TJ` and is not written yet.
  private var array = ""
  private var codes = ""
  /// Of the array.
  private var elements = 0
  /// PDF 1.4 has arrays of 8,191 elements (Appendix C).
  private static let mostElements = 8_000

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
    if cluster.glyphs.count == 1,
      let (code, isExact) = font.code(cluster.glyphs[0].glyph, for: cluster.text),
      isExact
    {
      return place(cluster.glyphs[0], code, font.face)
    }
    // The glyphs together stand for the text (PDF 32000-1:2008, 14.9.4).
    show()
    text += "/Span<</ActualText\(PDFString.utf16(cluster.text))>>BDC\n"
    for glyph in cluster.glyphs {
      if let code = font.code(glyph.glyph) { place(glyph, code, font.face) }
    }
    show()
    text += "EMC\n"
  }

  private mutating func place(_ glyph: PlacedGlyph, _ code: UInt16, _ face: FontFace) {
    if abs(glyph.y - rise) > run.size / 2_000 {
      show()
      rise = glyph.y
      text += "\(PDFNumber.text(rise / unit)) Ts\n"
    }
    if elements >= Self.mostElements { show() }
    let gap = (glyph.x - pen) * 1_000 / run.size
    if gap.magnitude > 0.5 {
      endCodes()
      // Readers add up what is written.
      let written = gap.rounded()
      pen += written * run.size / 1_000
      append(-written)
    }
    // Small digits, as programs that rewrite content have them, so that its digest stays.
    codes += Hexadecimal.text([UInt8(code >> 8), UInt8(code & 255)])
    pen += face.advance(glyph.glyph) * run.size / 1_000
  }

  /// Adds a number to the array: several where it is larger than PDF 1.4 has them.
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
