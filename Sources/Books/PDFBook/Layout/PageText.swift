import ImageCore
import Platform
import TextShaping

/// The text of a page: a title, paragraphs, or both.
package struct PageText: Sendable, Hashable {
  /// The title; empty for none.
  package var title: String
  /// The paragraphs, separated by blank lines; empty for none. A single line end counts as a space.
  package var text: String
  /// The titles that lead to the page in the outline, the outermost first; empty for none.
  package var outline: [String]
  /// The vertical position between the margins, on a page with only text.
  package var position = TextPosition.middle
  /// The area above the pictures of the page, in points; nil on a page with only text.
  package var area: PageRectangle?

  package init(title: String = "", text: String = "", outline: [String] = [], area: PageRectangle? = nil) {
    (self.title, self.text, self.outline, self.area) = (title, text, outline, area)
  }

  /// The paragraphs, with line ends inside them replaced by spaces.
  var paragraphs: [String] {
    var found: [[Substring]] = [[]]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.isEmpty { found.append([]) } else { found[found.count - 1] += words }
    }
    return found.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
  }
}

extension Arguments {
  /// Whether the book has the layout `auto`.
  package var isDesigned: Bool { text("layout") == LayoutKind.auto.rawValue }

  /// The text of the title page: the value of the option, or else the book's title if the layout is `auto`; empty for
  /// none.
  package var titlePage: String {
    optionalText("title_page") ?? (isDesigned ? optionalText("title") ?? "" : "")
  }

  /// Whether a style determines the title page's font sizes.
  package var hasDesignedTitle: Bool {
    isDesigned && !given.contains { $0.name == "title_page_size" }
  }
}

/// The font sizes, in points, of texts on pages without pictures or above the pictures of a page.
package struct PageType: Sendable, Hashable {
  /// The size of a title without paragraphs, such as that of a chapter.
  package var title: Double
  /// The size of a title above paragraphs.
  package var heading: Double
  /// The size of paragraphs. The distance between their lines is `baseline` or a multiple of it.
  package var text: Double
  package var baseline: Double

  package init(title: Double, heading: Double, text: Double, baseline: Double) {
    (self.title, self.heading, self.text, self.baseline) = (title, heading, text, baseline)
  }

  /// Creates the sizes for books without a style. They grow with the square root of the page's shorter side.
  ///
  /// - Parameter size: the size of the page in points.
  package init(on size: PageSize) {
    let factor = (min(size.width, size.height) / LayoutOptions.defaultPaper.width).squareRoot()
    self.init(title: 28 * factor, heading: 18 * factor, text: 11 * factor, baseline: 15 * factor)
  }
}

/// A part of a book: pictures that begin a page, or a page of text.
package enum BookSegment: Sendable, Hashable {
  /// The range of the pictures in the list of all pictures.
  case pictures(Range<Int>)
  /// A text, with the colour of its page; nil for the book's colour.
  case text(PageText, background: Colour?)

  var pictures: Range<Int>? { if case .pictures(let range) = self { range } else { nil } }

  package var isText: Bool { if case .text = self { true } else { false } }
}

/// Places texts on pages without pictures, or above the pictures of a page.
extension BookLayout {
  /// Blocks of text from top to bottom. `top` is the distance of a block's upper edge from the first block's upper
  /// edge.
  private struct Column {
    var blocks: [(block: TextBlock, top: Double, role: TextRole)] = []
    var height = 0.0

    /// The distance of the first baseline from the top.
    var firstBaseline: Double { blocks.first?.block.lines.first?.baseline ?? 0 }

    /// Adds a block. The distance of its first baseline from the previous baseline is a multiple of a step.
    ///
    /// - Parameter space: the minimum space above the block.
    mutating func add(_ block: TextBlock, _ role: TextRole, space: Double, step: Double) {
      var top = 0.0
      if let last = blocks.last, let line = last.block.lines.last, let first = block.lines.first {
        let baseline = last.top + line.baseline
        let distance = height + space + first.baseline - baseline
        top = baseline + (distance / step - 0.001).rounded(.up) * step - first.baseline
      }
      blocks.append((block, top, role))
      height = top + block.height
    }
  }

  /// The maximum length of a line in paragraphs, as a multiple of the font size: about 70 letters.
  private static let longestLine = 34.0
  /// The space between a title and the first paragraph, and between paragraphs, as multiples of `PageType.baseline`.
  private static let spaceAfterTitle = 0.5
  private static let spaceBetween = 0.5

  /// Returns the title and paragraphs of a page, each at its place.
  ///
  /// A text above pictures begins at the upper left corner of its area. A text on a page of its own is between the
  /// margins, at its `position`.
  ///
  /// - Parameters:
  ///   - number: the page's number from 1, for notes.
  ///   - notes: receives a note for each text that is not shown in full.
  /// - Throws: `PDFError.text` or `PDFError.noRoom` if there is no room.
  package func placed(
    _ text: PageText, on plan: PlannedPage, number: Int, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) -> [PlacedText] {
    let content = try contentArea(of: plan.size)
    let area = text.area ?? content
    let ground = plan.background ?? setup.background ?? .white
    let ink = ground.isLight ? Colour.black : .white
    let type = type ?? PageType(on: plan.size)
    let width = text.area == nil ? Self.width(of: text, type, in: area) : area.width
    let column = try column(
      text, type, ink: ink, width: width, isAlone: text.area == nil, number: number, with: layouter, notes: &notes)
    guard column.height <= area.height + 0.01 else {
      let whole = [text.title, text.text].filter { !$0.isEmpty }.joined(separator: "\n")
      throw .text(
        .tooHigh(
          text.text.isEmpty ? "title" : "text", text: whole, height: column.height, room: area.height,
          hasSizeOption: false))
    }
    let below = text.area == nil ? (area.height - column.height) * text.position.fractionBelow : 0
    let margin = options.print.margin
    let left = margin + area.left + (text.area == nil ? (area.width - width) / 2 : 0)
    var top = text.area == nil ? area.bottom + below + column.height : area.top
    if let step = options.baseline {
      // The first baseline moves down to the next line of the grid. If there is no room, it moves up on a page with
      // only text.
      let baseline = top - column.firstBaseline
      let move = baseline - BaselineGrid(step: step, height: plan.size.height).atOrBelow(baseline)
      if top - move - column.height >= area.bottom - 0.01 {
        top -= move
      } else if text.area == nil, top + step - move <= area.top + 0.01 {
        top += step - move
      }
    }
    return column.blocks.map { PlacedText($0.block, left: left, top: margin + top - $0.top, role: $0.role) }
  }

  /// Returns the height of a text above pictures, in points.
  ///
  /// - Parameter width: the width of its area.
  package func height(of text: PageText, width: Double, on size: PageSize, with layouter: TextLayouter)
    throws(PDFError) -> Double
  {
    var notes: [TextNote] = []
    return try column(
      text, type ?? PageType(on: size), ink: .black, width: width, isAlone: false, number: 1, with: layouter,
      notes: &notes
    ).height
  }

  private static func width(of text: PageText, _ type: PageType, in area: PageRectangle) -> Double {
    text.text.isEmpty ? area.width : min(area.width, longestLine * type.text)
  }

  private func column(
    _ text: PageText, _ type: PageType, ink: Colour, width: Double, isAlone: Bool, number: Int,
    with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) -> Column {
    var column = Column()
    let paragraphs = text.paragraphs
    if !TextError.isInvisible(text.title) {
      let isCentred = isAlone && paragraphs.isEmpty
      var style = TextStyle(
        size: paragraphs.isEmpty ? type.title : type.heading, colour: ink, alignment: isCentred ? .centre : .start)
      style.leading = BaselineGrid.leading(ofSize: style.size, step: type.baseline)
      let block = try layouter.title(
        text.title, style: style, width: width, option: "title", page: number, notes: &notes)
      column.add(block, .heading, space: 0, step: type.baseline)
    }
    for (index, paragraph) in paragraphs.enumerated() {
      var style = TextStyle(size: type.text, colour: ink, alignment: .start)
      style.leading = BaselineGrid.leading(ofSize: type.text, step: type.baseline)
      let block = try layouter.block(paragraph, style: style, width: min(width, Self.longestLine * type.text))
      notes += block.notes(page: number, option: "text")
      let space = index == 0 ? Self.spaceAfterTitle : Self.spaceBetween
      column.add(block, .paragraph, space: space * type.baseline, step: type.baseline)
    }
    return column
  }
}
