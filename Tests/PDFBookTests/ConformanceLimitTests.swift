import ImageCore
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook
@testable import TextShaping

/// Things too large for PDF/A are split or refused.
struct ConformanceLimitTests {
  private static func settings(
    _ conformance: Conformance, _ change: (inout DocumentSettings) -> Void
  )
    -> DocumentSettings
  {
    var settings = DocumentSettings()
    settings.conformance = conformance
    change(&settings)
    return settings
  }

  @Test(
    arguments: [
      (.pdfA1b, "x", 65_535, true), (.pdfA1b, "x", 65_536, false), (.pdfA1b, "ü", 32_766, true),
      (.pdfA1b, "ü", 32_767, false), (.pdfA2b, "x", 32_767, true), (.pdfA2b, "x", 32_768, false),
      (.pdfA3b, "ü", 16_382, true), (.pdfA3b, "ü", 16_383, false),
    ] as [(Conformance, String, Int, Bool)])
  func strings(conformance: Conformance, letter: String, count: Int, fits: Bool) {
    let text = String(repeating: letter, count: count)
    for index in 0..<4 {
      let settings = Self.settings(conformance) { settings in
        switch index {
        case 0: settings.info.title = text
        case 1: settings.info.keywords = text
        case 2: settings.info.entries["Copyright"] = text
        default: settings.labels = [PageLabel(firstPage: 1, style: nil, prefix: text)]
        }
      }
      let problems = conformance.problems(with: settings)
      #expect(problems.isEmpty == fits, "\(problems.map { $0.text.prefix(80) })")
      if !fits { #expect(problems[0].text.contains("\(conformance.maximumStringLength) in a string")) }
    }
    var page = PDFPage(size: PageSize(width: 100, height: 100))
    page.outlines = [["a", text]]
    #expect((conformance.problem(with: page) == nil) == fits)
  }

  @Test func arraysAndDictionaries() {
    let labels = Self.settings(.pdfA1b) { settings in
      settings.labels = (1...4_096).map { PageLabel(firstPage: $0, style: .decimal) }
    }
    #expect(
      Conformance.pdfA1b.problems(with: labels).map(\.text) == [
        "'page_labels' has 4096 ranges; PDF/A-1b allows 4095"
      ])
    #expect(Conformance.pdfA2b.problems(with: labels) == [])
    let entries = Self.settings(.pdfA1b) { settings in
      for index in 0..<5_000 { settings.info.entries["E\(index)"] = "x" }
    }
    #expect(Conformance.pdfA1b.problems(with: entries).count == 1)
    #expect(Conformance.pdfA1b.limitProblem(withObjects: 8_388_607) == nil)
    #expect(Conformance.pdfA3b.limitProblem(withObjects: 8_388_608) != nil)
    #expect(Conformance.pdfA1b.limitProblem(withStream: 2_147_483_647) == nil)
    #expect(Conformance.pdfA1b.limitProblem(withStream: 2_147_483_648) != nil)
  }

  /// A panorama that covers a page sticks out of it by more than a number of PDF 1.4 has.
  @Test(arguments: [(Conformance.pdfA1b, false), (.pdfA2b, true)])
  func numbersAndPictures(conformance: Conformance, fits: Bool) throws {
    let folder = TestFolder()
    try folder.book("book.pdf") { writer in
      let encoder = FlateEncoder(PictureLayout(width: 1, height: 1, format: .rgb8), iccProfile: [])
      try [UInt8](repeating: 9, count: 3).withUnsafeBytes { row in
        try encoder.write(1, from: row.baseAddress!, stride: 3)
      }
      try encoder.finish()
      let picture = try writer.add(encoder.picture)
      var page = PDFPage(size: PageSize(width: 595, height: 842))
      let box = PageRectangle(left: -20_000, bottom: 0, width: 40_000, height: 842)
      page.placements = [Placement(picture, in: box, clip: PageRectangle(left: 0, bottom: 0, width: 595, height: 842))]
      #expect((conformance.problem(with: page) == nil) == fits)
      let small = PageRectangle(left: 0, bottom: 0, width: 5, height: 5)
      page.placements = Array(repeating: Placement(picture, in: small), count: 4_095)
      #expect(conformance.problem(with: page) == nil)
      page.placements.append(page.placements[0])
      #expect((conformance.problem(with: page) == nil) == fits)
      try writer.addPage(PDFPage(size: page.size))
    }
  }

  /// The number of elements of the longest array.
  private static func longestArray(_ text: String) -> Int {
    var depth: [Int] = []
    var longest = 0
    var isInWord = false
    for character in text {
      let isSeparator = character == " " || character == "[" || character == "]"
      if !isSeparator, !isInWord, !depth.isEmpty { depth[depth.count - 1] += 1 }
      isInWord = !isSeparator
      if character == "[" {
        if !depth.isEmpty { depth[depth.count - 1] += 1 }
        depth.append(0)
      } else if character == "]" {
        longest = max(longest, depth.removeLast())
      }
    }
    return longest
  }

  @Test(.thorough) func widthsOfManyGlyphs() {
    func text(_ codes: StrideTo<Int>) -> String {
      GlyphWidths.text(codes.map { (UInt16($0), Double($0 % 7) + 0.5) })
    }
    #expect(Self.longestArray(text(stride(from: 0, to: 60_000, by: 3))) <= 8_191)
    #expect(Self.longestArray(text(stride(from: 0, to: 65_535, by: 1))) <= 8_191)
    // Unused codes get no widths while the array is short enough.
    #expect(text(stride(from: 2, to: 9, by: 3)) == "/DW 1000/W[2[2.5]5[5.5]8[1.5]]")
  }

  @Test func linesOfManyGlyphs() throws {
    let layouter = try TextLayouter()
    let long = String(repeating: "AVA.To ", count: 1_400)
    let block = try layouter.layout(long, style: TextStyle(font: "DejaVu Sans", size: 1))
    var fonts = FontTable()
    var objects = 0
    let content = PlacedText(block, left: 0, top: 10).content(unit: 1, fonts: &fonts) {
      objects += 1
      return objects
    }
    let arrays = content.split(separator: "\n").filter { $0.hasSuffix("]TJ") }
    #expect(arrays.count > 0)
    for array in arrays {
      let count = array.count { $0 == "<" } * 2
      #expect(count <= 8_191, "\(count)")
    }
    // A glyph that stands far from the one before it.
    let run = try #require(block.lines[0].runs.first)
    var clusters = Array(run.clusters.prefix(2))
    clusters[1] = GlyphCluster(
      text: clusters[1].text, glyphs: clusters[1].glyphs.map { PlacedGlyph(glyph: $0.glyph, x: 5_000, y: 0) })
    let line = TextLine(
      text: "AV", left: 0, baseline: 1, width: 5_001,
      runs: [GlyphRun(face: run.face, size: 1, slant: 0, isEmboldened: false, isRightToLeft: false, clusters: clusters)]
    )
    let far = TextBlock(
      text: "AV", width: 5_001, height: 1, size: 1, colour: .black, lines: [line], missing: [], isShortened: false)
    let words = PlacedText(far, left: 0, top: 10).content(unit: 1, fonts: &fonts) { 9 }
    // The operators without the glyphs' codes.
    let bare = words.split(separator: "<").map { $0.split(separator: ">").last ?? "" }
    let numbers = bare.joined(separator: " ").split { !"-.0123456789".contains($0) }.compactMap { Double($0) }
    #expect(numbers.contains { $0.magnitude == 32_000 })
    #expect(numbers.allSatisfy { $0.magnitude <= 32_767 })
  }
}
