import ImageCore

/// How the pictures of a book are arranged.
public enum LayoutKind: String, Sendable, Hashable, CaseIterable {
  /// One a page.
  case single
  /// Cells of one size in rows and columns.
  case grid
  /// Rows of one width, each as high as its pictures make it; nothing is cut.
  case justified
  /// Columns of one width, pictures as high as they are; nothing is cut.
  case masonry
  /// Wide pictures over two facing pages, the others one a page.
  case spread
  /// One sheet around a book: back, spine and front.
  case cover
}

/// What a layout is told beside the page set-up. Lengths are points.
public struct LayoutOptions: Sendable, Hashable {
  public var kind = LayoutKind.single
  /// Of a grid; nil for as many as fit.
  public var rows: Int?
  /// Of a grid or of masonry; nil for as many as fit.
  public var columns: Int?
  /// Whether the last two pages of a grid share their rows where the last has few.
  public var balances = true
  /// The size of a grid's cell, its caption included; nil divides the room.
  public var cell: PageSize?
  /// Between rows, and between columns.
  public var rowGap = 0.0
  public var columnGap = 0.0
  /// What justified rows should be as high as; nil for a quarter of the room.
  public var rowHeight: Double?
  /// Width of a line around each picture, in its cell; 0 for none.
  public var border = 0.0
  /// Nil leaves its place free.
  public var borderColour: Colour? = .black
  /// Painted behind a picture in all of its cell.
  public var cellBackground: Colour?
  /// What stays of pictures that cells cut; nil for their middle, or where much is cut what is worth looking at.
  public var position: CropPosition?
  /// The most pixels per inch that a picture keeps; nil for all it has.
  public var maximumDPI: Double?
  /// The least that it should have; nil where nobody asks.
  public var minimumDPI: Double?
  /// Pages in front of the first picture's: 1 where there is a title page.
  public var pagesBefore = 0
  public var print = PrintOptions()
  public var binding = BindingOptions()

  public init() {}

  /// A paper for layouts that need one where none is given: A4.
  public static let defaultPaper = PageSize(width: 210 * 72 / 25.4, height: 297 * 72 / 25.4)
  /// Pixels per inch that pictures in cells are made for: what offset printing wants.
  public static let defaultCellDPI = 300.0
}

/// What a printer wants around the finished page. Lengths are points.
public struct PrintOptions: Sendable, Hashable {
  /// How far pictures at the edge reach beyond it.
  public var bleed = 0.0
  /// Whether lines outside the bleed show where to cut.
  public var cropMarks = false
  /// The pages are filled up with blank ones to a multiple of this.
  public var pageMultiple = 1
  /// What running lines take of pictures at the page's lower edge, which captions on them keep off.
  public var linesBelow = 0.0

  public init() {}

  /// More than any printer asks for.
  static let mostBleed = 100 * 72 / 25.4

  /// Length of a crop mark, and its distance from the bleed; what printers' marks usually have.
  static let markLength = 14.0
  static let markGap = 6.0
  static let markWidth = 0.25
  /// Dashes of a mark at a fold.
  static let foldDashes = 3

  /// What surrounds the finished page on each side.
  public var margin: Double { bleed + (cropMarks ? Self.markGap + Self.markLength : 0) }
}

/// What a cover needs to know of the book inside. Lengths are points.
public struct BindingOptions: Sendable, Hashable {
  /// Pages of the book inside.
  public var pages = 0
  /// Of a sheet, which is two pages.
  public var sheetThickness = 0.0
  /// Of the cover itself, once for each side of the spine's thickness.
  public var coverThickness = 0.0
  /// Of a spread: whether the first page lies on the right, as in a bound book.
  public var startsRight = true
  /// Whether one turns its pages from left to right, as in Hebrew, Arabic and Japanese books: of two facing
  /// pages the right one comes first.
  public var isRightToLeft = false

  public init() {}

  /// On which side pages lie, from arguments that have been checked.
  init(sidesOf arguments: Arguments) {
    isRightToLeft =
      arguments.text("reading_direction") == DocumentView.Direction.rightToLeft.rawValue
    startsRight =
      arguments.optionalText("first_page").map { $0 == "right" } ?? !isRightToLeft
  }

  /// Whether a page lies on the right of two.
  ///
  /// - Parameter page: its number, from 1.
  func isOnRight(_ page: Int) -> Bool { (page % 2 == 1) == startsRight }

  /// The width of the spine.
  public var spine: Double {
    Double((pages + 1) / 2) * sheetThickness + 2 * coverThickness
  }
}
