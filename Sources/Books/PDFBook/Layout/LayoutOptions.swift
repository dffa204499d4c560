import ImageCore

/// The options of a layout other than the page setup. Lengths are in points.
package struct LayoutOptions: Sendable, Hashable {
  package var kind = LayoutKind.single
  /// The rows of a grid; nil to choose a suitable number.
  package var rows: Int?
  /// The columns of a grid or of masonry; nil to choose a suitable number.
  package var columns: Int?
  /// Whether the last two pages of a grid share their rows if the last page would have few.
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
