import ImageCore
import Platform

enum SmartCrop {
  /// Returns the most interesting window of the given size in `picture`, which is at least as large.
  ///
  /// - Parameter keepsHeads: whether to limit the rows that are cropped off the top, whatever the strategy finds: to a
  ///   quarter of all cropped rows in portrait format, in which people usually stand, and to half of them in other
  ///   formats. No strategy recognises faces, and a red coat can score higher than a face.
  /// - Throws: `PictureError.cancelled`.
  static func window(
    _ strategy: SmartCropStrategy, of picture: PixelBuffer, width: Int, height: Int,
    keepsHeads: Bool = false, _ context: OperationContext
  ) throws(PictureError) -> Region {
    let found =
      switch strategy {
      case .entropy: entropyWindow(picture, width, height)
      case .attention: try Attention.window(picture, width, height, context)
      }
    guard keepsHeads else { return found }
    let spare = picture.layout.height - height
    let most = picture.layout.height > picture.layout.width ? spare / 4 : spare / 2
    return Region(left: found.left, top: min(found.top, most), width: width, height: height)
  }

  /// Crops slices off the edge with less entropy until the size is reached, as in `vips_smartcrop_entropy`.
  private static func entropyWindow(_ picture: PixelBuffer, _ width: Int, _ height: Int) -> Region {
    let spareX = picture.layout.width - width
    let spareY = picture.layout.height - height
    let slice = max((spareX + 7) / 8, (spareY + 7) / 8)
    var (left, top) = (0, 0)
    var (wide, high) = (picture.layout.width, picture.layout.height)
    func entropy(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> Double {
      Self.entropy(picture, Region(left: left, top: top, width: width, height: height))
    }
    while wide > width || high > height {
      let sliceX = min(wide - width, slice)
      if sliceX > 0 {
        let before = entropy(left, top, sliceX, high)
        let after = entropy(left + wide - sliceX, top, sliceX, high)
        wide -= sliceX
        if before < after { left += sliceX }
      }
      let sliceY = min(high - height, slice)
      if sliceY > 0 {
        let before = entropy(left, top, wide, sliceY)
        let after = entropy(left, top + high - sliceY, wide, sliceY)
        high -= sliceY
        if before < after { top += sliceY }
      }
    }
    return Region(left: left, top: top, width: width, height: height)
  }

  /// Returns the Shannon entropy, in bits, of all colour samples in an area, with 256 bins for each band.
  private static func entropy(_ picture: PixelBuffer, _ area: Region) -> Double {
    let format = picture.layout.format
    let colours = format.model.bandCount
    var bins = [Int](repeating: 0, count: 256 * colours)
    let shift = format.sample == .u8 ? 0 : 8
    for y in area.top..<area.bottom {
      let row = picture.row(y)
      for x in area.left..<area.right {
        for band in 0..<colours {
          let value = RowSamples.load(row, x * format.bands + band, format.sample)
          bins[band * 256 + value >> shift] += 1
        }
      }
    }
    let total = Double(area.width * area.height * colours)
    return bins.reduce(0) { sum, count in
      count == 0 ? sum : sum - Double(count) / total * log2(Double(count) / total)
    }
  }
}

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
