import ImageCore

/// How a picture fills the room a page has for it.
public enum PageFit: String, Sendable, Hashable, CaseIterable {
  /// Whole, in proportion, centred.
  case inside
  /// In proportion over all of the room; what sticks out is clipped, not lost.
  case cover
  /// The same: the name `resize` has for what leaves room beside the picture.
  case contain
  /// Stretched.
  case fill
}

/// Lengths in points inward from a page's edges.
public struct PageMargins: Sendable, Hashable {
  public var top, right, bottom, left: Double

  public init(top: Double = 0, right: Double = 0, bottom: Double = 0, left: Double = 0) {
    (self.top, self.right, self.bottom, self.left) = (top, right, bottom, left)
  }
}

/// What pages look like: paper, margins, how pictures lie on them.
public struct PageSetup: Sendable, Hashable {
  /// In points; nil for a page as large as its picture, which then also has its margins and caption.
  public var paper: PageSize?
  /// Of the paper; without paper pages lie as their pictures do.
  public var orientation: PageOrientation
  public var margins: PageMargins
  public var fit: PageFit
  /// Whether a picture may be shown larger, or smaller, than it is at its resolution.
  public var enlarge = true
  public var reduce = true
  /// Pixels per inch for pages as large as their picture, and for px; nil takes the file's resolution,
  /// and 96 where it has none, as img2pdf does.
  public var dpi: Double?
  public var background: Colour?
  /// Points.
  public var captionSize: Double
  public var captionColour: Colour
  public var captionPosition = CaptionPosition.below
  /// Painted behind captions that stand on pictures; nil for nothing.
  public var captionBackground: Colour? = .white

  public init(
    paper: PageSize? = nil, orientation: PageOrientation = .auto,
    margins: PageMargins = PageMargins(), fit: PageFit = .inside, dpi: Double? = nil,
    background: Colour? = nil, captionSize: Double = 10, captionColour: Colour = .black
  ) {
    self.paper = paper
    self.orientation = orientation
    self.margins = margins
    self.fit = fit
    self.dpi = dpi
    self.background = background
    self.captionSize = captionSize
    self.captionColour = captionColour
  }

  /// Pixels per inch where neither the options nor the file say.
  public static let defaultDPI = 96.0

  /// From arguments that `BookParameters.all` has checked.
  ///
  /// - Throws: all that a descriptor cannot check, at once.
  public init(_ arguments: Arguments) throws(PageSetupErrors) {
    self.init(
      orientation: PageOrientation(rawValue: arguments.text("orientation"))!,
      fit: PageFit(rawValue: arguments.text("fit"))!, dpi: arguments.optionalNumber("dpi"),
      background: arguments.optionalColour("background")?.onPaper,
      captionSize: arguments.number("caption_size"),
      captionColour: arguments.colour("caption_colour").onPaper ?? .white)
    captionPosition = CaptionPosition(rawValue: arguments.text("caption_position"))!
    captionBackground = arguments.colour("caption_background").visible
    enlarge = arguments.boolean("enlarge")
    reduce = arguments.boolean("reduce")
    var errors: [PageSetupError] = []
    do { try setPaper(arguments.text("paper")) } catch { errors.append(error) }
    do { try setMargins(arguments.text("margin")) } catch { errors.append(error) }
    guard errors.isEmpty else { throw PageSetupErrors(errors: errors) }
  }

  /// Reads `"picture"` or what `paper` takes.
  public mutating func setPaper(_ text: String) throws(PageSetupError) {
    guard text.lowercased() != "picture" else {
      paper = nil
      return
    }
    let (size, word, direction) = try PaperSize.parse(text, dpi: dpi ?? Self.defaultDPI)
    if let word, word != .auto, orientation != .auto, orientation != word {
      throw .twoOrientations(paper: text, orientation: orientation.rawValue)
    }
    paper = size
    if orientation == .auto { orientation = word ?? direction }
  }

  /// Reads one length for all sides, two (top and bottom, left and right), or four: top, right, bottom,
  /// left.
  public mutating func setMargins(_ text: String) throws(PageSetupError) {
    let lengths = try Length.list(text, option: "margin", dpi: dpi ?? Self.defaultDPI)
    switch lengths.count {
    case 1:
      margins = PageMargins(
        top: lengths[0], right: lengths[0], bottom: lengths[0], left: lengths[0])
    case 2:
      margins = PageMargins(
        top: lengths[0], right: lengths[1], bottom: lengths[0], left: lengths[1])
    case 4:
      margins = PageMargins(
        top: lengths[0], right: lengths[1], bottom: lengths[2], left: lengths[3])
    default: throw .marginCount(lengths.count)
    }
  }
}
