import ImageCore
import TextShaping

/// A title on the front of a cover, above its picture.
public struct FrontTitle: Sendable {
  public let text: String
  public let style: TextStyle
  public let position: TextPosition
  /// The colour behind its lines; nil for none.
  public let background: Colour?

  /// The least distance from the front's edges: 10 mm, in points.
  static let minimumMargin = 10 * 72 / 25.4
  /// The padding of its background at the sides, and above and below, as multiples of the font size.
  private static let sidePadding = 0.6
  private static let verticalPadding = 0.3

  /// Creates the title from arguments that `TextParameters.all` has checked; nil if there is none.
  public init?(_ arguments: Arguments) {
    text = arguments.optionalText("front_title") ?? ""
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    style = TextStyle(title: "front_title", of: arguments)
    position = TextPosition(rawValue: arguments.text("front_title_position"))!
    background = arguments.optionalColour("front_title_background")?.visible
  }

  /// Returns the background behind the title, clipped to the front; nil for none.
  func panel(behind placed: PlacedText, on front: PageRectangle) -> PageShape? {
    guard let background else { return nil }
    let (ink, em) = (placed.coverage, placed.block.size)
    let (across, down) = (Self.sidePadding * em, Self.verticalPadding * em)
    let panel = PageRectangle(
      left: ink.left - across, bottom: ink.bottom - down, width: ink.width + 2 * across,
      height: ink.height + 2 * down)
    return .fill(panel.intersection(front), background)
  }
}

extension PDFPage {
  /// Adds a title to the front of a cover, above everything else.
  public mutating func add(
    _ title: FrontTitle, of layout: BookLayout, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) {
    let margin = layout.options.print.margin
    let placed = try layout.placed(title, with: layouter, notes: &notes).moved(margin, margin)
    let front = layout.frontArea.offset(margin, margin)
    over += [title.panel(behind: placed, on: front)].compactMap { $0 }
    texts.append(placed)
  }
}

extension BookLayout {
  /// Returns the area of header, footer and page number on a page of this size. On a cover it is the front.
  public func runningArea(on size: PageSize) -> PageRectangle {
    options.kind == .cover ? frontArea : PageRectangle(left: 0, bottom: 0, width: size.width, height: size.height)
  }

  /// The size of a cover's front, and of its back.
  public var frontSize: PageSize { pageSize }

  /// The front of a cover: on the right, or on the left in a book read from right to left.
  var frontArea: PageRectangle {
    let page = pageSize
    let binding = options.binding
    let left = binding.isRightToLeft ? binding.turnIn : binding.turnIn + page.width + binding.gap
    return PageRectangle(left: left, bottom: binding.turnIn, width: page.width, height: page.height)
  }

  /// Returns the title at its place between the front's margins: at the top, at the bottom, or a little above
  /// the middle, as on title pages.
  ///
  /// - Parameter notes: receives a note for each text that is not shown in full.
  func placed(
    _ title: FrontTitle, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) -> PlacedText {
    let (front, margins) = (frontArea, setup.margins)
    let left = front.left + max(margins.left, FrontTitle.minimumMargin)
    let right = front.right - max(margins.right, FrontTitle.minimumMargin)
    let bottom = max(margins.bottom, FrontTitle.minimumMargin)
    let room = front.height - max(margins.top, FrontTitle.minimumMargin) - bottom
    guard right - left >= title.style.size, room > 0 else {
      throw .noRoom(width: front.width, height: front.height)
    }
    let block = try layouter.title(
      title.text, style: title.style, width: right - left, option: "front_title", notes: &notes)
    guard block.height <= room else {
      throw .text(
        .tooHigh("front_title", text: title.text, height: block.height, room: room))
    }
    let below = (room - block.height) * title.position.fractionBelow
    var placed = PlacedText(
      block, left: left, top: front.bottom + bottom + below + block.height, role: .heading)
    placed.language = title.style.language
    return placed
  }
}
