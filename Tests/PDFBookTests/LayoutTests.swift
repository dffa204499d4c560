import ImageCore
import Testing

@testable import PDFBook

/// Properties of every layout with any pictures.
@Suite struct LayoutTests {
  /// Pseudo-random numbers from 0 to 1 (Numerical Recipes' quick generator).
  private struct Randomness {
    var state: UInt32
    mutating func next() -> Double {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Double(state >> 8) / Double(1 << 24)
    }
  }

  private static func pictures(_ count: Int, seed: UInt32, captions: Bool) -> [LayoutPicture] {
    var random = Randomness(state: seed &* 977 &+ 1)
    return (0..<count).map { _ in
      LayoutPicture(
        width: 1 + Int(random.next() * random.next() * 4_000),
        height: 1 + Int(random.next() * 3_000), hasCaption: captions && random.next() < 0.7)
    }
  }

  private static func layouts(seed: UInt32) -> [BookLayout] {
    var random = Randomness(state: seed &* 31 &+ 7)
    func option<Value>(_ values: [Value]) -> Value {
      values[min(values.count - 1, Int(random.next() * Double(values.count)))]
    }
    return LayoutKind.allCases.filter { $0 != .cover && $0 != .auto }.map { kind in
      var setup = PageSetup(
        paper: option([LayoutOptions.defaultPaper, PageSize(width: 400, height: 300)]),
        orientation: option([.portrait, .landscape]),
        margins: PageMargins(top: option([0, 20]), right: option([0, 30]), bottom: option([0, 10]), left: 5),
        fit: option(PageFit.allCases))
      setup.enlarge = option([true, true, false])
      setup.reduce = option([true, true, false])
      var options = LayoutOptions()
      options.kind = kind
      options.rows = option([nil, 1, 3])
      options.columns = option([nil, 2, 5])
      options.cell = option([nil, nil, PageSize(width: 50, height: 45)])
      if options.cell != nil { (options.rows, options.columns) = (nil, nil) }
      (options.rowGap, options.columnGap) = (option([0, 7]), option([0, 3]))
      options.rowHeight = option([nil, 60])
      options.border = option([0, 2])
      options.print.bleed = option([0, 9])
      options.print.pageMultiple = option([1, 4])
      return BookLayout(setup: setup, options: options)
    }
  }

  @Test(arguments: UInt32(0)..<40) func everyLayout(seed: UInt32) throws {
    for layout in Self.layouts(seed: seed) {
      let pictures = Self.pictures(1 + Int(seed) % 23, seed: seed, captions: seed % 3 == 0)
      let pages = try layout.pages(of: pictures)
      let kind = layout.options.kind
      #expect(pages.count % layout.options.print.pageMultiple == 0)
      // All pictures are there in order, those over two pages twice.
      let order = pages.flatMap { $0.cells.map(\.picture) }
      if kind == .spread {
        #expect(order == order.sorted() && Set(order) == Set(pictures.indices), "\(kind)")
      } else {
        #expect(order == Array(pictures.indices), "\(kind)")
      }
      for page in pages { check(page, layout, pictures) }
    }
  }

  private func check(_ page: PlannedPage, _ layout: BookLayout, _ pictures: [LayoutPicture]) {
    let kind = layout.options.kind
    let bleed = layout.options.print.bleed
    let sheet = PageRectangle(
      left: -bleed, bottom: -bleed, width: page.size.width + 2 * bleed,
      height: page.size.height + 2 * bleed)
    for (index, cell) in page.cells.enumerated() {
      let seen = cell.clip ?? cell.visible
      #expect(seen.isInside(sheet), "\(kind): \(cell)")
      #expect(seen.isInside(cell.frame.grown(0.01)), "\(kind): \(cell)")
      #expect(cell.visible.isInside(cell.rectangle), "\(kind): \(cell)")
      #expect(cell.visible.width > 0 && cell.visible.height > 0, "\(kind): \(cell)")
      // Margins are kept at edges without bleed.
      let margins = layout.setup.margins
      if margins.left > 0, kind != .spread { #expect(seen.left >= margins.left - 0.01) }
      if margins.top > 0 { #expect(seen.top <= page.size.height - margins.top + 0.01) }
      if margins.bottom > 0 { #expect(seen.bottom >= margins.bottom - 0.01, "\(kind): \(cell)") }
      // Only `fill` stretches pictures.
      let picture = pictures[cell.picture]
      let aspect = cell.rectangle.width / cell.rectangle.height
      if layout.setup.fit != .fill, layout.options.border == 0 {
        #expect(abs(aspect / picture.aspect - 1) < 1e-6, "\(kind): \(cell)")
      }
      if let slot = cell.caption {
        #expect(slot.baseline > 0 && slot.baseline < cell.visible.bottom, "\(kind): \(cell)")
      }
      for other in page.cells[..<index] {
        let common = cell.frame.intersection(other.frame)
        #expect(common.width < 0.01 || common.height < 0.01, "\(kind): \(cell) and \(other)")
      }
    }
  }

  @Test func captionsStayBelowBesideHigherPicturesWithoutOne() throws {
    var layout = BookLayout(setup: PageSetup(paper: PageSize(width: 230, height: 320)))
    layout.options.kind = .grid
    (layout.options.rows, layout.options.columns) = (1, 2)
    let pictures = [
      LayoutPicture(width: 100, height: 400, hasCaption: false),
      LayoutPicture(width: 400, height: 100, hasCaption: true),
    ]
    let cell = try layout.pages(of: pictures)[0].cells[1]
    #expect(try #require(cell.caption).baseline < cell.visible.bottom, "\(cell)")
  }

  @Test func gridTakesAsManyAsFit() throws {
    var layout = BookLayout(setup: PageSetup(paper: PageSize(width: 230, height: 320)))
    layout.options.kind = .grid
    layout.options.cell = PageSize(width: 50, height: 60)
    (layout.options.rowGap, layout.options.columnGap) = (5, 10)
    let pictures = Self.pictures(30, seed: 3, captions: false)
    // The cells fill the page: 4 * 50 + 3 * 10 = 230 points in width, 5 * 60 + 4 * 5 = 320 in height.
    #expect(try layout.pages(of: pictures).map(\.cells.count) == [20, 10])
    layout.options.columns = 5
    #expect(throws: PDFError.noRoomForCells(rows: 5, columns: 5, width: 230, height: 320)) {
      try layout.pages(of: pictures)
    }
  }

  @Test func justifiedRowsEndAtTheMargin() throws {
    var layout = BookLayout(setup: PageSetup(margins: PageMargins(top: 30, right: 40, bottom: 30, left: 40)))
    layout.options.kind = .justified
    layout.options.rowHeight = 100
    layout.options.columnGap = 6
    let pictures = (0..<40).map { LayoutPicture(width: 300 + $0 * 37 % 400, height: 300) }
    let page = try layout.pages(of: pictures)[0]
    let rows = Dictionary(grouping: page.cells) { ($0.frame.bottom * 100).rounded() }
    #expect(rows.count > 3)
    for row in rows.values {
      let right = row.map { $0.visible.right }.max()!
      #expect(abs(right - (page.size.width - 40)) < 0.01)
      #expect(row[0].visible.height > 50 && row[0].visible.height < 200)
    }
  }

  @Test func widePicturesGoOverTheFold() throws {
    var layout = BookLayout(setup: PageSetup(fit: .cover))
    layout.options.kind = .spread
    layout.options.print.bleed = 9
    let wide = LayoutPicture(width: 300, height: 200)
    let high = LayoutPicture(width: 200, height: 300)
    let pages = try layout.pages(of: [wide, high, high, wide])
    // The first page lies on the right: a picture that cannot begin there has it to itself.
    #expect(pages.map { $0.cells.map(\.picture) } == [[0], [1], [2], [3], [3]])
    let (left, right) = (pages[3].cells[0], pages[4].cells[0])
    #expect(abs(left.rectangle.left - right.rectangle.left - pages[3].size.width) < 1e-6)
    #expect(left.clip?.right == pages[3].size.width + 9)
    // The less wide of two pictures gets a page of its own.
    let panorama = LayoutPicture(width: 900, height: 200)
    let early = try layout.pages(of: [high, panorama, high, wide])
    #expect(early.map { $0.cells.map(\.picture) } == [[0], [1], [1], [2], [3]])
    let late = try layout.pages(of: [high, wide, high, panorama])
    #expect(late.map { $0.cells.map(\.picture) } == [[0], [1], [2], [3], [3]])
    layout.options.binding.startsRight = false
    #expect(try layout.pages(of: [wide]).count == 2)
  }

  /// A book that is read from the right is the mirror image of one that is read from the left: the same pages
  /// in the same order, pictures in the same places but for the sides.
  @Test(arguments: [true, false], [0, 1])
  func fromTheRight(startsAtFront: Bool, before: Int) throws {
    var layout = BookLayout(setup: PageSetup(fit: .cover))
    layout.setup.margins = PageMargins(top: 20, right: 30, bottom: 20, left: 30)
    layout.options.kind = .spread
    layout.options.pagesBefore = before
    layout.options.binding.startsRight = startsAtFront
    let pictures = [(3, 2), (2, 3), (2, 3), (3, 2), (2, 3), (4, 3)].map {
      LayoutPicture(width: $0.0 * 100, height: $0.1 * 100, hasCaption: true)
    }
    let fromLeft = try layout.pages(of: pictures)
    layout.options.binding.isRightToLeft = true
    layout.options.binding.startsRight = !startsAtFront
    let fromRight = try layout.pages(of: pictures)
    #expect(fromLeft.map { $0.cells.map(\.picture) } == fromRight.map { $0.cells.map(\.picture) })
    for (left, right) in zip(fromLeft, fromRight) {
      for (one, other) in zip(left.cells, right.cells) {
        let (a, b) = (one.clip ?? one.visible, other.clip ?? other.visible)
        #expect(abs(a.left - (right.size.width - b.right)) < 1e-6 && abs(a.width - b.width) < 1e-6)
        #expect(abs(one.rectangle.left - (right.size.width - other.rectangle.right)) < 1e-6)
        #expect(one.part == other.part && (one.caption == nil) == (other.caption == nil))
      }
    }
    let shares = fromRight.flatMap { $0.cells.map(\.part) }
    let first = shares.count { $0 == .first }
    #expect(first > 0 && first == shares.count { $0 == .second })
  }

  /// A caption stands right under its picture, not at the margin below.
  @Test(arguments: [0.0, 3]) func captionsOfSpreadsPages(border: Double) throws {
    var layout = BookLayout()
    layout.setup.margins = PageMargins(top: 20, right: 30, bottom: 20, left: 30)
    layout.options.kind = .spread
    layout.options.border = border
    let cell = try layout.pages(of: [LayoutPicture(width: 100, height: 100, hasCaption: true)])[0].cells[0]
    let below = (cell.border ?? cell.visible).bottom - cell.caption!.baseline
    #expect(below > 0 && below < 2 * layout.setup.captions.size)
    #expect(cell.visible.bottom > 100)
  }

  @Test func aCoverFromTheRight() throws {
    var layout = BookLayout(setup: PageSetup(fit: .cover))
    layout.options.kind = .cover
    layout.options.binding.coverThickness = 5
    layout.options.binding.isRightToLeft = true
    let picture = LayoutPicture(width: 4, height: 3)
    let page = try layout.pages(of: [picture, picture])[0]
    #expect(page.cells[0].visible.right < page.cells[1].visible.left)
    #expect(page.cells.map(\.picture) == [0, 1])
  }

  /// The title page is the first right-hand page: other pages follow it and count to a multiple.
  @Test func aTitlePageIsCounted() throws {
    var layout = BookLayout(setup: PageSetup(fit: .cover))
    layout.options.pagesBefore = 1
    layout.options.print.pageMultiple = 4
    let wide = LayoutPicture(width: 300, height: 200)
    #expect(try layout.pages(of: [wide, wide, wide]).count == 3)
    #expect(try layout.pages(of: [wide, wide, wide, wide]).count == 7)
    layout.options.kind = .spread
    layout.options.print.pageMultiple = 1
    let pages = try layout.pages(of: [wide, LayoutPicture(width: 2, height: 3), wide])
    #expect(pages.map { $0.cells.map(\.picture) } == [[0], [0], [1], [2]])
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 3)]) func covers(count: Int, cells: Int) throws {
    var layout = BookLayout(setup: PageSetup(fit: .cover))
    layout.options.kind = .cover
    layout.options.binding.pages = 121
    layout.options.binding.sheetThickness = 0.3
    layout.options.binding.coverThickness = 1
    layout.options.print.bleed = 8
    let page = try layout.pages(of: Array(repeating: LayoutPicture(width: 4, height: 3), count: count))[0]
    // The spine has 61 sheets of 0.3 points, and the cover twice.
    #expect(abs(page.size.width - (2 * LayoutOptions.defaultPaper.width + 20.3)) < 1e-9)
    #expect(page.cells.count == cells)
    #expect(page.cells[0].visible.right == page.size.width + 8)
    #expect(throws: PDFError.coverPictures(4)) {
      try layout.pages(of: Array(repeating: LayoutPicture(width: 4, height: 3), count: 4))
    }
  }

  @Test(
    arguments: [(300.0, nil), (100.0, (200, 100)), (72.0, (144, 72))] as [(Double, (Int, Int)?)])
  func picturesAreResizedOnlyWhereTheyAreLarger(dpi: Double, size: (Int, Int)?) throws {
    var layout = BookLayout(setup: PageSetup(fit: .cover))
    layout.options.maximumDPI = dpi
    let picture = LayoutPicture(width: 600, height: 400)
    let cell = try layout.placed(picture, 0, in: PageRectangle(left: 0, bottom: 0, width: 144, height: 72), fit: .cover)
    let found = layout.pixelSize(of: picture, in: cell)
    #expect(found?.width == size?.0 && found?.height == size?.1)
  }

  @Test func namesAreShortenedInTheMiddle() throws {
    let (text, size) = try Caption.shortened("IMG_20240101_a_very_long_name_0001.jpg", size: 8, room: 70)
    #expect(text.hasPrefix("IMG_2") && text.hasSuffix("1.jpg") && text.contains("…"))
    let width = Helvetica.width(try WinAnsi.bytes(text), size: size)
    #expect(size == 6 && width <= 70)
    #expect(try Caption.shortened("short", size: 8, room: 70) == ("short", 8))
    #expect(try Caption.shortened("x", size: 8, room: 0.1).text == "…")
    let million = String(repeating: "m", count: 1_000_000)
    #expect(try Caption.shortened(million, size: 8, room: 100).text.count < 40)
  }
}
