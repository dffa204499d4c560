import ImageCore
import ImageKernels
import Platform

/// Finds the part of a picture that draws attention by edges, skin tones and red colours, in 32 x 32 cells.
///
/// The method, weights and thresholds are those of `vips_smartcrop_attention` of libvips 8.14, which took
/// them from smartcrop.js. The scores of the cells are blurred by the size of the crop. The crop is centred on
/// the top left corner of the cell with the highest score, as in libvips.
enum Attention {
  private static let side = 32

  static func window(
    _ picture: PixelBuffer, _ width: Int, _ height: Int, _ context: OperationContext
  ) throws(PictureError) -> Region {
    let colours = try cellColours(picture, context)
    let cellWidth = Double(picture.layout.width) / Double(side)
    let cellHeight = Double(picture.layout.height) / Double(side)
    let across = Double(width) / cellWidth
    let down = Double(height) / cellHeight
    let sigma = max(1, (across * across + down * down).squareRoot() / 10)
    let scores = blurred(scores(of: colours), sigma)
    let best = scores.indices.reduce(0) { scores[$1] > scores[$0] ? $1 : $0 }
    let x = Int(cellWidth * Double(best % side)) - width / 2
    let y = Int(cellHeight * Double(best / side)) - height / 2
    return Region(
      left: min(max(x, 0), picture.layout.width - width), top: min(max(y, 0), picture.layout.height - height),
      width: width, height: height)
  }

  /// Returns the mean colour of each cell, over black if it is transparent.
  private static func cellColours(_ picture: PixelBuffer, _ context: OperationContext)
    throws(PictureError) -> [Colour]
  {
    let layout = picture.layout
    let format = layout.format
    let geometry = ResampleGeometry(
      sourceWidth: layout.width, sourceHeight: layout.height, targetWidth: side,
      targetHeight: side)
    let plan = ResamplePlan(geometry, pixels: ResamplePixels(format), kernel: .lanczos3)
    let cells = try ResampleSource(BufferSource(picture), plan: plan, context: context).readAll(context)
    return (0..<side * side).map { index in
      func sample(_ band: Int) -> Double {
        let place = index % side * format.bands + band
        let value = RowSamples.load(cells.row(index / side), place, format.sample)
        return Double(value) / Double(format.sample.maximum)
      }
      let alpha = format.hasAlpha ? sample(format.bands - 1) : 1
      let isGray = format.model == .gray
      return Colour(red: sample(0) * alpha, green: sample(isGray ? 0 : 1) * alpha, blue: sample(isGray ? 0 : 2) * alpha)
    }
  }

  private static func scores(of colours: [Colour]) -> [Double] {
    let lights = colours.map(tristimulus)
    func luminance(_ x: Int, _ y: Int) -> Double {
      lights[min(max(y, 0), side - 1) * side + min(max(x, 0), side - 1)].y
    }
    return lights.indices.map { index in
      let (x, y) = (index % side, index / side)
      let here = luminance(x, y)
      let around = luminance(x - 1, y) + luminance(x + 1, y) + luminance(x, y - 1) + luminance(x, y + 1)
      let edge = 5 * (4 * here - around).magnitude
      // The hue of dark cells is too uncertain to score.
      return here > 5 ? edge + skin(lights[index]) + Lab(colours[index]).a : edge
    }
  }

  /// Converts sRGB to CIE X, Y and Z, with Y = 100 for white (IEC 61966-2-1).
  private static func tristimulus(_ colour: Colour) -> SIMD3<Double> {
    let red = 100 * SRGBTransfer.decode(colour.red)
    let green = 100 * SRGBTransfer.decode(colour.green)
    let blue = 100 * SRGBTransfer.decode(colour.blue)
    return SIMD3(
      0.4124 * red + 0.3576 * green + 0.1805 * blue,
      0.2126 * red + 0.7152 * green + 0.0722 * blue,
      0.0193 * red + 0.1192 * green + 0.9505 * blue)
  }

  /// Returns 100 if `light`, which is not 0, has the direction of skin, and less the further it is from it.
  private static func skin(_ light: SIMD3<Double>) -> Double {
    let distance = light / length(light) - SIMD3(0.78, 0.57, 0.44)
    return 100 - 100 * length(distance)
  }

  private static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }

  /// Blurs the grid by a Gaussian and repeats its edges. The kernel is libvips' default: whole twentieths of
  /// its peak, cut off where it falls below a fifth.
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
