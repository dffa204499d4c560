import ImageCore
import TextShaping

/// A line of text along a cover's spine.
package struct SpineText: Sendable {
  package let text: String
  package let style: TextStyle
  package let turn: TextTurn
  /// The colour of the whole spine and its bleed; nil for none.
  package let background: Colour?
  /// Whether the script sets the text's colour. Otherwise, the text is black or white.
  package let hasOwnColour: Bool

  /// The thickness of the thinnest spine that can have a text: 5 mm, in points. On a thinner spine, letters would be
  /// too small to read, and binding tolerances could move them over its edge.
  static let thinnestSpine = 5 * 72 / 25.4
  /// Returns the distance of the text from the spine's edges in points: 1 mm, or a tenth of the spine if that is more.
  static func sideMargin(of spine: Double) -> Double { max(72 / 25.4, spine / 10) }
  /// The minimum distance of the text from the spine's ends: 5 mm, in points.
  static let endMargin = 5 * 72 / 25.4

  /// Creates the text from arguments that `TextParameters.all` has checked; nil if there is none.
  package init?(_ arguments: Arguments) {
    // Lines are joined, because a spine has room for only one.
    let words = (arguments.optionalText("spine_text") ?? "").split(whereSeparator: \.isNewline)
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
    text = words.joined(separator: " ")
    style = TextStyle(runningLine: "spine_text", of: arguments)
    turn = TextTurn(rawValue: arguments.text("spine_text_runs"))!
    background = arguments.optionalColour("spine_text_background")?.visible
    hasOwnColour = arguments.has("spine_text_colour")
  }

  /// Returns a note that the spine is too thin for a text, with the necessary thickness; nil if the spine is thick
  /// enough.
  package static func shortage(on layout: BookLayout) -> String? {
    let binding = layout.options.binding
    // The tolerance covers rounding errors in sums of hundredths of a millimetre.
    guard binding.spine < thinnestSpine - 0.001 else { return nil }
    let millimetres = PDFNumber.text((binding.spine * 25.4 / 72 * 100).rounded() / 100)
    let sheets = ((thinnestSpine - 2 * binding.coverThickness) / binding.sheetThickness - 0.001).rounded(.up)
    let pages = binding.sheetThickness > 0 && sheets < 1e6 ? ", as \(2 * Int(sheets)) pages of this paper make" : ""
    return "'spine_text' is left out: it needs a spine of 5 mm or more\(pages), and this one has \(millimetres) mm"
  }

  /// Returns the colour of the letters: the script's choice, or else black or white, whichever can be read on the
  /// colour of the spine or page; black if neither has a colour.
  func colour(on layout: BookLayout) -> Colour {
    let page = layout.setup.background
    guard !hasOwnColour, let ground = (background ?? layout.options.spineColour)?.over(page ?? .white) ?? page else {
      return style.colour
    }
    return ground.isLight ? .black : .white
  }
}

extension PDFPage {
  /// Adds a text to the spine of a cover, in front of everything else.
  package mutating func add(
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
  /// The area of a cover's spine, including its bleed.
  var spineArea: PageRectangle {
    let bleed = options.print.bleed
    return PageRectangle(
      left: spineLeft, bottom: -bleed, width: options.binding.spine, height: coverSize.height + 2 * bleed)
  }

  /// Returns the text centred on the spine. The font shrinks to fit the thickness of the spine, and then by at most two
  /// fifths to fit its length. If the text is still too long, it is shortened.
  ///
  /// - Parameters:
  ///   - spine: a text on a spine for which `shortage(on:)` is nil.
  ///   - notes: receives a note if the text is not shown in full.
  func placed(_ spine: SpineText, with layouter: TextLayouter, notes: inout [TextNote]) throws(PDFError) -> PlacedText {
    let page = pageSize
    let thickness = options.binding.spine
    let across = thickness - 2 * SpineText.sideMargin(of: thickness)
    let (above, below) = (max(setup.margins.top, SpineText.endMargin), max(setup.margins.bottom, SpineText.endMargin))
    let length = page.height - above - below
    guard length >= across else { throw .noRoom(width: page.width, height: page.height) }
    var style = spine.style
    style.colour = spine.colour(on: self)
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
    let (middle, base) = (spineLeft + thickness / 2, options.binding.turnIn)
    var placed =
      switch spine.turn {
      case .up: PlacedText(block, left: middle - block.height / 2, top: base + below, turn: .up)
      case .down, .none:
        PlacedText(
          block, left: middle + block.height / 2, top: base + page.height - above, turn: .down)
      }
    placed.language = style.language
    return placed
  }
}
