import ImageCore
import Platform
import TextShaping

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
  /// The space between a title and the first paragraph, and between paragraphs, as multiples of the line height.
  private static let spaceAfterTitle = 0.5
  private static let spaceBetween = 0.5

  /// Returns the title and paragraphs of a page, each at its place.
  ///
  /// A text above pictures begins at the upper left corner of its area. A text on a page of its own is between the
  /// margins, slightly above the centre.
  ///
  /// - Parameters:
  ///   - number: the page's number from 1, for notes.
  ///   - notes: receives a note for each text that is not shown in full.
  /// - Throws: `PDFError.text` if there is no room.
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
      throw .text(.tooHigh("the text of a page", text: whole, height: column.height, room: area.height))
    }
    let below = text.area == nil ? (area.height - column.height) * text.position.fractionBelow : 0
    let margin = options.print.margin
    let left = margin + area.left + (text.area == nil ? (area.width - width) / 2 : 0)
    var top = text.area == nil ? area.bottom + below + column.height : area.top
    if let step = options.baseline {
      // The first baseline moves down to the next line of the grid, or up to the previous one if there is no room.
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
