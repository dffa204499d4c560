import ImageCore

/// Where things lie on one page; points.
public struct PageLayout: Sendable, Hashable {
  public let size: PageSize
  /// The whole picture, before clipping.
  public let rectangle: PageRectangle
  /// What of it may be seen; nil for all.
  public let clip: PageRectangle?
}

extension PageSetup {
  /// Lays out a page for one picture.
  ///
  /// - Parameters:
  ///   - width: stored pixels across.
  ///   - height: stored pixels down.
  ///   - orientation: how the stored picture is turned to stand upright.
  ///   - resolution: the file's, of the stored pixels.
  ///   - hasCaption: whether room for one line is left under the picture.
  public func layout(
    width: Int, height: Int, orientation: Orientation = .upright, resolution: Resolution? = nil,
    hasCaption: Bool = false
  ) throws(PDFError) -> PageLayout {
    let natural = naturalSize(width, height, orientation, resolution)
    let captionHeight = hasCaption ? captionSize * 2 : 0
    let size = pageSize(for: natural, captionHeight: captionHeight)
    let room = PageRectangle(
      left: margins.left, bottom: margins.bottom + captionHeight,
      width: size.width - margins.left - margins.right,
      height: size.height - margins.top - margins.bottom - captionHeight)
    guard room.width >= 1, room.height >= 1 else {
      throw .noRoom(width: size.width, height: size.height)
    }
    let rectangle = rectangle(of: natural, in: room, fit: fit)
    return PageLayout(
      size: size, rectangle: rectangle, clip: rectangle.isInside(room) ? nil : room)
  }

  /// Where a picture of a size in points lies in a frame: in its middle, or where it sticks out, so that what the
  /// gravity names stays.
  func rectangle(
    of natural: PageSize, in frame: PageRectangle, fit: PageFit, gravity: Gravity = .centre
  ) -> PageRectangle {
    let across = frame.width / natural.width
    let down = frame.height / natural.height
    var scale: Double
    switch fit {
    case .fill: return frame
    case .inside, .contain: scale = min(across, down)
    case .cover: scale = max(across, down)
    }
    if !enlarge { scale = min(scale, 1) }
    if !reduce { scale = max(scale, 1) }
    let (width, height) = (natural.width * scale, natural.height * scale)
    let focus = gravity.focus
    let (x, y) = (width > frame.width ? focus.x : 0.5, height > frame.height ? focus.y : 0.5)
    return PageRectangle(
      left: frame.left + (frame.width - width) * x,
      bottom: frame.bottom + (frame.height - height) * (1 - y), width: width, height: height)
  }

  /// A whole page: a picture, and a caption under it where one is given, in smaller letters where the line
  /// would not fit.
  public func page(
    _ picture: PictureReference, orientation: Orientation = .upright,
    resolution: Resolution? = nil, caption: String = ""
  ) throws(PDFError) -> PDFPage {
    let layout = try layout(
      width: picture.width, height: picture.height, orientation: orientation,
      resolution: resolution, hasCaption: !caption.isEmpty)
    var page = PDFPage(
      size: layout.size, background: background,
      placements: [
        Placement(picture, in: layout.rectangle, orientation: orientation, clip: layout.clip)
      ])
    if !caption.isEmpty {
      let seen = layout.clip ?? layout.rectangle
      page.captions = [
        Caption(
          caption, centre: layout.size.width / 2 + (margins.left - margins.right) / 2,
          baseline: seen.bottom - captionSize * 1.3,
          fontSize: try fittingSize(
            of: caption, in: layout.size.width - margins.left - margins.right),
          colour: captionColour)
      ]
    }
    return page
  }

  /// The caption's size, or as much smaller as its line needs between the margins.
  func fittingSize(of caption: String, in room: Double) throws(PDFError) -> Double {
    let width = Helvetica.width(try WinAnsi.bytes(caption), size: captionSize)
    let size = width <= room ? captionSize : captionSize * room / width
    guard size >= min(captionSize, Caption.smallestSize) else {
      throw .captionTooLong(caption, room: room)
    }
    return size
  }

  /// The upright picture's size in points at its resolution.
  func naturalSize(
    _ width: Int, _ height: Int, _ orientation: Orientation, _ resolution: Resolution?
  ) -> PageSize {
    var across = dpi ?? Self.defaultDPI
    var down = across
    if dpi == nil, let resolution, Self.isCredible(resolution) {
      (across, down) = (resolution.horizontal, resolution.vertical)
    }
    var size = PageSize(width: Double(width) * 72 / across, height: Double(height) * 72 / down)
    if paper == nil { size = size.rounded }
    return orientation.swapsSides ? PageSize(width: size.height, height: size.width) : size
  }

  /// Files that state 0 or 1 pixel per inch mean that they do not know.
  private static func isCredible(_ resolution: Resolution) -> Bool {
    [resolution.horizontal, resolution.vertical].allSatisfy { $0 > 1 && $0 <= 100_000 }
  }

  /// The page of a picture of a size in points.
  func pageSize(for natural: PageSize, captionHeight: Double) -> PageSize {
    guard let paper else {
      return PageSize(
        width: natural.width + margins.left + margins.right,
        height: natural.height + margins.top + margins.bottom + captionHeight)
    }
    let isWide =
      switch orientation {
      case .auto: natural.width > natural.height
      case .portrait: false
      case .landscape: true
      }
    let (short, long) = (min(paper.width, paper.height), max(paper.width, paper.height))
    return isWide
      ? PageSize(width: long, height: short) : PageSize(width: short, height: long)
  }
}

extension PageRectangle {
  /// Whether nothing of it that could be seen, a thousandth of a point, sticks out.
  func isInside(_ other: PageRectangle) -> Bool {
    left >= other.left - 0.001 && bottom >= other.bottom - 0.001
      && left + width <= other.left + other.width + 0.001
      && bottom + height <= other.bottom + other.height + 0.001
  }
}
