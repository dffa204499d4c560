import ImageCore
import PictureTraits
import Testing

@testable import PDFBook
@testable import TextShaping

/// Borders, bleed and the places of captions, in every layout.
struct LayoutEdgeTests {
  private static let pictures = (0..<14).map {
    LayoutPicture(width: [300, 200, 450, 1_000][$0 % 4], height: [200, 300, 450, 240][$0 % 4], hasCaption: false)
  }

  private static func captioned(_ pictures: [LayoutPicture]) -> [LayoutPicture] {
    pictures.map { LayoutPicture(width: $0.width, height: $0.height, hasCaption: true) }
  }

  /// A layout of one kind, without margins.
  private static func layout(_ kind: LayoutKind, fit: PageFit = .inside, paper: Bool = true) -> BookLayout {
    var layout = BookLayout(setup: PageSetup(paper: paper ? LayoutOptions.defaultPaper : nil, fit: fit))
    layout.options.kind = kind
    return layout
  }

  private static func pictures(for kind: LayoutKind) -> [LayoutPicture] {
    kind == .cover ? Array(pictures.prefix(2)) : pictures
  }

  // MARK: Crops

  /// A part that must stay is visible in every layout that cuts; a picture without room for it is shown whole.
  @Test(arguments: [LayoutKind.single, .grid, .spread], [nil, CropPosition.gravity(.centre), .smart(.attention)])
  func aPartThatMustStayIsVisible(kind: LayoutKind, position: CropPosition?) throws {
    for border in [0.0, 4] { try checkThatPartsStay(kind, position, border: border) }
  }

  private func checkThatPartsStay(_ kind: LayoutKind, _ position: CropPosition?, border: Double) throws {
    var layout = Self.layout(kind, fit: .cover)
    (layout.options.position, layout.options.border) = (position, border)
    for keep in [
      UnitRectangle(left: 0, top: 0, width: 0.2, height: 0.1),
      UnitRectangle(left: 0.8, top: 0.7, width: 0.2, height: 0.3), .whole,
    ] {
      let pictures = Self.pictures.map { LayoutPicture(width: $0.width, height: $0.height, keep: keep) }
      for cell in try layout.pages(of: pictures).flatMap(\.cells) {
        let (whole, seen) = (cell.rectangle, cell.visible.grown(0.02))
        let part = PageRectangle(
          left: whole.left + keep.left * whole.width, bottom: whole.bottom + (1 - keep.bottom) * whole.height,
          width: keep.width * whole.width, height: keep.height * whole.height)
        #expect(part.isInside(seen), "\(cell)")
        guard cell.visible != whole else { continue }
        guard case .focus = layout.position(in: cell) else { Issue.record("\(cell) is not settled"); continue }
      }
    }
  }

  // MARK: Borders

  @Test(arguments: LayoutKind.allCases.filter { $0 != .auto }, [PageFit.inside, .cover, .fill])
  func aBorderHasOneWidthAndStaysOnThePage(kind: LayoutKind, fit: PageFit) throws {
    for bleed in [0.0, 9] {
      for hasPaper in [true, false] {
        var layout = Self.layout(kind, fit: fit, paper: hasPaper)
        layout.options.border = 4
        layout.options.print.bleed = bleed
        for page in try layout.pages(of: Self.pictures(for: kind)) {
          let trim = PageRectangle(left: 0, bottom: 0, width: page.size.width, height: page.size.height)
          for cell in page.cells {
            let border = try #require(cell.border)
            let seen = cell.clip ?? cell.visible
            #expect(border.isInside(trim.grown(bleed + 0.01)), "\(kind): \(cell)")
            // The visible rest after trimming; there is no border at the spine.
            let (outer, inner) = (border.intersection(trim), seen.intersection(trim))
            let widths = [
              inner.left - outer.left, outer.right - inner.right, inner.bottom - outer.bottom,
              outer.top - inner.top,
            ]
            let folds = kind == .spread && cell.clip != nil ? 1 : 0
            #expect(widths.count { abs($0 - 4) < 0.01 } == 4 - folds, "\(kind): \(widths)")
            #expect(widths.count { abs($0) < 0.01 } == folds, "\(kind): \(widths)")
            // At an edge of the page the border fills the bleed, so that inexact trimming leaves no white.
            if bleed > 0, outer.left < 0.01, kind != .spread { #expect(border.left == -bleed) }
          }
        }
      }
    }
  }

  @Test(arguments: [LayoutKind.justified, .masonry])
  func aBorderCutsNothing(kind: LayoutKind) throws {
    var layout = Self.layout(kind)
    layout.options.border = 6
    layout.options.columnGap = 3
    for page in try layout.pages(of: Self.pictures) {
      for cell in page.cells {
        let picture = Self.pictures[cell.picture]
        #expect(cell.visible == cell.rectangle)
        #expect(abs(cell.visible.width / cell.visible.height / picture.aspect - 1) < 1e-9)
        #expect(abs((cell.border ?? cell.frame).left - cell.frame.left) < 0.01)
      }
    }
  }

  @Test(arguments: LayoutKind.allCases.filter { $0 != .auto })
  func aBorderThatLeavesNothingIsRefused(kind: LayoutKind) throws {
    var layout = Self.layout(kind)
    layout.options.border = 2_000
    #expect(throws: PDFError.self) { try layout.pages(of: Self.pictures(for: kind)) }
  }

  // MARK: Bleed

  @Test(arguments: [LayoutKind.justified, .masonry])
  func outerPicturesReachIntoTheBleed(kind: LayoutKind) throws {
    var layout = Self.layout(kind)
    layout.options.print.bleed = 9
    (layout.options.rowGap, layout.options.columnGap) = (5, 5)
    layout.options.rowHeight = 150
    let pages = try layout.pages(of: Self.pictures + Self.pictures)
    for page in pages.dropLast() {
      let lefts = page.cells.map(\.visible.left)
      let rights = page.cells.map(\.visible.right)
      #expect(lefts.min() == -9 && rights.max() == page.size.width + 9)
      #expect(page.cells.map(\.visible.top).max() == page.size.height + 9)
      for cell in page.cells {
        // Inner edges do not move, and nothing is stretched.
        #expect(abs(cell.visible.left + 9) < 1e-6 || cell.visible.left > 4)
        let picture = Self.pictures[cell.picture % Self.pictures.count]
        #expect(abs(cell.rectangle.width / cell.rectangle.height / picture.aspect - 1) < 1e-9)
      }
    }
    // Nothing bleeds on a page with margins.
    layout.setup.margins = PageMargins(top: 20, right: 20, bottom: 20, left: 20)
    for page in try layout.pages(of: Self.pictures) {
      for cell in page.cells { #expect(cell.visible.left > 19.99 && cell.visible.top < 822) }
    }
  }

  @Test func aPageAsLargeAsItsPictureBleedsWhateverItsFitIsCalled() throws {
    for fit in [PageFit.inside, .contain, .cover] {
      var layout = Self.layout(.single, fit: fit, paper: false)
      layout.options.print.bleed = 9
      let page = try layout.pages(of: [Self.pictures[0]])[0]
      #expect(page.cells[0].visible.left == -9 && page.cells[0].visible.top == page.size.height + 9)
    }
  }

  // MARK: Captions

  @Test(arguments: LayoutKind.allCases.filter { $0 != .auto }, CaptionPosition.allCases)
  func captionsStandWhereTheyAreAskedTo(kind: LayoutKind, position: CaptionPosition) throws {
    for border in [0.0, 3] {
      var layout = Self.layout(kind)
      layout.setup.captions.position = position
      layout.setup.margins = PageMargins(top: 30, right: 30, bottom: 30, left: 30)
      layout.options.border = border
      layout.options.rowGap = 4
      let pictures = Self.captioned(Self.pictures(for: kind))
      let em = layout.setup.captions.size
      for page in try layout.pages(of: pictures) {
        for cell in page.cells {
          guard let slot = cell.caption else { continue }
          let outer = cell.border ?? cell.visible
          // The range from the lower to the upper end of the letters.
          let (low, high) = (slot.baseline - em * 0.25, slot.baseline + em * 0.95)
          switch position {
          case .below: #expect(high < outer.bottom + 0.01 && low >= 30 - 0.01)
          case .above: #expect(low > outer.top && high <= page.size.height - 30 + 0.01)
          case .over: #expect(low > cell.visible.bottom && high < cell.visible.top)
          }
          // A caption covers no other picture.
          for other in page.cells where other.picture != cell.picture {
            let box = PageRectangle(
              left: slot.centre - slot.width / 2, bottom: low, width: slot.width, height: high - low)
            let common = box.intersection(other.visible)
            #expect(common.width < 0.01 || common.height < 0.01, "\(cell) \(other)")
          }
        }
      }
    }
  }

  /// The captions of a row in a grid share a baseline next to the highest picture, whatever space the cells
  /// leave.
  @Test(arguments: [CaptionPosition.below, .above], [0.0, 3])
  func captionsOfARowStandBesideItsHighestPicture(position: CaptionPosition, border: Double) throws {
    var layout = Self.layout(.grid)
    layout.setup.captions.position = position
    layout.options.border = border
    (layout.options.rows, layout.options.columns) = (2, 2)
    // The first row is of wide pictures, the second of a high one and a wide one.
    let pictures = Self.captioned([0, 3, 1, 3].map { Self.pictures[$0] })
    let cells = try layout.pages(of: pictures)[0].cells
    let gap = layout.setup.captions.size * (position == .below ? 1.3 : 0.7)
    for row in [cells[0..<2], cells[2..<4]] {
      let boxes = row.map { $0.border ?? $0.visible }
      let nearest = position == .below ? boxes.map(\.bottom).min()! - gap : boxes.map(\.top).max()! + gap
      for cell in row { #expect(abs(cell.caption!.baseline - nearest) < 0.001, "\(cell)") }
    }
    let free = cells[0].visible.bottom - cells[0].frame.bottom
    #expect(free > 50)
    // Lower pictures are aligned, so that no caption is far from its own.
    for cell in cells {
      let box = cell.border ?? cell.visible
      let distance = position == .below ? box.bottom - cell.caption!.baseline : cell.caption!.baseline - box.top
      #expect(abs(distance - gap) < 0.001 && box.isInside(cell.frame.grown(0.001)), "\(cell)")
    }
  }

  /// A background is what they stand beside where there is one.
  @Test func captionsStandBesideTheCellsBackground() throws {
    var layout = Self.layout(.grid)
    layout.options.cellBackground = .black
    (layout.options.rows, layout.options.columns) = (2, 2)
    for cell in try layout.pages(of: Self.captioned(Self.pictures))[0].cells {
      #expect(abs(cell.caption!.baseline - (cell.frame.bottom - 13)) < 0.001)
    }
  }

  /// A picture that does not fill its column keeps its caption.
  @Test(arguments: [LayoutKind.masonry, .cover])
  func captionsFollowSmallPictures(kind: LayoutKind) throws {
    var layout = Self.layout(kind)
    layout.setup.enlarge = false
    let small = LayoutPicture(width: 60, height: 40, hasCaption: true)
    let cell = try layout.pages(of: [small])[0].cells[0]
    #expect(cell.visible.height == 30 && cell.frame.height > 100)
    #expect(abs(cell.caption!.baseline - (cell.visible.bottom - 13)) < 0.001)
  }

  /// Trimming cuts off no part of a caption.
  @Test func captionsOnPicturesKeepOutOfTheBleed() throws {
    var layout = Self.layout(.single, fit: .cover)
    layout.setup.captions.position = .over
    layout.options.print.bleed = 9
    let page = try layout.pages(of: Self.captioned([Self.pictures[1]]))[0]
    let slot = try #require(page.cells[0].caption)
    #expect(slot.baseline == 13 && slot.centre == page.size.width / 2)
    #expect(page.cells[0].visible.bottom == -9)
  }

  /// Captions beside pictures stay centred on them.
  @Test(arguments: [LayoutKind.single, .grid, .justified, .masonry])
  func captionsBesidePicturesKeepOffTheEdge(kind: LayoutKind) throws {
    for position in [CaptionPosition.below, .above] {
      var layout = Self.layout(kind)
      layout.setup.captions.position = position
      layout.options.print.bleed = 9
      for page in try layout.pages(of: Self.captioned(Self.pictures)) {
        for cell in page.cells {
          let slot = try #require(cell.caption)
          #expect(slot.centre - slot.width / 2 > 7.99)
          #expect(slot.centre + slot.width / 2 < page.size.width - 7.99)
        }
      }
    }
  }

  /// Rows begin at the upper margin, below any captions above them, so that facing pages are aligned.
  @Test(arguments: CaptionPosition.allCases) func rowsBeginAtTheTop(position: CaptionPosition)
    throws
  {
    var layout = Self.layout(.justified)
    layout.setup.margins = PageMargins(top: 20, right: 20, bottom: 20, left: 20)
    layout.setup.captions.position = position
    for page in try layout.pages(of: Self.captioned(Self.pictures + Self.pictures)) {
      let top = page.cells.map(\.visible.top).max()!
      #expect(abs(top - (page.size.height - (position == .above ? 40 : 20))) < 0.01)
    }
  }

  @Test func aCaptionOnAPictureHasALabel() throws {
    let layouter = try TextLayouter()
    var layout = Self.layout(.single)
    layout.setup.captions.position = .over
    layout.setup.captions.background = .white
    let block = try layouter.layout("Paris\nin spring", style: TextStyle(font: "DejaVu Sans"), width: 200)
    let text = PlacedText(block, left: 50, top: 100)
    let page = try layout.singlePage(LayoutPicture(width: 300, height: 200), 0)
    func ground() -> PageShape? {
      layout.ground(behind: text.backgroundBox, on: page.cells[0], layout.trim(of: page.size))
    }
    guard case .fill(let box, let colour)? = ground() else {
      Issue.record("no label")
      return
    }
    #expect(colour == .white)
    #expect(text.coverage.isInside(box.grown(1)) && box.width > text.coverage.width + 10)
    layout.setup.captions.background = nil
    #expect(ground() == nil)
    layout.setup.captions.background = .black
    layout.setup.captions.position = .below
    #expect(ground() == nil)
  }
}

/// Colours that are mixed with their background.
struct PaperColourTests {
  @Test func coloursAreMixedWithThePaper() throws {
    let arguments = try Arguments(
      RawArguments(named: [
        ("background", .text("transparent")), ("border", .integer(2)), ("border_colour", .text("transparent")),
        ("cell_background", .text("#00000080")),
      ]), parameters: LookTests.parameters, positionalCount: 0)
    let layout = try BookLayout(arguments)
    #expect(layout.setup.background == nil)
    #expect(layout.options.borderColour == nil && layout.options.border == 2)
    #expect(abs((layout.options.cellBackground?.red ?? 0) - 127.0 / 255) < 0.001)
  }
}
