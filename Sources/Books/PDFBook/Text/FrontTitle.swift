import BookExpectations
import ImageCore
import TextShaping

/// The title on a cover's front, drawn over the picture.
package struct FrontTitle: Sendable {
  package let text: String
  package let style: TextStyle
  /// The vertical position; nil if the script leaves it open, so that the title is in the middle or on the area with
  /// the least detail.
  package let position: TextPosition?
  /// The colour behind the lines; nil for none.
  package let background: Colour?
  /// Whether the script sets a background for the lines. Otherwise, lines on a picture have a veil behind them.
  private let hasOwnGround: Bool
  /// Whether the script sets the lines' colour. Otherwise, they are black or white.
  private let hasOwnColour: Bool

  /// The minimum distance of the title from the front's edges: 10 mm, in points.
  static let minimumMargin = 10 * 72 / 25.4
  /// The padding of the background at the sides, and above and below the lines, as multiples of the font size.
  private static let sidePadding = 0.6
  private static let verticalPadding = 0.3

  /// Creates the title from arguments that `TextParameters.all` has checked; nil if there is none.
  package init?(_ arguments: Arguments) {
    text = arguments.optionalText("front_title") ?? ""
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    style = TextStyle(title: "front_title", of: arguments)
    position = arguments.optionalText("front_title_position").map { TextPosition(rawValue: $0)! }
    hasOwnGround = arguments.has("front_title_background")
    hasOwnColour = arguments.has("front_title_colour")
    background = arguments.optionalColour("front_title_background")?.visible
  }

  /// Returns the box of a title's background, around its lines.
  static func panel(around placed: PlacedText) -> PageRectangle {
    let (ink, em) = (placed.coverage, placed.block.size)
    let (across, down) = (sidePadding * em, verticalPadding * em)
    return PageRectangle(
      left: ink.left - across, bottom: ink.bottom - down, width: ink.width + 2 * across,
      height: ink.height + 2 * down)
  }

  /// Returns the colour of the lines: the colour that the script chooses, or else a readable one.
  ///
  /// - Parameters:
  ///   - isOnPicture: whether the lines lie on a picture.
  ///   - page: the colour of the page.
  func colour(isOnPicture: Bool, page: Colour) -> Colour {
    if hasOwnColour { return style.colour }
    if let ground = background?.over(page) { return ground.isLight ? .black : .white }
    // White lines get a dark veil. If the script sets a transparent background, the colours behind the lines are
    // unknown.
    if isOnPicture { return hasOwnGround ? .black : .white }
    return page.isLight ? .black : .white
  }

  /// Returns the background behind the title: a box clipped to the front, or a veil clipped to `limit`; nil for none.
  ///
  /// - Parameters:
  ///   - colour: the colour of the title's lines.
  ///   - limit: the picture behind the title, or else the front including its bleed.
  ///   - isOpaque: whether transparency is forbidden.
  func ground(
    behind panel: PageRectangle, _ colour: Colour, size: Double, on front: PageRectangle,
    within limit: RoundedRectangle,
    isOnPicture: Bool, isOpaque: Bool
  ) -> PageShape? {
    if hasOwnGround { return background.map { .fill(panel.intersection(front), $0) } }
    guard isOnPicture else { return nil }
    // The contrast is slightly above the minimum, because viewers round colours.
    var veil = colour.veil(contrast: Self.veiledContrast)
    if isOpaque { veil.alpha = 1 }
    let (ramp, area) = (size * Self.veilRamp, limit.box)
    guard !isOpaque, panel.height + ramp < area.height * Self.mostVeiled else {
      return .fill(panel.intersection(front), veil)
    }
    // The band has the full width. For a title at the top or bottom, it extends to that edge of the area.
    let bottom = position == .bottom ? area.bottom : panel.bottom - ramp
    let top = position == .top ? area.top : panel.top + ramp
    let band = PageRectangle(left: area.left, bottom: bottom, width: area.width, height: top - bottom)
    let mask = VeilMask(
      opacity: veil.alpha, below: position == .bottom ? 0 : ramp / band.height,
      above: position == .top ? 0 : ramp / band.height)
    return .veil(band, veil, mask, within: limit)
  }

  private static let veiledContrast = 4.55
  /// The width of the soft edge of a veil, as a multiple of the font size.
  private static let veilRamp = 2.5
  /// The largest share of the height of the picture, or of the front, that a band may take.
  private static let mostVeiled = 0.7
}

extension PDFPage {
  /// Adds a title to the front of a cover, in front of everything else.
  package mutating func add(
    _ title: FrontTitle, of layout: BookLayout, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) {
    let (margin, bleed) = (layout.options.print.margin, layout.options.print.bleed)
    let front = layout.frontArea.offset(margin, margin)
    let page = layout.setup.background ?? .white
    var placed = try layout.placed(title, with: layouter, notes: &notes).moved(margin, margin)
    let panel = FrontTitle.panel(around: placed)
    let below = placements.last { placement in
      let common = (placement.clip ?? placement.rectangle).intersection(panel)
      return common.width > 0 && common.height > 0
    }
    let isOnPicture = below != nil
    let colour = title.colour(isOnPicture: isOnPicture, page: page)
    if colour != placed.block.colour {
      var known: [TextNote] = []
      placed = try layout.placed(title, colour: colour, with: layouter, notes: &known).moved(margin, margin)
    }
    over += [
      title.ground(
        behind: panel, colour, size: placed.block.size, on: front,
        within: below.flatMap { $0.outline(around: panel) }
          ?? RoundedRectangle(
            front.grown(bleed + layout.options.binding.turnIn).intersection(
              layout.trim(of: layout.coverSize).grown(bleed))),
        isOnPicture: isOnPicture, isOpaque: layout.options.isOpaque)
    ].compactMap { $0 }
    texts.append(placed)
  }
}

extension Placement {
  /// Returns the visible part of the picture; nil unless it contains the whole box.
  fileprivate func outline(around box: PageRectangle) -> RoundedRectangle? {
    let seen = outline ?? RoundedRectangle(clip ?? rectangle)
    return box.isInside(seen.box) ? seen : nil
  }
}

extension BookLayout {
  /// Returns the possible places of a title on the front, the default first; only one if the script sets the position.
  package func places(for title: FrontTitle, with layouter: TextLayouter) throws(PDFError)
    -> [(position: TextPosition, area: PageRectangle)]
  {
    var notes: [TextNote] = []
    var places: [(position: TextPosition, area: PageRectangle)] = []
    for position in title.position.map({ [$0] }) ?? [.middle, .top, .bottom] {
      let placed = try placed(title, at: position, with: layouter, notes: &notes)
      places.append((position, FrontTitle.panel(around: placed)))
    }
    return places
  }

  /// Returns the area for the header, footer and page number on a page of this size. On a cover it is the front.
  package func runningArea(on size: PageSize) -> PageRectangle {
    options.kind == .cover ? frontArea : PageRectangle(left: 0, bottom: 0, width: size.width, height: size.height)
  }

  /// The size of a cover's front, and of its back.
  package var frontSize: PageSize { pageSize }

  /// The area of a cover's front: on the right, or on the left for a book that is read from right to left.
  var frontArea: PageRectangle {
    let page = pageSize
    let binding = options.binding
    let left = binding.isRightToLeft ? binding.turnIn : binding.turnIn + page.width + binding.gap
    return PageRectangle(left: left, bottom: binding.turnIn, width: page.width, height: page.height)
  }

  /// Returns the title at its place between the front's margins: at the top, at the bottom, or slightly above the
  /// middle, as on title pages.
  ///
  /// - Parameters:
  ///   - position: the position that replaces the title's own; nil for none.
  ///   - colour: the colour that replaces the style's; nil for none.
  ///   - notes: receives a note for each text that is not shown in full.
  func placed(
    _ title: FrontTitle, at position: TextPosition? = nil, colour: Colour? = nil, with layouter: TextLayouter,
    notes: inout [TextNote]
  ) throws(PDFError) -> PlacedText {
    let (front, margins) = (frontArea, setup.margins)
    let left = front.left + max(margins.left, FrontTitle.minimumMargin)
    let right = front.right - max(margins.right, FrontTitle.minimumMargin)
    let bottom = max(margins.bottom, FrontTitle.minimumMargin)
    let room = front.height - max(margins.top, FrontTitle.minimumMargin) - bottom
    guard right - left >= title.style.size, room > 0 else {
      throw .noRoom(width: front.width, height: front.height)
    }
    var style = title.style
    style.colour = colour ?? style.colour
    let block = try layouter.title(
      title.text, style: style, width: right - left, option: "front_title", notes: &notes)
    guard block.height <= room else {
      throw .text(
        .tooHigh("front_title", text: title.text, height: block.height, room: room))
    }
    let below = (room - block.height) * (position ?? title.position ?? .middle).fractionBelow
    var placed = PlacedText(
      block, left: left, top: front.bottom + bottom + below + block.height, role: .heading)
    placed.language = title.style.language
    return placed
  }
}
