import ImageCore
import TestSupport
import Testing

@testable import PDFBook

/// No page is blank or nearly empty, whatever the number of pictures.
@Suite struct PageFillingTests {
  static let counts = [1, 2, 3, 4, 7, 13, 40, 101]
  private static let shapes = [
    (450, 300), (300, 450), (450, 300), (400, 400), (720, 240), (300, 450), (450, 338), (300, 450),
    (450, 300), (338, 450), (480, 270),
  ]

  /// Portraits, landscapes, squares and panoramas.
  static func pictures(_ count: Int, captions: Bool = false) -> [LayoutPicture] {
    var state = UInt32(7)
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      let shape = shapes[Int(state >> 16) % shapes.count]
      return LayoutPicture(width: shape.0, height: shape.1, hasCaption: captions)
    }
  }

  private static func layout(_ kind: LayoutKind, margin: Double, bleed: Double = 0) -> BookLayout {
    var layout = BookLayout(
      setup: PageSetup(paper: PageSize(width: 567, height: 567), fit: .cover))
    if margin > 0 { layout.setup.paper = LayoutOptions.defaultPaper }
    layout.setup.margins = PageMargins(top: margin, right: margin, bottom: margin, left: margin)
    layout.options.kind = kind
    layout.options.print.bleed = bleed
    (layout.options.rowGap, layout.options.columnGap) = (6, 6)
    return layout
  }

  @Test(arguments: counts, [true, false]) func spreadsHaveNoBlankPage(
    count: Int, startsRight: Bool
  ) throws {
    var layout = Self.layout(.spread, margin: 0, bleed: 9)
    layout.options.binding.startsRight = startsRight
    let pages = try layout.pages(of: Self.pictures(count))
    #expect(pages.allSatisfy { $0.cells.count == 1 })
    for (index, page) in pages.enumerated() where page.cells[0].part == .first {
      #expect(layout.options.binding.isOnRight(index + 1) == false)
      #expect(pages[index + 1].cells[0].picture == page.cells[0].picture)
    }
    if count > 10 { #expect(pages.count > count) }
  }

  @Test(arguments: [LayoutKind.justified, .masonry], counts)
  func pagesAreFilledAlike(kind: LayoutKind, count: Int) throws {
    for captions in [true, false] {
      let layout = Self.layout(kind, margin: 34)
      let pages = try layout.pages(of: Self.pictures(count, captions: captions))
      for page in pages {
        #expect(abs(page.cells.map(\.visible.top).max()! - (page.size.height - 34)) < 0.01)
        #expect(page.cells.allSatisfy { $0.visible == $0.rectangle })
      }
      guard pages.count > 1 else { continue }
      let used = pages.map { page in
        page.cells.reduce(0) { $0 + $1.visible.width * $1.visible.height }
          / (page.size.width - 68) / (page.size.height - 68)
      }
      let mean = used.reduce(0, +) / Double(used.count)
      #expect(used.allSatisfy { $0 > 0.35 } && used.last! > mean * 0.6, "\(used)")
      #expect(pages.last!.cells.count > 1)
    }
  }

  @Test(arguments: [LayoutKind.justified, .masonry], [13, 40, 101])
  func pagesWithBleedAreFilled(kind: LayoutKind, count: Int) throws {
    var layout = Self.layout(kind, margin: 0, bleed: 9)
    if kind == .masonry { layout.options.columns = 2 }
    for page in try layout.pages(of: Self.pictures(count)) {
      let columns =
        kind == .masonry
        ? [true, false].map { isLeft in page.cells.filter { ($0.visible.left < 200) == isLeft } }
        : [page.cells]
      for column in columns { #expect(column.map(\.visible.bottom).min() == -9, "\(page)") }
      // At most a third of a picture is cut off, apart from the bleed.
      for cell in page.cells {
        let kept = cell.visible.width * cell.visible.height
        #expect(kept / (cell.rectangle.width * cell.rectangle.height) > 0.6)
      }
    }
  }

  /// The last two pages of a grid share whole rows where the last would be nearly empty; there is no page more.
  @Test(arguments: [
    (13, 4, 3, [9, 4]), (40, 4, 3, [12, 12, 9, 7]), (17, 4, 3, [9, 8]), (18, 4, 3, [12, 6]),
    (12, 4, 3, [12]), (7, 1, 3, [3, 2, 2]), (13, 2, 3, [6, 3, 4]), (5, 4, 1, [3, 2]),
    (3, 1, 1, [1, 1, 1]),
    (31, 6, 5, [20, 11]), (40, 3, 3, [9, 9, 9, 9, 4]), (2, 2, 5, [2]),
  ])
  func aGridsLastPageIsBalanced(count: Int, rows: Int, columns: Int, shares: [Int]) throws {
    var layout = Self.layout(.grid, margin: 34)
    (layout.options.rows, layout.options.columns) = (rows, columns)
    let pages = try layout.pages(of: Self.pictures(count))
    #expect(pages.map(\.cells.count) == shares)
    #expect(pages.flatMap { $0.cells.map(\.picture) } == Array(0..<count))
    #expect(Set(pages.flatMap { $0.cells.map(\.frame.width) }).count == 1)
    #expect(Set(pages.map { $0.cells[0].frame.top }).count == 1)
    layout.options.balances = false
    let full = try layout.pages(of: Self.pictures(count)).map(\.cells.count)
    #expect(full.dropLast().allSatisfy { $0 == rows * columns } && full.count == shares.count)
  }

  /// A few pictures have fewer columns by default.
  @Test(arguments: [LayoutKind.grid, .masonry], [1, 2, 4])
  func aFewPicturesAreLarge(kind: LayoutKind, count: Int) throws {
    for captions in [true, false] {
      var layout = Self.layout(kind, margin: 34)
      func used() throws -> Double {
        let pages = try layout.pages(of: Self.pictures(count, captions: captions))
        #expect(pages.count == 1)
        return pages[0].cells.reduce(0) { $0 + $1.visible.width * $1.visible.height }
      }
      let free = try used()
      layout.options.columns = 3
      #expect(try free > used() * 1.9)
    }
  }

  /// Rows have about the wanted height.
  @Test(arguments: [40.0, 90, 200]) func rowsAreAsHighAsWanted(height: Double) throws {
    var layout = Self.layout(.justified, margin: 34)
    layout.options.rowHeight = height
    for page in try layout.pages(of: Self.pictures(101)) {
      for cell in page.cells {
        #expect(cell.visible.height > height / 2 && cell.visible.height < height * 2, "\(cell)")
      }
    }
  }

  /// The time follows the number of pictures, not its square.
  @Test(.thorough) func manyPictures() throws {
    var layout = Self.layout(.justified, margin: 34)
    layout.options.rowHeight = 20
    let pictures = Self.pictures(1_000)
    #expect(try layout.pages(of: pictures).flatMap { $0.cells.map(\.picture) } == Array(0..<1_000))
  }

  // MARK: Position

  @Test(arguments: [("top", 1.0), ("bottom", 0.0), ("centre", 0.5), ("attention", 0.5)])
  func gravity(name: String, share: Double) throws {
    var layout = Self.layout(.grid, margin: 0)
    layout.options.position = CropPosition(name: name)
    let high = LayoutPicture(width: 100, height: 300)
    let cell = try layout.pages(of: [high])[0].cells[0]
    let (over, under) = (cell.rectangle.top - cell.visible.top, cell.visible.bottom - cell.rectangle.bottom)
    #expect(abs(under - (over + under) * share) < 1e-6 && over + under > 10)
    #expect(layout.position(in: cell).name == name)
  }

  /// The interesting part is looked for only if more than a tenth is cut off.
  @Test func attentionIsForWhatIsCut() throws {
    var layout = Self.layout(.single, margin: 0)
    for (width, height, name) in [(300, 300, "centre"), (300, 320, "centre"), (300, 400, "attention")] {
      let cell = try layout.singlePage(LayoutPicture(width: width, height: height), 0).cells[0]
      #expect(layout.position(in: cell).name == name)
    }
    layout.options.position = .gravity(.centre)
    let cell = try layout.singlePage(LayoutPicture(width: 300, height: 900), 0).cells[0]
    #expect(layout.position(in: cell).name == "centre")
    #expect(layout.ownPixels(of: LayoutPicture(width: 300, height: 900), in: cell) == (300, 300))
    let moved = cell.rectangle(CropFocus(x: 0.5, y: 0))
    #expect(abs(moved.top - cell.visible.top) < 1e-6 && moved.width == cell.rectangle.width)
  }
}
