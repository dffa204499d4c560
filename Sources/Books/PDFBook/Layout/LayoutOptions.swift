import ImageCore

/// The options of a layout other than the page setup. Lengths are in points.
package struct LayoutOptions: Sendable, Hashable {
  package var kind = LayoutKind.single
  /// The rows of a grid; nil to choose a suitable number.
  package var rows: Int?
  /// The columns of a grid or of masonry; nil to choose a suitable number.
  package var columns: Int?
  /// Whether the last two pages of a grid share their rows if the last page would be less than half full.
  package var balances = true
  /// The size of a grid's cells including captions; nil for cells that divide the content area.
  package var cell: PageSize?
  /// The space between rows and between columns.
  package var rowGap = 0.0
  package var columnGap = 0.0
  /// The preferred height of justified rows; nil for a quarter of the content area.
  package var rowHeight: Double?
  /// The width of the border around each picture, inside its cell; 0 for none.
  package var border = 0.0
  /// The colour of the border; nil for empty space of the same width.
  package var borderColour: Colour? = .black
  /// The radius of the corners of pictures, or of the outer edge of their borders.
  package var corners = 0.0
  /// The shadow of each picture; nil for none.
  package var shadow: PictureShadow?
  /// Whether transparency is forbidden, so that shapes have hard edges.
  package var isOpaque = false
  /// The background colour of whole cells; nil for none.
  package var cellBackground: Colour?
  /// The part to keep of pictures that cells crop; nil for the centre, or for the most interesting part if much is cut
  /// off.
  package var position: CropPosition?
  /// The maximum resolution of pictures, in pixels per inch; nil for no limit.
  package var maximumDPI: Double?
  /// The resolution, in pixels per inch, below which a note warns about a picture; nil for no warnings.
  package var minimumDPI: Double?
  /// The requested number of pages of the book; nil to choose the best-looking number.
  package var pageTarget: Int?
  /// The step of the baseline grid for texts of designed pages; nil for none.
  package var baseline: Double?
  /// The number of pages before the first page of pictures: 1 with a title page.
  package var pagesBefore = 0
  /// The number of pages after the last page of pictures and after any blank pages: 1 with a colophon.
  package var pagesAfter = 0
  package var print = PrintOptions()
  package var binding = BindingOptions()
  /// The colour of a cover's spine between two pictures; nil for the colour of the page.
  package var spineColour: Colour?

  package init() {}

  /// The default paper of layouts that need one: A4.
  package static let defaultPaper = PageSize(width: 210 * 72 / 25.4, height: 297 * 72 / 25.4)
  /// The default maximum resolution of pictures in cells, in pixels per inch: what offset printing needs.
  package static let defaultCellDPI = 300.0
}

/// The bleed, marks and blank pages for print. Lengths are in points.
package struct PrintOptions: Sendable, Hashable {
  /// The width of the strip beyond the edges of the finished page that pictures at an edge also cover.
  package var bleed = 0.0
  /// Whether crop marks are drawn outside the bleed.
  package var cropMarks = false
  /// A divisor of the page count: blank pages are added until the count is a multiple.
  package var pageMultiple = 1
  /// The height of the area at the page's lower edge where running lines lie on pictures. Captions stay above it.
  package var runningLineHeight = 0.0

  package init() {}

  /// The maximum bleed, more than any printer requires.
  static let maximumBleed = 100 * 72 / 25.4

  /// The length of a crop mark, and its distance from the bleed.
  static let markLength = 14.0
  static let markGap = 6.0
  static let markWidth = 0.25
  /// The number of dashes of a fold mark.
  static let foldDashes = 3

  /// The combined width of bleed and crop marks on each side of the finished page.
  package var margin: Double { bleed + (cropMarks ? Self.markGap + Self.markLength : 0) }
}

/// The properties of the bound book that determine covers and spreads. Lengths are in points.
package struct BindingOptions: Sendable, Hashable {
  /// The number of pages of the book inside the cover.
  package var pages = 0
  /// The thickness of a sheet, which is two pages.
  package var sheetThickness = 0.0
  /// The thickness of the cover. The spine is wider by twice this value.
  package var coverThickness = 0.0
  /// The width of the groove on each side of the spine, where the cover bends when it is opened.
  package var hinge = 0.0
  /// The width of the strip at each outer edge of the sheet that is folded around the boards.
  package var turnIn = 0.0
  /// Whether the first page is a right-hand page, as in a bound book.
  package var startsRight = true
  /// Whether the book is read from right to left, as in Hebrew, Arabic and Japanese, so that the right one of two
  /// facing pages comes first.
  package var isRightToLeft = false

  package init() {}

  /// Creates options with only the reading direction and the side of the first page. The arguments must have been
  /// checked.
  init(sidesOf arguments: Arguments) {
    isRightToLeft = arguments.text("reading_direction") == DocumentView.Direction.rightToLeft.rawValue
    startsRight =
      arguments.optionalText("first_page").map { $0 == "right" } ?? !isRightToLeft
  }

  /// Returns whether a page is a right-hand page.
  ///
  /// - Parameter page: its number, from 1.
  package func isOnRight(_ page: Int) -> Bool { (page % 2 == 1) == startsRight }

  /// The distance between the inner edges of the two boards: the spine and the hinges.
  package var gap: Double { spine + 2 * hinge }

  /// The width of the spine.
  package var spine: Double { Double((pages + 1) / 2) * sheetThickness + 2 * coverThickness }
}
