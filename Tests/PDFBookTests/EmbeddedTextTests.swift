import ImageCore
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook
@testable import TextShaping

/// The text in a finished book, as read by other programs.
struct EmbeddedTextTests {
  /// Texts in each supported script, with a language if that selects the form of glyphs.
  static let scripts: [(script: String, text: String, language: String)] = [
    ("Latin", "The quick brown fox: fi ffl, naïve café, Ærøskøbing 1234", ""),
    ("Vietnamese", "Tiếng Việt được viết bằng chữ Quốc ngữ", ""),
    ("Cyrillic", "Съешь же ещё этих мягких французских булок", ""),
    ("Greek", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία", ""),
    ("Arabic", "نص حكيم له سر قاطع وذو شأن عظيم", ""),
    ("Hebrew", "דג סקרן שט בים מאוכזב ולפתע מצא חברה", ""),
    ("Devanagari", "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा हिन्दी कृत्रिम", ""),
    ("Chinese", "视野无限广，窗外有蓝天", "zh-cn"),
    ("Japanese", "いろはにほへと 色は匂へど カタカナ", "ja"),
    ("Korean", "키스의 고유조건은 입술끼리 만나야 하고", "ko"),
  ]

  static let page = PageSize(width: 500, height: 300)

  private func book(_ folder: TestFolder, _ blocks: [TextBlock], name: String = "book.pdf") throws {
    try folder.book(name) { writer in
      for block in blocks {
        var page = PDFPage(size: Self.page)
        page.texts = [PlacedText(block, left: 40, top: 250)]
        try writer.addPage(page)
      }
    }
  }

  /// Returns the output of `pdftotext`, without the marks it puts around text that runs to the left.
  private func extracted(_ path: String, page: Int? = nil) throws -> String? {
    let pages = page.map { ["-f", "\($0)", "-l", "\($0)"] } ?? []
    guard let tool = try runTool("pdftotext", pages + [path, "-"]) else { return nil }
    #expect(tool.status == 0, "\(tool.text)")
    let marks: Set<UInt32> = [0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x0c]
    let scalars = tool.text.unicodeScalars.filter { !marks.contains($0.value) }
    let text = String(String.UnicodeScalarView(scalars))
    return text.split(whereSeparator: { $0 == "\n" || $0 == " " }).joined(separator: " ")
  }

  @Test(arguments: scripts)
  func textIsFoundInEveryScript(script: String, text: String, language: String) throws {
    try needFonts(for: text)
    let style = TextStyle(size: 16, alignment: .start, language: language)
    let block = try TextLayouter().layout(text, style: style, width: 400)
    let hint = "install what Scripts/dev/packages lists: no font for \(script)"
    #expect(block.missing.isEmpty, "\(hint)")
    let folder = TestFolder()
    try book(folder, [block])
    let path = folder.file("book.pdf")
    if let found = try extracted(path) { #expect(found == text) }
    if let fonts = try runTool("pdffonts", [path]) {
      let rows = fonts.text.split(separator: "\n").dropFirst(2)
      #expect(!rows.isEmpty)
      for row in rows { #expect(row.contains("Identity-H") && row.contains("yes yes yes")) }
    }
    try check(path)
  }

  /// Returns the complaints of other readers about a file.
  private func check(_ path: String) throws {
    if let tool = try runTool("qpdf", ["--check", path]) { #expect(tool.status == 0, "\(tool.text)") }
    if let tool = try runTool("mutool", ["draw", "-q", "-r", "20", "-F", "pam", "-o", "/dev/null", path]) {
      let words = tool.text.split(separator: "\n").filter { !$0.contains("ICC support") }
      #expect(tool.status == 0 && words.isEmpty, "\(tool.text)")
    }
    let ghostscript = ["-dBATCH", "-dNOPAUSE", "-dQUIET", "-dPDFSTOPONERROR", "-sDEVICE=nullpage", path]
    if let tool = try runTool("gs", ghostscript) {
      #expect(tool.status == 0 && tool.text.isEmpty, "\(tool.text)")
    }
  }

  /// A glyph for two letters: the map has both, in reading order. (poppler 22.12 reverses them.)
  @Test func ligaturesMeanTheirLetters() throws {
    let block = try TextLayouter().layout("لا", style: TextStyle())
    var font = EmbeddedFont(block.lines[0].runs[0].face, object: 1)
    let cluster = block.lines[0].runs[0].clusters[0]
    #expect(cluster.text == "لا" && cluster.glyphs.count == 1)
    let found = font.code(cluster.glyphs[0].glyph, for: cluster.text)
    let code = try #require(found)
    #expect(code.isExact)
    let hexadecimal = ToUnicodeMap.hexadecimal(code.code)
    #expect(try font.program().toUnicode.contains("<\(hexadecimal)><06440627>"))
    // The same glyph for another text needs words of its own.
    #expect(font.code(cluster.glyphs[0].glyph, for: "x")?.isExact == false)
  }

  /// Letters with several glyphs, or with a glyph of another meaning, carry their text along.
  @Test func clustersCarryTheirText() throws {
    let block = try TextLayouter().layout("हि a\u{a0}b c", style: TextStyle())
    var fonts = FontTable()
    var objects = 0
    let content = PlacedText(block, left: 0, top: 100).content(unit: 1, fonts: &fonts) {
      objects += 1
      return objects
    }
    #expect(content.contains("/Span<</ActualText<feff0939093f>>>BDC"))
    #expect(content.components(of: "BDC") == content.components(of: "EMC"))
    #expect(fonts.fonts.count == objects)
  }

  /// Fonts are written once for all pages, with only the glyphs that are used.
  @Test func fontsAreWrittenOnce() throws {
    let layouter = try TextLayouter()
    let folder = TestFolder()
    let texts = (1...40).map { "Page \($0) of forty" }
    try book(folder, texts.map { try layouter.layout($0, style: TextStyle(font: "DejaVu Sans")) })
    let bytes = folder.read("book.pdf")
    #expect(bytes.count < 40 * 600 + 20_000, "\(bytes.count) bytes")
    if let fonts = try runTool("pdffonts", [folder.file("book.pdf")]) {
      #expect(fonts.text.split(separator: "\n").count == 3, "\(fonts.text)")
    }
    for (index, text) in texts.enumerated() {
      guard index % 13 == 0 else { continue }
      if let found = try extracted(folder.file("book.pdf"), page: index + 1) { #expect(found == text) }
    }
    try check(folder.file("book.pdf"))
  }

  @Test func sameTextsGiveTheSameBytes() throws {
    let folder = TestFolder()
    for name in ["a.pdf", "b.pdf"] {
      let layouter = try TextLayouter()
      let blocks = try Self.scripts.map {
        try layouter.layout($0.text, style: TextStyle(language: $0.language), width: 200)
      }
      try book(folder, blocks, name: name)
    }
    #expect(folder.read("a.pdf") == folder.read("b.pdf"))
  }

  /// Glyphs lie inside the block's lines, and leave ink there.
  @Test(arguments: [TextAlignment.left, .centre, .right, .justify])
  func inkIsWhereTheLinesAre(alignment: TextAlignment) throws {
    var style = TextStyle(font: "DejaVu Serif", size: 12, alignment: alignment)
    style.lineSpacing = 1.3
    let block = try TextLayouter().layout(TextLayoutTests.long, style: style, width: 260)
    let folder = TestFolder()
    try book(folder, [block])
    let prefix = folder.file("page")
    guard
      let tool = try runTool("pdftoppm", ["-r", "144", "-gray", "-singlefile", folder.file("book.pdf"), prefix])
    else { return }
    #expect(tool.status == 0)
    let picture = try #require(GrayMap(folder.read("page.pgm")))
    for line in block.lines {
      // Two pixels a point; the page is 300 points high, the block begins 250 above its lower edge.
      let baseline = (300 - 250 + line.baseline) * 2
      let rows = Int(baseline - 16)..<Int(baseline)
      let columns = try #require(picture.inkColumns(rows))
      #expect(abs(Double(columns.lowerBound) / 2 - (40 + line.left)) < 2.5, "\(line.text)")
      let end = 40 + line.left + line.width
      #expect(abs(Double(columns.upperBound) / 2 - end) < 4.5, "\(line.text)")
    }
    #expect(picture.inkColumns(0..<Int(2 * (50 - 1))) == nil)
    #expect(picture.inkColumns(Int(2 * (52 + block.height))..<600) == nil)
  }

  /// Stacked diacritics do not reach above or below their block.
  @Test func piledSignsAreCut() throws {
    let (above, below) = ("\u{301}", "\u{316}")
    let pile = String(repeating: above, count: 40) + String(repeating: below, count: 40)
    let style = TextStyle(font: "DejaVu Sans", size: 12)
    let block = try TextLayouter().layout("Za\(pile)b", style: style)
    #expect(block.clip == -3...block.height + 3)
    let folder = TestFolder()
    try book(folder, [block])
    guard
      try runTool("pdftoppm", ["-r", "144", "-gray", "-singlefile", folder.file("book.pdf"), folder.file("page")])
        != nil
    else { return }
    let picture = try #require(GrayMap(folder.read("page.pgm")))
    // Two pixels a point; the block begins 50 points below the page's upper edge.
    #expect(picture.inkColumns(0..<2 * 47 - 1) == nil)
    #expect(picture.inkColumns(2 * 47..<2 * 50) != nil)
    #expect(picture.inkColumns(Int(2 * (53 + block.height)) + 1..<600) == nil)
    if let found = try extracted(folder.file("book.pdf")) { #expect(found.hasPrefix("Z")) }
    try check(folder.file("book.pdf"))
  }

  /// Ordinary text is not clipped, and the clip costs it no bytes.
  @Test(arguments: ["", "Serif", "DejaVu Sans Bold", "Noto Serif Italic"])
  func usualTextsAreNotClipped(font: String) throws {
    let layouter = try TextLayouter()
    guard font.isEmpty || layouter.problem(withFont: font) == nil else { return }
    let signs = ["ÅÉÑ Ấ ệ ǖ ģ jpqy| {Ṩ} ◌̈", "e\u{301}\u{327} o\u{302}\u{301}"]
    for text in Self.scripts.map(\.text) + signs {
      let style = TextStyle(font: font.isEmpty ? TextStyle.defaultFont : font, size: 20)
      let block = try layouter.layout(text, style: style)
      #expect(block.clip == nil, "\(text)")
    }
  }

  /// The same words on a page of more than 14,400 points, whose units are larger.
  @Test(.thorough) func largePages() throws {
    let block = try TextLayouter().layout("Large", style: TextStyle(size: 1_000))
    let folder = TestFolder()
    try folder.book { writer in
      var page = PDFPage(size: PageSize(width: 40_000, height: 20_000))
      page.texts = [PlacedText(block, left: 1_000, top: 10_000)]
      try writer.addPage(page)
    }
    if let found = try extracted(folder.file("book.pdf")) { #expect(found == "Large") }
    try check(folder.file("book.pdf"))
  }

  /// Deferred texts are on their own pages.
  @Test func deferredTexts() throws {
    let folder = TestFolder()
    let layouter = try TextLayouter()
    try folder.book { writer in
      var places: [DeferredTexts] = []
      for number in 1...3 {
        var page = PDFPage(size: Self.page)
        let place = writer.reserveTexts(onPageOf: page.size)
        places.append(place)
        page.deferredTexts = place
        let block = try layouter.layout("first \(number)", style: TextStyle())
        page.texts = [PlacedText(block, left: 40, top: 250)]
        try writer.addPage(page)
      }
      for (number, place) in places.enumerated() {
        let block = try layouter.layout("\(number + 1) of \(places.count)", style: TextStyle())
        try writer.write([PlacedText(block, left: 40, top: 40)], as: place)
      }
    }
    for number in 1...3 {
      if let found = try extracted(folder.file("book.pdf"), page: number) {
        #expect(found == "first \(number) \(number) of 3")
      }
    }
    try check(folder.file("book.pdf"))
  }

  /// A CFF font without CIDs, whose glyphs keep their places, and a CID-keyed one in a collection: where such fonts
  /// are installed.
  @Test(arguments: [("Nimbus Roman", "Type 0C"), ("Noto Sans CJK JP", "Type 0C")])
  func compactFonts(font: String, kind: String) throws {
    let layouter = try TextLayouter()
    guard layouter.problem(withFont: font) == nil else { return }
    let block = try layouter.layout("Compact 123", style: TextStyle(font: font, size: 20))
    let folder = TestFolder()
    try book(folder, [block])
    if let found = try extracted(folder.file("book.pdf")) { #expect(found == "Compact 123") }
    if let fonts = try runTool("pdffonts", [folder.file("book.pdf")]) {
      #expect(fonts.text.contains(kind), "\(fonts.text)")
    }
    try check(folder.file("book.pdf"))
  }
}

extension String {
  /// Returns the number of occurrences of a text.
  fileprivate func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}

/// An 8-bit PGM file.
private struct GrayMap {
  let width: Int
  let samples: ArraySlice<UInt8>

  init?(_ bytes: [UInt8]) {
    var place = 0
    var fields: [String] = []
    while fields.count < 4, place < bytes.count {
      let field = bytes[place...].prefix { $0 > 0x20 }
      fields.append(String(decoding: field, as: UTF8.self))
      place += field.count + 1
    }
    guard fields.count == 4, fields[0] == "P5", let width = Int(fields[1]) else { return nil }
    self.width = width
    samples = bytes[place...]
  }

  /// Returns the range of columns with ink in some rows; nil if there is none.
  func inkColumns(_ rows: Range<Int>) -> ClosedRange<Int>? {
    var first = Int.max
    var last = -1
    for row in rows {
      for column in 0..<width where samples[samples.startIndex + row * width + column] < 128 {
        first = min(first, column)
        last = max(last, column)
      }
    }
    return last < 0 ? nil : first...last
  }
}
