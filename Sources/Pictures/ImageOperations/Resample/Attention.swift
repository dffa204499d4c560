import ImageCore
import Platform

/// Finds the part of a picture that attracts most attention by edges, skin tones and red colours, in a grid of 32 x 32
/// cells.
///
/// The method, weights and thresholds are those of `vips_smartcrop_attention` of libvips 8.14, which took them from
/// smartcrop.js. The scores of the cells are blurred in proportion to the size of the crop. The crop is centred on the
/// upper left corner of the cell with the highest score, as in libvips.
enum Attention {
  private static let side = AttentionCell.side

  static func window(
    _ picture: PixelBuffer, _ width: Int, _ height: Int, _ context: OperationContext
  ) throws(PictureError) -> Region {
    let cells = try AttentionCell.cells(of: picture, context)
    let cellWidth = Double(picture.layout.width) / Double(side)
    let cellHeight = Double(picture.layout.height) / Double(side)
    let across = Double(width) / cellWidth
    let down = Double(height) / cellHeight
    let sigma = max(1, (across * across + down * down).squareRoot() / 10)
    let scores = blurred(cells.map(\.score), sigma)
    let best = scores.indices.reduce(0) { scores[$1] > scores[$0] ? $1 : $0 }
    let x = Int(cellWidth * Double(best % side)) - width / 2
    let y = Int(cellHeight * Double(best / side)) - height / 2
    return Region(
      left: min(max(x, 0), picture.layout.width - width), top: min(max(y, 0), picture.layout.height - height),
      width: width, height: height)
  }

  /// Applies a Gaussian blur to the grid, with its edges repeated. The kernel is the default of libvips: weights are
  /// rounded to a twentieth of the peak, and weights below a fifth of the peak are omitted.
  private static func blurred(_ grid: [Double], _ sigma: Double) -> [Double] {
    let radius = Int(sigma * (-2 * log(0.2)).squareRoot())
    let weights = (-radius...radius).map {
      (20 * exp(-Double($0 * $0) / (2 * sigma * sigma))).rounded()
    }
    func pass(_ grid: [Double], _ step: (Int, Int)) -> [Double] {
      grid.indices.map { index in
        let (x, y) = (index % side, index / side)
        var sum = 0.0
        for (k, weight) in weights.enumerated() {
          let column = min(max(x + (k - radius) * step.0, 0), side - 1)
          let row = min(max(y + (k - radius) * step.1, 0), side - 1)
          sum += weight * grid[row * side + column]
        }
        return sum
      }
    }
    return pass(pass(grid, (1, 0)), (0, 1))
  }
}
