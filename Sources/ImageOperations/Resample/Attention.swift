import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds where people look first: edges, skin tones and saturated colours, on a grid of 32 x 32 cells.
///
/// After `vips_smartcrop_attention` of libvips 8: Sobel edges of CIE lightness, an a*b* box for skin
/// trained on photographs of faces, and chroma above 60 are added up, averaged over cells, blurred by the
/// size of the crop, and the crop is centred on the maximum.
enum Attention {
  private static let cells = 32

  static func window(_ picture: PixelBuffer, _ width: Int, _ height: Int) -> Region {
    var scores = cellScores(picture)
    let cellWidth = Double(picture.layout.width) / Double(cells)
    let cellHeight = Double(picture.layout.height) / Double(cells)
    let across = Double(width) / cellWidth
    let down = Double(height) / cellHeight
    let sigma = max(0.5, (across * across + down * down).squareRoot() / 6)
    scores = blurred(scores, sigma)
    let best = scores.indices.reduce(0) { scores[$1] > scores[$0] ? $1 : $0 }
    let x = Int(cellWidth * Double(best % cells)) - width / 2
    let y = Int(cellHeight * Double(best / cells)) - height / 2
    return Region(
      left: min(max(x, 0), picture.layout.width - width),
      top: min(max(y, 0), picture.layout.height - height), width: width, height: height)
  }

  /// Mean score of the pixels of each cell.
  private static func cellScores(_ picture: PixelBuffer) -> [Double] {
    let (width, height) = (picture.layout.width, picture.layout.height)
    var sums = [Double](repeating: 0, count: cells * cells)
    var counts = sums
    var rows = (0..<3).map { labRow(picture, max(0, min(height - 1, $0 - 1))) }
    for y in 0..<height {
      for x in 0..<width {
        let cell = y * cells / height * cells + x * cells / width
        sums[cell] += score(rows, x, width)
        counts[cell] += 1
      }
      rows.removeFirst()
      rows.append(labRow(picture, min(height - 1, y + 2)))
    }
    return zip(sums, counts).map { $1 == 0 ? 0 : $0 / $1 }
  }

  /// `rows`: the row above, the pixel's row, the row below.
  private static func score(_ rows: [[SIMD3<Double>]], _ x: Int, _ width: Int) -> Double {
    let (left, right) = (max(0, x - 1), min(width - 1, x + 1))
    let across =
      rows[0][right].x + 2 * rows[1][right].x + rows[2][right].x
      - rows[0][left].x - 2 * rows[1][left].x - rows[2][left].x
    let down =
      rows[2][left].x + 2 * rows[2][x].x + rows[2][right].x
      - rows[0][left].x - 2 * rows[0][x].x - rows[0][right].x
    let colour = rows[1][x]
    let isSkin =
      colour.x >= 15 && (3...22).contains(colour.y) && (4...31).contains(colour.z)
    let isVivid = (colour.y * colour.y + colour.z * colour.z).squareRoot() > 60
    return across.magnitude + down.magnitude + (isSkin ? 255 : 0) + (isVivid ? 255 : 0)
  }

  private static func labRow(_ picture: PixelBuffer, _ y: Int) -> [SIMD3<Double>] {
    let format = picture.layout.format
    let row = picture.row(y)
    let shift = format.sample == .u8 ? 0 : 8
    let isGray = format.model == .gray
    func light(_ index: Int) -> Double {
      linear[RowSamples.load(row, index, format.sample) >> shift]
    }
    return (0..<picture.layout.width).map { x in
      let first = x * format.bands
      return lab(
        SIMD3(light(first), light(isGray ? first : first + 1), light(isGray ? first : first + 2)))
    }
  }

  /// sRGB's transfer curve, IEC 61966-2-1, for 8-bit samples.
  private static let linear: [Double] = (0..<256).map { value in
    let x = Double(value) / 255
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
  }

  /// CIE L*a*b* of linear sRGB, white D65: CIE 15:2004, section 8.2.1.
  private static func lab(_ rgb: SIMD3<Double>) -> SIMD3<Double> {
    func f(_ t: Double) -> Double { t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116 }
    let x = f((0.4124 * rgb.x + 0.3576 * rgb.y + 0.1805 * rgb.z) / 0.9505)
    let y = f(0.2126 * rgb.x + 0.7152 * rgb.y + 0.0722 * rgb.z)
    let z = f((0.0193 * rgb.x + 0.1192 * rgb.y + 0.9505 * rgb.z) / 1.089)
    return SIMD3(116 * y - 16, 500 * (x - y), 200 * (y - z))
  }

  /// A Gaussian blur of the grid, edges repeated.
  private static func blurred(_ grid: [Double], _ sigma: Double) -> [Double] {
    let radius = Int((3 * sigma).rounded(.up))
    let weights = (-radius...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let total = weights.reduce(0, +)
    func pass(_ grid: [Double], _ step: (Int, Int)) -> [Double] {
      grid.indices.map { index in
        let (x, y) = (index % cells, index / cells)
        var sum = 0.0
        for (k, weight) in weights.enumerated() {
          let column = min(max(x + (k - radius) * step.0, 0), cells - 1)
          let row = min(max(y + (k - radius) * step.1, 0), cells - 1)
          sum += weight * grid[row * cells + column]
        }
        return sum / total
      }
    }
    return pass(pass(grid, (1, 0)), (0, 1))
  }
}
