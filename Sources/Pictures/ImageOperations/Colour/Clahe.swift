import ImageCore
import ImageKernels

/// Contrast-limited adaptive histogram equalisation (K. Zuiderveld, "Contrast Limited Adaptive Histogram Equalization",
/// Graphics Gems IV, 1994), with a grid of tiles as in OpenCV.
///
/// Each tile has a histogram of lightness with 256 bins. Counts above `clip` times the mean count are cut, and the
/// excess is distributed evenly over all bins. The tile's curve is the cumulative histogram divided by the number of
/// pixels, interpolated linearly within a bin. A pixel's new lightness is interpolated bilinearly between the curves of
/// the four tiles whose centres surround the pixel.
///
/// The lightness of colours is CIE L\* of sRGB; a\* and b\* stay unchanged. In gray pictures, the samples themselves
/// are equalised. Alpha stays unchanged.
package struct Clahe: DescribedOperation {
  private let columns: Int
  private let rows: Int
  private let clip: Double

  package static let descriptor = OperationDescriptor(
    name: "clahe", family: "colour",
    summary: "Raise the contrast of each part of a picture by itself (adaptive histogram equalisation)",
    parameters: [
      .init(
        "clip", .number(1...100), default: .number(2),
        help: "counts of a lightness above so many times their mean are cut: more gives more contrast",
        synonyms: ["clip_limit", "max_slope", "limit"]),
      .init(
        "columns", .integer(1...64), default: .integer(8), help: "tiles across; each has a curve of its own",
        synonyms: ["width", "tile_grid_size", "tiles"]),
      .init("rows", .integer(1...64), default: .integer(8), help: "tiles down", synonyms: ["height"]),
    ], positional: 1)

  package init(_ arguments: Arguments) throws(OperationError) {
    columns = arguments.integer("columns")
    rows = arguments.integer("rows")
    clip = arguments.number("clip")
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let grid = EqualisationGrid(inputs[0], columns: columns, rows: rows)
    return PixelBuffer.byteCount(inputs[0].with(width: inputs[0].width, height: grid.windowHeight))
      + grid.columns * AdaptiveKernels.bins * 64
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let grid = EqualisationGrid(inputs[0].layout, columns: columns, rows: rows)
    return EqualisationSource(inputs[0], grid, clip: clip, context)
  }
}

/// The grid of tiles of a picture. The sides of the tiles differ by at most one pixel.
struct EqualisationGrid: Sendable {
  let columns: Int
  let rows: Int
  private let width: Int
  private let height: Int

  /// Creates a grid with the given numbers of columns and rows, or fewer if tiles would have no pixels.
  init(_ layout: PictureLayout, columns: Int, rows: Int) {
    (width, height) = (layout.width, layout.height)
    self.columns = min(columns, layout.width)
    self.rows = min(rows, layout.height)
  }

  /// Returns the pixel columns of a column of tiles.
  func across(_ column: Int) -> Range<Int> { column * width / columns..<(column + 1) * width / columns }

  /// Returns the first pixel row of a row of tiles; for the index after the last row of tiles, the picture's height.
  func top(_ row: Int) -> Int { row * height / rows }

  /// Returns the two rows of tiles whose centres are above and below a pixel row, and the weight of the second.
  func around(_ y: Int) -> (first: Int, second: Int, share: Float) {
    let down = (Float(y) + 0.5) * (Float(rows) / Float(height)) - 0.5
    let limited = max(0, min(Float(rows - 1), down))
    let first = Int(limited)
    return (first, min(first + 1, rows - 1), limited - Float(first))
  }

  /// The number of pixel rows to keep in memory: those of two rows of tiles. At most one and a half rows of tiles wait
  /// for the curves of the tiles below them.
  var windowHeight: Int { min(height, 2 * ((height + rows - 1) / rows + 1)) }
}
