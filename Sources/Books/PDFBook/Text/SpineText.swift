import ImageCore

/// One line of text along a cover's spine.
public struct SpineText: Sendable {
  public let text: String
  public let style: TextStyle
  public let turn: TextTurn
  /// Over all of the spine and its bleed; nil for none.
  public let background: Colour?

  /// Points: 5 mm. On a thinner spine no letters can be read, and a binder's tolerance moves them over its edge.
  static let thinnestSpine = 5 * 72 / 25.4
  /// Points left free beside the letters: 1 mm, and a tenth of a thick spine.
  static func edge(of spine: Double) -> Double { max(72 / 25.4, spine / 10) }
  /// Points left free above and below them where the page's margins leave less: 5 mm.
  static let end = 5 * 72 / 25.4

  /// From arguments that `TextParameters.all` has checked; nil where there is none.
  public init?(_ arguments: Arguments) {
    // Several lines become one.
    let words = (arguments.optionalText("spine_text") ?? "").split(whereSeparator: \.isNewline)
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
    text = words.joined(separator: " ")
    style = TextStyle(runningLine: "spine_text", of: arguments)
    turn = TextTurn(rawValue: arguments.text("spine_text_runs"))!
    background = arguments.optionalColour("spine_text_background")?.visible
  }

  /// Why it cannot be set in a layout; nil where it can.
  public func problem(on layout: BookLayout) -> String? {
    guard layout.options.kind == .cover else {
      return "'spine_text' is for a cover; add layout = \"cover\""
    }
    let spine = layout.options.binding.spine
    // Sums of hundredths of a millimetre are not exact.
    guard spine < Self.thinnestSpine - 0.001 else { return nil }
    let millimetres = PDFNumber.text((spine * 25.4 / 72 * 100).rounded() / 100)
    return
      "'spine_text' needs a spine of 5 mm or more, and this one has \(millimetres) mm (cover_pages by two, "
      + "times paper_thickness, and twice cover_thickness); leave it out"
  }
}

extension PDFPage {
  /// Puts a text on the spine of a cover, over what is there.
  public mutating func add(
    _ spine: SpineText, of layout: BookLayout, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) {
    let margin = layout.options.print.margin
    if let colour = spine.background {
      over.insert(.fill(layout.spineArea.offset(margin, margin), colour), at: 0)
    }
    texts.append(
      try layout.placed(spine, with: layouter, notes: &notes).moved(margin, margin))
  }
}

extension BookLayout {
  /// The spine of a cover with its bleed.
  var spineArea: PageRectangle {
    let (page, bleed) = (pageSize, options.print.bleed)
    return PageRectangle(
      left: page.width, bottom: -bleed, width: options.binding.spine,
      height: page.height + 2 * bleed)
  }

  /// The text in the middle of the spine, in letters as small as the spine's thickness asks for, and its length down
  /// to three fifths of their size; then shortened.
  ///
  /// - Parameters:
  ///   - spine: in which `problem(on:)` finds nothing wrong.
  ///   - notes: gets what could not be shown.
  func placed(
    _ spine: SpineText, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) -> PlacedText {
    let page = pageSize
    let thickness = options.binding.spine
    let across = thickness - 2 * SpineText.edge(of: thickness)
    let (above, below) = (
      max(setup.margins.top, SpineText.end), max(setup.margins.bottom, SpineText.end)
    )
    let length = page.height - above - below
    guard length >= across else { throw .noRoom(width: page.width, height: page.height) }
    var style = spine.style
    let whole = try layouter.block(spine.text, style: style, width: .infinity)
    style.size *= min(1, across / max(whole.height, 0.001))
    let line = whole.lines.map(\.width).max() ?? 0
    let need = line * style.size / spine.style.size
    if need > length { style.size *= max(0.6, length / need * 0.995) }
    guard style.size >= min(spine.style.size, TextStyle.smallestSize) else {
      throw .text(.tooHigh("spine_text", text: spine.text, height: whole.height, room: across))
    }
    let block = try layouter.block(spine.text, style: style, width: length)
    notes += block.notes(page: 1, option: "spine_text")
    let middle = page.width + thickness / 2
    var placed =
      switch spine.turn {
      case .up: PlacedText(block, left: middle - block.height / 2, top: below, turn: .up)
      case .down, .none:
        PlacedText(
          block, left: middle + block.height / 2, top: page.height - above, turn: .down)
      }
    placed.language = style.language
    return placed
  }
}
