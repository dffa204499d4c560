import ImageCore
import Testing

@testable import PDFBook
@testable import TextShaping

/// Captions of several lines on pages with several pictures.
@Suite(.enabled(if: TextLayouter.problem == nil)) struct CaptionLinesTests {
  static let long = "Two children and a dog run towards the sea, and far behind them comes a man"
  /// A long caption, none, and a short one in turn.
  static let captions = (0..<12).map { [long, "", "Sea"][$0 % 3] }
  static let pictures = captions.enumerated().map { index, caption in
    LayoutPicture(
      width: [300, 300, 200][index % 3], height: 200, hasCaption: !caption.isEmpty)
  }

  static func layout(_ kind: LayoutKind, _ position: CaptionPosition) -> BookLayout {
    var layout = BookLayout()
    layout.options.kind = kind
    layout.options.rowGap = 6
    layout.options.columnGap = 6
    layout.setup.margins = PageMargins(top: 30, right: 30, bottom: 30, left: 30)
    layout.setup.captions.position = position
    return layout
  }

  @Test(arguments: [LayoutKind.grid, .justified, .masonry, .spread], CaptionPosition.allCases)
  func stayWithTheirPictures(kind: LayoutKind, position: CaptionPosition) throws {
    var layout = Self.layout(kind, position)
    let layouter = try TextLayouter()
    let style = TextStyle(size: layout.setup.captions.size, maximumLines: 3)
    layout.measurer = CaptionMeasurer(Self.captions, style: style, with: layouter)
    var maximumLines = 0
    for plan in try layout.pages(of: Self.pictures) {
      var notes: [TextNote] = []
      let page = try layout.page(plan, captions: style, number: 1, with: layouter, notes: &notes) { index in
        let stand = LaidPicture.standIn(caption: Self.captions[index])
        return stand
      }
      for text in page.texts {
        maximumLines = max(maximumLines, text.block.lines.count)
        let box = text.coverage
        #expect(box.bottom >= 29.9 && box.top <= plan.size.height - 29.9)
        for (index, placement) in page.placements.enumerated() {
          guard case .caption(let own) = text.role, position != .over || own != index else { continue }
          let common = box.intersection(placement.clip ?? placement.rectangle)
          #expect(common.width < 0.01 || common.height < 0.01, "\(text.block.text)")
        }
        for other in page.texts where other.left != text.left || other.top != text.top {
          let common = box.intersection(other.coverage)
          #expect(common.width < 0.01 || common.height < 0.01, "\(text.block.text)")
        }
      }
    }
    #expect((maximumLines > 1) == (kind != .spread) || position == .over)
  }

  /// A row's pictures stand in line, those without a caption, too, and leave room for the longest.
  @Test(arguments: [CaptionPosition.below, .above]) func rowsStandInLine(position: CaptionPosition)
    throws
  {
    var layout = Self.layout(.grid, position)
    (layout.options.rows, layout.options.columns) = (2, 3)
    let alike = Self.captions.map {
      LayoutPicture(width: 300, height: 200, hasCaption: !$0.isEmpty)
    }
    func rows() throws -> [ArraySlice<PageCell>] {
      let cells = try layout.pages(of: alike)[0].cells
      return [cells[0..<3], cells[3..<6]]
    }
    for row in try rows() {
      #expect(
        Set(row.map(\.visible.bottom)).count == 1 && Set(row.map(\.visible.height)).count == 1)
      #expect(row.map { $0.caption == nil } == [false, true, false])
    }
    let short = try rows()[0].first!
    layout.measurer = CaptionMeasurer(
      Self.captions, style: TextStyle(size: 10, maximumLines: 3), with: try TextLayouter())
    let high = try rows()[0].first!
    #expect(short.frame.height - high.frame.height > 20)
    #expect(try rows()[0].compactMap { $0.caption?.lines } == [3, 3])
  }

  /// Captions have fewer lines if they would take the pictures' space.
  @Test func leaveRoomForPictures() throws {
    var layout = Self.layout(.grid, .below)
    (layout.options.rows, layout.options.columns) = (15, 3)
    layout.measurer = CaptionMeasurer(
      Self.captions, style: TextStyle(size: 10, maximumLines: 9), with: try TextLayouter())
    let cells = try layout.pages(of: Self.pictures)[0].cells
    #expect(cells.compactMap { $0.caption?.lines }.allSatisfy { $0 == 1 })
    #expect(cells.allSatisfy { $0.visible.height > 20 })
  }
}
