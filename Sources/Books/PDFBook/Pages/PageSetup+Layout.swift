import ImageCore

extension PageSetup {
  /// Returns the rectangle of a picture in a frame. It is centred; where it exceeds the frame, the side named
  /// by the gravity stays visible.
  func rectangle(of natural: PageSize, in frame: PageRectangle, fit: PageFit, gravity: Gravity = .centre)
    -> PageRectangle
  {
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

  /// Returns the font size at which a caption fits into a width: the caption size, or smaller.
  func fittingSize(of caption: String, in room: Double) throws(PDFError) -> Double {
    let width = Helvetica.width(try WinAnsi.bytes(caption), size: captions.size)
    let size = width <= room ? captions.size : captions.size * room / width
    guard size >= min(captions.size, Caption.smallestSize) else { throw .captionTooLong(caption, room: room) }
    return size
  }

  /// Returns the size of the upright picture in points, at its resolution.
  func naturalSize(_ width: Int, _ height: Int, _ resolution: Resolution?) -> PageSize {
    var across = dpi ?? Self.defaultDPI
    var down = across
    if dpi == nil, let resolution, Self.isCredible(resolution) {
      (across, down) = (resolution.horizontal, resolution.vertical)
    }
    let size = PageSize(width: Double(width) * 72 / across, height: Double(height) * 72 / down)
    return paper == nil ? size.rounded : size
  }

  /// Returns whether to believe a resolution. Files that state 0 or 1 pixel per inch do not know theirs.
  private static func isCredible(_ resolution: Resolution) -> Bool {
    [resolution.horizontal, resolution.vertical].allSatisfy { $0 > 1 && $0 <= 100_000 }
  }

  /// Returns the size of the page for a picture of a size in points.
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
