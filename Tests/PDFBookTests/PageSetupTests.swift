import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

@Suite struct PageSetupTests {
  /// A paper, its size in hundredths of a millimetre, and its orientation.
  static let papers: [(String, Int, Int, PageOrientation)] = [
    ("a4", 21_000, 29_700, .auto), ("A4", 21_000, 29_700, .auto), ("a0", 84_100, 118_900, .auto),
    ("a8", 5_200, 7_400, .auto), ("b5", 17_600, 25_000, .auto),
    ("letter", 21_590, 27_940, .auto), ("Legal", 21_590, 35_560, .auto),
    ("tabloid", 27_940, 43_180, .auto), ("10x15", 10_000, 15_000, .auto),
    ("13x18", 13_000, 18_000, .auto), ("a4 landscape", 21_000, 29_700, .landscape),
    ("a4 portrait", 21_000, 29_700, .portrait),
    ("210mm x 297mm", 21_000, 29_700, .portrait), ("30x20cm", 30_000, 20_000, .landscape),
    ("8.5in x 11in", 21_590, 27_940, .portrait), ("8.5x11in", 21_590, 27_940, .portrait),
    ("72pt x 144 pt", 2_540, 5_080, .portrait), ("960px x 1920px", 25_400, 50_800, .portrait),
    ("960 x 1920 px", 25_400, 50_800, .portrait), ("20cm × 10cm", 20_000, 10_000, .landscape),
  ]

  @Test(arguments: PageSetupTests.papers)
  func paperTable(text: String, width: Int, height: Int, orientation: PageOrientation) throws {
    var setup = PageSetup()
    try setup.setPaper(text)
    let paper = try #require(setup.paper)
    #expect(Int((paper.width * 2_540 / 72).rounded()) == width)
    #expect(Int((paper.height * 2_540 / 72).rounded()) == height)
    #expect(setup.orientation == orientation)
  }

  static let wrongPapers: [(String, String)] = [
    ("a44", "'paper' cannot be 'a44' (did you mean 'a4'?); use 'picture', a name such as 'a4'"),
    ("210 x 297", "'paper' contains '210', a number without a unit; write '210mm'"),
    ("", "'paper' cannot be ''"),
    ("10mm", "'paper' cannot be '10mm'"), ("0mm x 10mm", "a page of 0 x 10 mm is not"),
    ("1e9mm x 1mm", "'paper' is '1e9mm x 1mm'; it must be at most"),
    ("-5mm x 10mm", "'paper' cannot be"),
  ]

  @Test(arguments: PageSetupTests.wrongPapers) func wrongPaperTable(text: String, message: String) {
    var setup = PageSetup()
    let error = #expect(throws: PageSetupError.self) { try setup.setPaper(text) }
    let start = error?.description.prefix(message.count) ?? ""
    #expect(start == message)
  }

  @Test func allMistakesAtOnce() throws {
    let raw = RawArguments(named: [
      ("margin", .text("10")), ("orientation", .text("portrait")), ("paper", .text("a4 landscape")),
    ])
    let arguments = try Arguments(raw, parameters: BookParameters.all, positionalCount: 0)
    let errors = #expect(throws: PageSetupErrors.self) { try PageSetup(arguments) }
    #expect(
      errors?.errors == [
        .twoOrientations(paper: "a4 landscape", orientation: "portrait"),
        .length(option: "margin", "10"),
      ])
  }

  @Test func defaultsMakePagesOfTheirPicture() throws {
    let arguments = try Arguments(RawArguments(), parameters: BookParameters.all, positionalCount: 0)
    let setup = try PageSetup(arguments)
    #expect(setup == PageSetup())
    let layout = try setup.plan(width: 960, height: 480)
    #expect(layout.size == PageSize(width: 720, height: 360))
    let dense = try setup.plan(
      width: 600, height: 300, orientation: .rotated90,
      resolution: Resolution(horizontal: 300, vertical: 150))
    #expect(dense.size == PageSize(width: 144, height: 144))
    let senseless = try setup.plan(width: 96, height: 96, resolution: Resolution(horizontal: 1, vertical: 1))
    #expect(senseless.size == PageSize(width: 72, height: 72))
  }

  static let margins: [(String, PageMargins)] = [
    ("0", PageMargins()), ("9pt", PageMargins(top: 9, right: 9, bottom: 9, left: 9)),
    ("5pt 10pt", PageMargins(top: 5, right: 10, bottom: 5, left: 10)),
    ("5 pt, 10 pt", PageMargins(top: 5, right: 10, bottom: 5, left: 10)),
    ("5pt, 0", PageMargins(top: 5, right: 0, bottom: 5, left: 0)),
    ("1pt 2pt 3pt 4pt", PageMargins(top: 1, right: 2, bottom: 3, left: 4)),
  ]

  @Test(arguments: PageSetupTests.margins) func marginTable(text: String, margins: PageMargins)
    throws
  {
    var setup = PageSetup()
    try setup.setMargins(text)
    #expect(setup.margins == margins)
  }

  @Test(arguments: [("", 0), ("1pt 2pt 3pt", 3), ("1pt 1pt 1pt 1pt 1pt", 5)])
  func wrongMarginCount(text: String, count: Int) {
    var setup = PageSetup()
    #expect(throws: PageSetupError.marginCount(count)) { try setup.setMargins(text) }
  }

  @Test func fitsAndMargins() throws {
    var setup = PageSetup(paper: PageSize(width: 100, height: 200))
    try setup.setMargins("10pt 20pt 30pt 40pt")
    let wide = try setup.plan(width: 100, height: 50)
    #expect(wide.size == PageSize(width: 200, height: 100))
    #expect(wide.cells[0].rectangle == PageRectangle(left: 50, bottom: 30, width: 120, height: 60))
    setup.fit = .cover
    setup.orientation = .portrait
    let cover = try setup.plan(width: 100, height: 50)
    #expect(cover.cells[0].visible == PageRectangle(left: 40, bottom: 30, width: 40, height: 160))
    #expect(
      cover.cells[0].rectangle == PageRectangle(left: -100, bottom: 30, width: 320, height: 160))
    setup.fit = .fill
    #expect(try setup.plan(width: 100, height: 50).cells[0].rectangle == cover.cells[0].visible)
    try setup.setMargins("60pt")
    #expect(throws: PDFError.noRoom(width: 100, height: 200)) {
      try setup.plan(width: 100, height: 50)
    }
  }

  @Test func longCaptionsShrinkAndThenFail() throws {
    let folder = TestFolder()
    try folder.book { writer in
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg()))
      var setup = PageSetup(dpi: 72)
      let short = try setup.page(picture, caption: "short").captions[0]
      #expect(short.fontSize == 10 && short.centre == 48)
      let long = try setup.page(picture, caption: "thirty letters and more of them").captions[0]
      #expect(long.fontSize < 10 && long.fontSize > 4)
      try setup.setMargins("0 20pt 0 0")
      let text = String(repeating: "x", count: 60)
      #expect(throws: PDFError.captionTooLong(text, room: 80)) {
        try setup.page(picture, caption: text)
      }
      try writer.addPage(setup.page(picture))
    }
  }
}
