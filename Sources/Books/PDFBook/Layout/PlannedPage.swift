import ImageCore

/// What a layout knows of a picture.
public struct LayoutPicture: Sendable, Hashable {
  /// Pixels across and down, upright.
  public let width: Int
  public let height: Int
  /// The file's, of the upright picture.
  public let resolution: Resolution?
  /// Whether it has a caption.
  public let hasCaption: Bool

  public init(width: Int, height: Int, resolution: Resolution? = nil, hasCaption: Bool = false) {
    self.width = width
    self.height = height
    self.resolution = resolution
    self.hasCaption = hasCaption
  }

  /// Width by height.
  var aspect: Double { Double(width) / Double(height) }
}

/// A place for a picture on a page; points from the page's lower left corner.
public struct PageCell: Sendable, Hashable {
  /// The picture's place in the list.
  public var picture: Int
  /// All that belongs to the picture, without its caption: what a background fills.
  public var frame: PageRectangle
  /// The whole picture as seen, before anything is cut off. Of the picture's proportions unless it is
  /// stretched.
  public var rectangle: PageRectangle
  /// The part of it that is wanted; the same where nothing is cut off.
  public var visible: PageRectangle
  /// What of that lies on this page, where the picture goes on over the fold; nil for all.
  public var clip: PageRectangle?
  public var share = PictureShare.whole
  /// The outer edge of the line around `visible`; nil for no line.
  public var border: PageRectangle?
  /// Where the caption goes.
  public var caption: CaptionSlot?
}

/// Room for a caption; points.
public struct CaptionSlot: Sendable, Hashable {
  public var centre: Double
  /// Of the line that is nearest to what it stands beside: of its first line below a picture, of its last above one
  /// and on one.
  public var baseline: Double
  public var width: Double
  /// The most it may have.
  public var lines = 1
}

/// A page of cells; points.
public struct PlannedPage: Sendable, Hashable {
  /// The finished page, after cutting.
  public var size: PageSize
  public var cells: [PageCell]

  public init(size: PageSize, cells: [PageCell] = []) {
    self.size = size
    self.cells = cells
  }
}

extension PageRectangle {
  var right: Double { left + width }
  var top: Double { bottom + height }
  var centre: Double { left + width / 2 }

  /// Moved.
  public func offset(_ x: Double, _ y: Double) -> PageRectangle {
    PageRectangle(left: left + x, bottom: bottom + y, width: width, height: height)
  }

  /// What two have in common; nothing is as wide as 0.
  func intersection(_ other: PageRectangle) -> PageRectangle {
    let (x, y) = (max(left, other.left), max(bottom, other.bottom))
    return PageRectangle(
      left: x, bottom: y, width: max(0, min(right, other.right) - x),
      height: max(0, min(top, other.top) - y))
  }

  /// With those edges that lie on a page's edge moved outward.
  func bled(_ bleed: Double, over page: PageSize) -> PageRectangle {
    guard bleed > 0 else { return self }
    // A hundredth of a point: what adding up cells may be off by, and nobody sees.
    let near = 0.01
    let left = self.left <= near ? -bleed : self.left
    let bottom = self.bottom <= near ? -bleed : self.bottom
    let right = self.right >= page.width - near ? page.width + bleed : self.right
    let top = self.top >= page.height - near ? page.height + bleed : self.top
    return PageRectangle(left: left, bottom: bottom, width: right - left, height: top - bottom)
  }
}
