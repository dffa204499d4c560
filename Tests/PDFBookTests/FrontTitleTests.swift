import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook
@testable import TextShaping

/// A title on the front of a cover, and the marks at its folds.
struct FrontTitleTests {
  /// A cover of 300 by 420 points a side, with a spine.
  private func layout(_ spine: Double = 60, kind: LayoutKind = .cover) -> BookLayout {
    var layout = BookLayout()
    layout.options.kind = kind
    layout.setup.paper = PageSize(width: 300, height: 420)
    layout.options.binding.coverThickness = spine / 2
    return layout
  }

  private func title(_ text: String, _ options: [(String, ParameterValue)] = []) throws -> FrontTitle {
    let named = [("front_title", ParameterValue.text(text))] + options
    let arguments = try Arguments(
      RawArguments(named: named.map { (name: $0.0, value: $0.1) }),
      parameters: TextParameters.all, positionalCount: 0)
    return try #require(FrontTitle(arguments))
  }

  @Test(.enabled(if: TextLayouter.problem == nil), arguments: TextPosition.allCases, [false, true])
  func standsOnTheFront(position: TextPosition, isRightToLeft: Bool) throws {
    var layout = layout()
    layout.options.binding.isRightToLeft = isRightToLeft
    var notes: [TextNote] = []
    let title = try title("A summer\nin the south", [("front_title_position", .text(position.rawValue))])
    let placed = try layout.placed(title, with: TextLayouter(), notes: &notes)
    let (box, edge) = (placed.coverage, FrontTitle.minimumMargin)
    #expect(placed.role == .heading && placed.block.lines.count == 2 && notes == [])
    let left = isRightToLeft ? 0.0 : 360
    #expect(box.left > left + edge && box.right < left + 300 - edge, "\(box)")
    #expect(abs(box.centre - left - 150) < 0.01)
    let (below, above) = (box.bottom - edge, 420 - edge - box.top)
    switch position {
    case .top: #expect(abs(above) < 0.01 && below > 100)
    case .middle: #expect(abs(below - above * 1.5) < 0.01 && above > 50)
    case .bottom: #expect(abs(below) < 0.01 && above > 100)
    }
  }

  /// The font shrinks before a word is broken; a word that is still too long is broken after a sign.
  @Test(
    .enabled(if: TextLayouter.problem == nil),
    arguments: [
      ("Photographs", ["Photographs"], false), ("A Photographs", ["A", "Photographs"], false),
      ("Donaudampfschifffahrtsgesellschaftskapitän", nil, true),
      (
        "Summer_in_the_south_of_France_and_Italy", ["Summer_in_the_", "south_of_", "France_and_", "Italy"], true
      ),
      ("写真集写真集写真集写真集", nil, false), ("Mother-in-law", ["Mother-in-", "law"], false),
    ] as [(String, [String]?, Bool)])
  func longWords(text: String, lines: [String]?, isBroken: Bool) throws {
    var notes: [TextNote] = []
    let title = try title(text, [("front_title_size", .number(60))])
    let placed = try layout().placed(title, with: TextLayouter(), notes: &notes)
    let found = placed.block.lines.map(\.text)
    if let lines { #expect(found.count >= lines.count, "\(found)") }
    #expect(placed.block.isWordBroken == (isBroken && lines == nil), "\(found)")
    #expect(
      (notes.count == 1 && "\(notes)".contains("is longer than a line")) == isBroken, "\(notes)")
    #expect(placed.coverage.width <= 300 - 2 * FrontTitle.minimumMargin + 0.01)
    if text == "Photographs" { #expect((36..<60).contains(placed.block.size)) }
  }

  /// The background of any font size stays on the front.
  @Test(.enabled(if: TextLayouter.problem == nil), arguments: ["left", "right"])
  func panelsEndWithTheFront(align: String) throws {
    var layout = layout()
    layout.options.print.bleed = 9
    var page = PDFPage(size: PageSize(width: 678, height: 438))
    var notes: [TextNote] = []
    try page.add(
      title(
        "W",
        [
          ("front_title_background", .text("navy")), ("front_title_size", .number(200)),
          ("front_title_align", .text(align)),
        ]), of: layout, with: TextLayouter(), notes: &notes)
    guard case .fill(let box, _)? = page.over.first else {
      Issue.record("there is no panel")
      return
    }
    let (left, right) = (box.left, box.left + box.width)
    #expect(align == "left" ? left == 369 : right == 669, "\(box)")
    #expect(left >= 369 && right <= 669 && box.bottom >= 9 && box.bottom + box.height <= 429)
  }

  @Test(.enabled(if: TextLayouter.problem == nil)) func aPanelLiesBehindIt() throws {
    let layouter = try TextLayouter()
    var page = PDFPage(size: PageSize(width: 660, height: 420))
    var notes: [TextNote] = []
    try page.add(title("Plain"), of: layout(), with: layouter, notes: &notes)
    #expect(page.over == [] && page.texts.count == 1)
    var wide = layout()
    wide.options.print.bleed = 9
    try page.add(title("Panel", [("front_title_background", .text("navy"))]), of: wide, with: layouter, notes: &notes)
    guard case .fill(let box, let colour)? = page.over.first else {
      Issue.record("no panel")
      return
    }
    #expect(colour.blue > 0.4 && colour.red == 0)
    let ink = page.texts[1].coverage
    #expect(
      abs(ink.left - page.texts[0].coverage.left - 9) < 30 && abs(ink.centre - box.centre) < 0.01)
    #expect(ink.isInside(box) && box.width > ink.width + 36 && box.height > ink.height + 20)
  }

  @Test(.enabled(if: TextLayouter.problem == nil)) func whatDoesNotFitIsRefused() throws {
    let layouter = try TextLayouter()
    let long = try title(String(repeating: "Summer ", count: 60))
    var notes: [TextNote] = []
    #expect {
      try layout().placed(long, with: layouter, notes: &notes)
    } throws: { error in
      "\(error)".hasPrefix("'front_title': 'Summer Summer")
        && "\(error)".hasSuffix("reduce 'front_title_size', or shorten the text")
    }
  }

  /// Returns the ends of the lines drawn around a page.
  private func marks(_ layout: BookLayout) throws -> [(x: Double, y: ClosedRange<Double>)] {
    let picture = LayoutPicture(width: 300, height: 200)
    let page = try layout.page(layout.pages(of: [picture])[0]) { _ in nil }
    return page.over.compactMap { shape in
      guard case .line(let x, let y, let toX, let toY, _, _) = shape, x == toX else { return nil }
      return (x, min(y, toY)...max(y, toY))
    }
  }

  @Test(arguments: [(60.0, [329.0, 389.0]), (0.0, [329.0])])
  func foldsAreMarked(spine: Double, folds: [Double]) throws {
    var layout = layout(spine)
    layout.options.print.bleed = 9
    #expect(try marks(layout).isEmpty)
    layout.options.print.cropMarks = true
    // The page begins at 29, where the bleed, a gap and the marks leave it.
    let found = try marks(layout).filter { $0.x > 29.01 && $0.x < 29 + 600 + spine - 0.01 }
    #expect(Set(found.map(\.x)) == Set(folds))
    #expect(found.count == folds.count * 2 * 3)
    for mark in found {
      #expect(mark.y.upperBound < 14.01 || mark.y.lowerBound > 29 + 420 + 14.99, "\(mark)")
      #expect(mark.y.lowerBound > -0.01 && mark.y.upperBound < 478.01, "\(mark)")
    }
  }

  @Test func otherPagesHaveNoFolds() throws {
    var layout = layout(kind: .grid)
    layout.options.print.cropMarks = true
    #expect(try Set(marks(layout).map(\.x)) == [20, 320])
  }
}
