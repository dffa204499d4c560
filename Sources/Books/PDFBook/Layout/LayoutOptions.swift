import ImageCore

/// The options of a layout other than the page setup. Lengths are in points.
package struct LayoutOptions: Sendable, Hashable {
  package var kind = LayoutKind.single
  /// The rows of a grid; nil for as many as fit.
  package var rows: Int?
  /// The columns of a grid or of masonry; nil for as many as fit.
  package var columns: Int?
  /// Whether the last two pages of a grid share their rows if the last has few.
  package var balances = true
  /// The size of a grid's cell with its caption; nil divides the content area.
  package var cell: PageSize?
  /// The space between rows and between columns.
  package var rowGap = 0.0
  package var columnGap = 0.0
  /// The preferred height of justified rows; nil for a quarter of the content area.
  package var rowHeight: Double?
  /// The width of the border around each picture, inside its cell; 0 for none.
  package var border = 0.0
  /// The colour of the border; nil leaves its space empty.
  package var borderColour: Colour? = .black
  /// The radius of the corners of pictures, or of the outer edge of their borders.
  package var corners = 0.0
  /// The shadow of each picture; nil for none.
  package var shadow: PictureShadow?
  /// Whether transparency is forbidden, so that shapes have hard edges.
  package var isOpaque = false
  /// The colour behind a picture in its whole cell; nil for none.
  package var cellBackground: Colour?
  /// The part to keep of pictures that cells cut; nil for their centre, or for the most interesting part if much is
  /// cut.
  package var position: CropPosition?
  /// The maximum resolution of pictures in pixels per inch; nil for their own.
  package var maximumDPI: Double?
  /// The resolution below which a note warns, in pixels per inch; nil for none.
  package var minimumDPI: Double?
  /// The requested number of pages of the book; nil to choose the best-looking number.
  package var pageTarget: Int?
  /// The step of the baseline grid for texts of designed pages; nil for none.
  package var baseline: Double?
  /// The number of pages before that of the first picture: 1 with a title page.
  package var pagesBefore = 0
  /// The number of pages after the last picture and blank pages: 1 with a colophon.
  package var pagesAfter = 0
  package var print = PrintOptions()
  package var binding = BindingOptions()
  /// The colour of a cover's spine between two pictures; nil for that of the page.
  package var spineColour: Colour?

  package init() {}

  /// The paper of layouts that need one, by default A4.
  package static let defaultPaper = PageSize(width: 210 * 72 / 25.4, height: 297 * 72 / 25.4)
  /// The resolution of pictures in cells, in pixels per inch, as offset printing needs.
  package static let defaultCellDPI = 300.0
}
