import ImageCore
import Testing

@testable import PDFBook
@testable import TextShaping

/// The places and widths of headers, footers and page numbers.
struct RunningLinesTests {
  private static let size = PageSize(width: 300, height: 400)
  private static let long = String(repeating: "a journey to the south ", count: 12)
  private static let arabic = String(repeating: "نص حكيم له سر قاطع ", count: 12)

  private static func lines(
    _ options: [String: ParameterValue], margins: PageMargins = PageMargins(top: 20, right: 30, bottom: 20, left: 10)
  ) throws -> RunningLines {
    let texts = TextParameters.runningLines.map { ParameterDescriptor($0, .text, help: "") }
    let arguments = try Arguments(
      RawArguments(named: options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      parameters: texts + BookParameters.all, positionalCount: 0)
    return RunningLines(arguments, margins: margins)
  }

  /// Trimming may be off by a millimetre or two: boxes on bleeding pictures stay whole.
  @Test(arguments: ["left", "centre", "right"]) func boxesOnPicturesKeepOffTheEdge(align: String)
    throws
  {
    let lines = try Self.lines(
      [
        "header": .text("Above"), "header_align": .text(align), "header_size": .number(6), "page_number": .text("12"),
        "page_number_align": .text(align), "page_number_size": .number(6), "fit": .text("cover"), "bleed": .text("3mm"),
      ], margins: PageMargins())
    let page = PageRectangle(left: 0, bottom: 0, width: Self.size.width, height: Self.size.height)
    let covered = lines.edges(under: [page], on: Self.size)
    #expect(covered == CoveredEdges(upper: true, lower: true))
    var notes: [TextNote] = []
    let placed = try lines.layout(
      ["header": "Above", "page_number": "12"], page: 1, size: Self.size, on: covered, with: try TextLayouter(),
      notes: &notes)
    #expect(placed.count == 2)
    for text in placed {
      #expect(text.backgroundBox.isInside(page.grown(-3 * 72 / 25.4)), "\(text.backgroundBox)")
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let footer, number: String
    let footerAlign, numberAlign: String
    /// Whether the page number stays whole.
    let keepsNumber: Bool
    var testDescription: String { "\(footerAlign) \(numberAlign) \(footer.prefix(8))" }
  }

  static let cases: [Case] = {
    let places = ["left", "centre", "right", "outside", "inside"]
    var all: [Case] = []
    for footerAlign in places {
      for numberAlign in places where footerAlign != numberAlign {
        for text in [long, arabic] {
          all.append(
            Case(
              footer: text, number: "12 / 140", footerAlign: footerAlign, numberAlign: numberAlign, keepsNumber: true))
          all.append(
            Case(footer: text, number: long, footerAlign: footerAlign, numberAlign: numberAlign, keepsNumber: false))
        }
      }
    }
    return all
  }()

  @Test(arguments: cases) func noneIsWrittenOverTheOther(_ test: Case) throws {
    let lines = try Self.lines([
      "footer": .text(test.footer), "footer_align": .text(test.footerAlign),
      "page_number": .text(test.number), "page_number_align": .text(test.numberAlign),
    ])
    let layouter = try TextLayouter()
    for page in 1...2 {
      let (odd, even) = (lines.overlap == "odd", lines.overlap == "even")
      if page == 1 ? odd : even { continue }
      var notes: [TextNote] = []
      let placed = try lines.layout(
        ["footer": test.footer, "page_number": test.number], page: page, size: Self.size, with: layouter, notes: &notes)
      #expect(placed.count == 2)
      let boxes = placed.map(\.coverage).sorted { $0.left < $1.left }
      #expect(boxes[0].right + 9 < boxes[1].left, "\(boxes)")
      #expect(boxes[0].left >= 9.9 && boxes[1].right <= 270.1, "\(boxes)")
      // The long one takes all that is free.
      if test.keepsNumber {
        #expect(placed[1].block.text == test.number && placed[0].block.isShortened)
        let isBesideCentre = [test.footerAlign, test.numberAlign].contains("centre")
        if !isBesideCentre { #expect(boxes[1].left - boxes[0].right < 40, "\(boxes)") }
      }
      #expect(notes.count == (test.keepsNumber ? 1 : 2), "\(notes)")
    }
  }

  /// A page number does not move from page to page with the footer's letters, nor stand higher or lower than it.
  @Test func theBaselineIsOne() throws {
    let lines = try Self.lines([
      "footer": .text("x"), "footer_size": .number(7), "page_number": .text("x"),
      "page_number_size": .number(12),
    ])
    let layouter = try TextLayouter()
    var baselines: Set<Int> = []
    for footer in ["Paris", "東京", "हिन्दी", ""] {
      var notes: [TextNote] = []
      let placed = try lines.layout(
        ["footer": footer, "page_number": "3"], page: 1, size: Self.size, with: layouter, notes: &notes)
      for text in placed {
        baselines.insert(Int(((text.top - text.block.lines[0].baseline) * 1_000).rounded()))
      }
    }
    #expect(baselines == [23_000])
  }

  /// Lines keep a distance from the edges of a page without margins.
  @Test(arguments: ["left", "centre", "right"])
  func linesKeepOffTheEdge(align: String) throws {
    let lines = try Self.lines(
      [
        "header": .text("x"), "header_align": .text(align), "header_size": .number(20), "footer": .text("x"),
        "footer_align": .text(align), "footer_size": .number(20),
      ], margins: PageMargins())
    var notes: [TextNote] = []
    for text in try lines.layout(
      ["header": Self.long, "footer": Self.long], page: 1, size: Self.size, with: TextLayouter(), notes: &notes)
    {
      let box = text.coverage
      #expect(box.left >= 15.9 && box.right <= 284.1, "\(box)")
      let baseline = text.top - text.block.lines[0].baseline
      #expect(baseline > 20 && baseline < 370, "\(baseline)")
    }
    #expect(lines.contentMargins == PageMargins(top: 56, right: 0, bottom: 56, left: 0))
  }

  @Test(
    arguments: [
      ("centre", "centre", "all"), ("outside", "right", "odd"), ("right", "inside", "even"),
      ("outside", "inside", nil), ("left", "right", nil), ("outside", "centre", nil),
    ] as [(String, String, String?)])
  func linesAtOnePlace(footer: String, number: String, pages: String?) throws {
    let lines = try Self.lines([
      "footer": .text("a"), "footer_align": .text(footer), "page_number": .text("1"),
      "page_number_align": .text(number),
    ])
    #expect(lines.overlap == pages)
  }
}
