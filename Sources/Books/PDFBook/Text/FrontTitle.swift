import ImageCore

/// A title on the front of a cover, over its picture.
public struct FrontTitle: Sendable {
  public let text: String
  public let style: TextStyle
  public let position: TextPosition
  /// Behind its lines; nil for none.
  public let background: Colour?

  /// Points left free between it and the front's edges where the page's margins leave less: 10 mm.
  static let edge = 10 * 72 / 25.4
  /// Of its background beside, below and above the letters, in heights of them.
  private static let beside = 0.6
  private static let around = 0.3

  /// From arguments that `TextParameters.all` has checked; nil where there is none.
  public init?(_ arguments: Arguments) {
    text = arguments.optionalText("front_title") ?? ""
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    style = TextStyle(title: "front_title", of: arguments)
    position = TextPosition(rawValue: arguments.text("front_title_position"))!
    background = arguments.optionalColour("front_title_background")?.visible
  }

  /// What is painted behind it, not beyond the front; nil for nothing.
  func panel(behind placed: PlacedText, on front: PageRectangle) -> PageShape? {
    guard let background else { return nil }
    let (ink, em) = (placed.coverage, placed.block.size)
    let (across, down) = (Self.beside * em, Self.around * em)
    let panel = PageRectangle(
      left: ink.left - across, bottom: ink.bottom - down, width: ink.width + 2 * across,
      height: ink.height + 2 * down)
    return .fill(panel.intersection(front), background)
  }
}

extension PDFPage {
  /// Puts a title on the front of a cover, over what is there.
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
  /// What header, footer and page number stand on of a page of this size: of a cover its front, and not its spine.
  public func runningArea(on size: PageSize) -> PageRectangle {
    options.kind == .cover
      ? frontArea : PageRectangle(left: 0, bottom: 0, width: size.width, height: size.height)
  }

  /// Of a cover's front, and its back.
  public var frontSize: PageSize { pageSize }

  /// The front of a cover: on the right, or on the left where one reads from there.
  var frontArea: PageRectangle {
    let page = pageSize
    let left = options.binding.isRightToLeft ? 0 : page.width + options.binding.spine
    return PageRectangle(left: left, bottom: 0, width: page.width, height: page.height)
  }

  /// The title between the front's margins: at its upper edge, at its lower one, or a little above the middle, as on
  /// title pages.
  ///
  /// - Parameter notes: gets what could not be shown.
  func placed(
    _ title: FrontTitle, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) -> PlacedText {
    let (front, margins) = (frontArea, setup.margins)
    let left = front.left + max(margins.left, FrontTitle.edge)
    let right = front.right - max(margins.right, FrontTitle.edge)
    let bottom = max(margins.bottom, FrontTitle.edge)
    let room = front.height - max(margins.top, FrontTitle.edge) - bottom
    guard right - left >= title.style.size, room > 0 else {
      throw .noRoom(width: front.width, height: front.height)
    }
    let block = try layouter.title(
      title.text, style: title.style, width: right - left, option: "front_title", notes: &notes)
    guard block.height <= room else {
      throw .text(
        .tooHigh("front_title", text: title.text, height: block.height, room: room))
    }
    let below = (room - block.height) * title.position.shareBelow
    var placed = PlacedText(
      block, left: left, top: bottom + below + block.height, role: .heading)
    placed.language = title.style.language
    return placed
  }
}
