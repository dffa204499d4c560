import ImageCore
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook
@testable import TextShaping

/// Lines, their places, and missing characters.
struct TextLayoutTests {
  static let long =
    "Whereas recognition of the inherent dignity and of the equal and inalienable rights of all members "
    + "of the human family is the foundation of freedom, justice and peace in the world"

  private func layout(_ text: String, width: Double = .infinity, _ style: TextStyle = TextStyle()) throws -> TextBlock {
    try TextLayouter().layout(text, style: style, width: width)
  }

  /// Fonts for other scripts have higher lines.
  @Test func baselinesHaveTheDistanceOfTheStyle() throws {
    let layouter = try TextLayouter()
    var style = TextStyle(size: 10)
    let text = "Some Latin words\nand a line שלום\nand the end"
    let plain = try layouter.layout(text, style: style)
    style.leading = 15
    let leaded = try layouter.layout(text, style: style)
    #expect(leaded.lines.map(\.text) == plain.lines.map(\.text) && leaded.lines.count == 3)
    #expect(leaded.lines[0].baseline == plain.lines[0].baseline)
    for (line, next) in zip(leaded.lines, leaded.lines.dropFirst()) {
      #expect(abs(next.baseline - line.baseline - 15) < 1e-9)
    }
    let below = plain.height - plain.lines[2].baseline
    #expect(abs(leaded.height - leaded.lines[2].baseline - below) < 1e-9)
  }

  @Test func linesAreNoWiderThanAllowed() throws {
    for width in [40.0, 90, 200, 351.5] {
      let block = try layout(Self.long, width: width)
      #expect(block.lines.allSatisfy { $0.width <= width })
      #expect(block.lines.map(\.text).joined() == Self.long)
      #expect(block.text == Self.long)
      #expect(!block.isShortened)
      for (above, below) in zip(block.lines, block.lines.dropFirst()) {
        #expect(above.baseline < below.baseline)
      }
      #expect(block.height > block.lines.last!.baseline)
    }
    #expect(try layout(Self.long).lines.count == 1)
  }

  /// A word that is wider than the line is broken rather than clipped.
  @Test func longWordsBreak() throws {
    let word = String(repeating: "abcdefghij", count: 20)
    let block = try layout(word, width: 100)
    #expect(block.lines.count > 5)
    #expect(block.lines.allSatisfy { $0.width <= 100 })
    #expect(block.lines.map(\.text).joined() == word)
  }

  /// The left edges of lines in a block of 300 points: where each alignment puts them.
  @Test(arguments: [
    (TextAlignment.left, "short", 0.0), (.right, "short", 1), (.centre, "short", 0.5),
    (.start, "short", 0), (.end, "short", 1), (.justify, "short", 0), (.start, "שלום", 1),
    (.end, "שלום", 0), (.justify, "שלום", 1), (.left, "שלום", 0), (.right, "שלום", 1),
  ])
  func alignment(alignment: TextAlignment, text: String, share: Double) throws {
    let line = try layout(text, width: 300, TextStyle(alignment: alignment)).lines[0]
    #expect(abs(line.left - (300 - line.width) * share) < 0.01)
  }

  @Test func justifiedLinesFillTheirWidth() throws {
    let block = try layout(Self.long, width: 180, TextStyle(alignment: .justify))
    for line in block.lines.dropLast() { #expect(abs(line.width - 180) < 0.1) }
    #expect(block.lines.last!.width < 179)
  }

  @Test func directionIsTheFirstLettersOrAsAsked() throws {
    #expect(try layout("1: שלום", width: 300, TextStyle(alignment: .start)).lines[0].left > 100)
    var style = TextStyle(alignment: .start)
    style.direction = .rtl
    #expect(try layout("hello", width: 300, style).lines[0].left > 100)
    var other = style
    other.direction = .ltr
    #expect(try layout("שלום", width: 300, other).lines[0].left == 0)
  }

  @Test func lineSpacingSpreadsBaselines() throws {
    func distances(_ text: String, _ spacing: Double) throws -> [Double] {
      var style = TextStyle()
      style.lineSpacing = spacing
      let lines = try layout(text, width: 200, style).lines
      return zip(lines, lines.dropFirst()).map { $1.baseline - $0.baseline }
    }
    let plain = try distances(Self.long, 1)[0]
    for text in [Self.long, "one\ntwo\nthree"] {
      for distance in try distances(text, 1.5) { #expect(abs(distance - plain * 1.5) < 0.05) }
    }
  }

  @Test func lineFeedsBeginParagraphs() throws {
    let block = try layout("one\n\nthree", width: 200)
    #expect(block.lines.map(\.text) == ["one", "", "three"])
    #expect(block.text == "one\n\nthree")
    #expect(try layout("one\u{2028}two\u{2029}three").text == "one\ntwo\nthree")
  }

  // MARK: Overflow

  @Test(arguments: 1...4)
  func ellipsisAfterTheAllowedLines(lines: Int) throws {
    let style = TextStyle(maximumLines: lines)
    let block = try layout(Self.long, width: 120, style)
    #expect(block.lines.count == lines)
    #expect(block.isShortened)
    #expect(block.text.hasSuffix("…"))
    #expect(Self.long.hasPrefix(block.text.dropLast().trimmed))
    #expect(block.lines.allSatisfy { $0.width <= 120 })
    #expect(block.size == style.size)
  }

  @Test func ellipsisInTheMiddle() throws {
    var style = TextStyle(maximumLines: 1)
    style.overflow = .middle
    let block = try layout("IMG_20260731_180509_wedding_anna.jpg", width: 90, style)
    let halves = block.text.split(separator: "…")
    #expect(block.lines.count == 1 && block.isShortened && halves.count == 2, "\(block.text)")
    #expect(halves[0].hasPrefix("IMG_") && halves[1].hasSuffix(".jpg"), "\(block.text)")
    #expect(block.lines[0].width <= 90)
  }

  /// Kana select Japanese, so that Han characters beside them have the same face.
  @Test(arguments: ["日本語の写真集", "パリの夏と海を見る、東京"])
  func oneFaceForALanguage(text: String) throws {
    try needFonts(for: text)
    let block = try layout(text, width: 400, TextStyle(font: "Serif", size: 14))
    let faces = Set(block.lines.flatMap(\.runs).map { ObjectIdentifier($0.face) })
    #expect(block.missing.isEmpty && faces.count == 1)
  }

  @Test func blocksCoverTheirLines() throws {
    let block = try layout("one", width: 100)
    let placed = PlacedText(block, left: 20, top: 80)
    let coverage = placed.coverage
    #expect(abs(coverage.left + coverage.width / 2 - 70) < 0.01 && coverage.width < 30)
    #expect(abs(coverage.bottom + block.height - 80) < 1e-9 && coverage.height == block.height)
    #expect(placed.moved(1, 2).left == 21 && placed.moved(1, 2).top == 82)
  }

  @Test func ellipsisBetweenParagraphs() throws {
    let block = try layout("one\ntwo\nthree", width: 200, TextStyle(maximumLines: 2))
    #expect(block.text == "one\ntwo …")
    #expect(block.isShortened)
    let whole = try layout("one\ntwo", width: 200, TextStyle(maximumLines: 2))
    #expect(!whole.isShortened)
  }

  @Test func errorWhereItDoesNotFit() throws {
    var style = TextStyle(maximumLines: 2)
    style.overflow = .error
    let lines = try layout(Self.long, width: 120).lines.count
    #expect(throws: TextError.tooLong(text: Self.long, lines: lines, allowed: 2)) {
      try layout(Self.long, width: 120, style)
    }
  }

  @Test func smallerLettersWhereItDoesNotFit() throws {
    var style = TextStyle(font: "DejaVu Sans", maximumLines: 2)
    style.overflow = .shrink
    let block = try layout(Self.long, width: 400, style)
    #expect(block.size < 10 && block.size >= TextStyle.smallestSize)
    #expect(block.lines.count == 2 && !block.isShortened && block.text == Self.long)
    #expect(throws: TextError.self) { try layout(Self.long, width: 40, style) }
  }

  // MARK: Missing characters

  @Test func missingCharactersAreLeftOutAndTold() throws {
    let block = try layout("a\u{10fffb}b \u{10fffd}\u{10fffb}c")
    #expect(block.text == "ab c")
    #expect(block.missing.map(\.character) == ["\u{10fffb}", "\u{10fffd}"])
    #expect(block.missing.allSatisfy { $0.reason == .noFont })
    #expect(
      block.notes(page: 7, option: "caption")[0]
        == .line(
          "page 7: caption: no installed font has '\u{10fffb}' (U+10FFFB); it is left out"))
  }

  @Test func onlyMissingCharactersLeaveAnEmptyBlock() throws {
    let block = try layout("\u{10fffb}\u{10fffa}")
    #expect(block.text.isEmpty && block.missing.count == 2)
    #expect(block.lines.allSatisfy { $0.runs.isEmpty })
  }

  @Test(arguments: [
    ("a\u{7}b", "the text 'a\u{fffd}b' contains the control character U+0007"),
    ("a\tb", "the text 'a\u{fffd}b' contains the control character U+0009"),
    ("\u{0}", "the text '\u{fffd}' contains the control character U+0000"),
    ("x\u{85}", "the text 'x\u{fffd}' contains the control character U+0085"),
    (
      String(decoding: [0x61, 0xff], as: UTF8.self), "the text 'a\u{fffd}' is not valid UTF-8 (or contains U+FFFD)"
    ),
    (
      String(repeating: "x", count: 1 << 20), "a text of 1048576 bytes is too long; at most 10000"
    ),
  ])
  func badTexts(text: String, message: String) throws {
    #expect(TextError.problem(with: text)?.description == message)
    #expect(throws: TextError.self) { try layout(text) }
  }

  @Test func fontsThatAreNotInstalledAreTold() throws {
    let layouter = try TextLayouter()
    #expect(layouter.problem(withFont: "DejaVu Sans Bold") == nil)
    #expect(layouter.problem(withFont: "Serif Italic") == nil)
    #expect(layouter.problem(withFont: "monospace") == nil)
    #expect(
      layouter.problem(withFont: "DejaVu Sanz Bold")
        == .noFont("DejaVu Sanz", suggestion: "DejaVu Sans", substitute: nil))
  }

  /// A font without a similar installed one gets the system's substitute, by its whole name.
  @Test(arguments: [("Quorble Bold 12", "Quorble"), ("Quinces New Roman", "Quinces New Roman")])
  func theNearestFontIsNamed(font: String, family: String) throws {
    let layouter = try TextLayouter()
    guard case .noFont(family, suggestion: nil, let nearest?)? = layouter.problem(withFont: font) else {
      Issue.record("\(String(describing: layouter.problem(withFont: font)))")
      return
    }
    #expect(layouter.problem(withFont: nearest) == nil)
    let problem = TextError.noFont(family, suggestion: nil, substitute: nearest).description
    #expect(
      problem == "the font '\(family)' is not installed (the nearest is '\(nearest)'); "
        + "'fc-list : family' lists the installed ones")
  }

  /// Layouters on several threads do not disturb each other.
  @Test func manyAtOnce() async throws {
    let expected = try layout(Self.long, width: 100).lines.map(\.text)
    try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        group.addTask {
          let layouter = try TextLayouter()
          var lines: [String] = []
          for _ in 0..<20 {
            lines = try layouter.layout(Self.long, style: TextStyle(), width: 100).lines.map(\.text)
          }
          return lines
        }
      }
      for try await lines in group { #expect(lines == expected) }
    }
  }

  /// Ten thousand bytes of every kind end in a block or an error, not in a crash.
  @Test func randomTexts() throws {
    var generator = SplitMix(7)
    let layouter = try TextLayouter()
    for _ in 0..<40 {
      var text = ""
      for _ in 0..<60 {
        let planes: [ClosedRange<UInt32>] = [
          0x20...0x7e, 0x300...0x36f, 0x590...0x6ff, 0x900...0x97f, 0x200b...0x206f,
          0x4e00...0x4e80,
          0xfe00...0xfe0f, 0x1f300...0x1f6ff, 0xe0000...0xe007f, 0xa...0xa,
        ]
        let range = planes.randomElement(using: &generator)!
        if let scalar = UnicodeScalar(UInt32.random(in: range, using: &generator)) {
          text.unicodeScalars.append(scalar)
        }
      }
      let block = try layouter.layout(
        text, style: TextStyle(maximumLines: 5),
        width: Double.random(in: 0...200, using: &generator))
      #expect(block.lines.count <= 5)
      #expect(block.height.isFinite)
    }
  }
}

extension Substring {
  /// The text without trailing blanks.
  var trimmed: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
