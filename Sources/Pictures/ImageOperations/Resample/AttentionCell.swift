import ImageCore
import ImageKernels
import Platform

/// One of 32 x 32 cells of a picture, with the properties that attract attention.
///
/// The method, weights and thresholds are those of `vips_smartcrop_attention` of libvips 8.14, which took them from
/// smartcrop.js.
package struct AttentionCell: Sendable {
  /// The number of cells in a row, and in a column.
  package static let side = 32

  /// The mean colour; transparent parts are over black.
  package let colour: Lab
  /// The luminance: Y of CIE XYZ, 100 for white.
  package let luminance: Double
  /// Five times the magnitude of the Laplacian of the luminance.
  package let edge: Double
  /// The distance from a skin tone in CIE XYZ, with the colour scaled to a vector of length 1: about 0.06 for the skin
  /// tone itself, about 0.3 for gray, 1 for black.
  package let skinDistance: Double

  /// The score by which `Attention` compares cells. The score of dark cells counts only edges, because their hue is too
  /// uncertain.
  var score: Double { luminance > 5 ? edge + (100 - 100 * skinDistance) + colour.a : edge }

  /// Returns the cells of a picture in sRGB, row by row.
  package static func cells(of picture: PixelBuffer, _ context: OperationContext)
    throws(PictureError) -> [AttentionCell]
  {
    let colours = try colours(of: picture, context)
    let lights = colours.map(tristimulus)
    func luminance(_ x: Int, _ y: Int) -> Double {
      lights[min(max(y, 0), side - 1) * side + min(max(x, 0), side - 1)].y
    }
    return lights.indices.map { index in
      let (x, y) = (index % side, index / side)
      let here = luminance(x, y)
      let around = luminance(x - 1, y) + luminance(x + 1, y) + luminance(x, y - 1) + luminance(x, y + 1)
      return AttentionCell(
        colour: Lab(colours[index]), luminance: here, edge: 5 * (4 * here - around).magnitude,
        skinDistance: here > 0 ? skinDistance(lights[index]) : 1)
    }
  }

  private static func colours(of picture: PixelBuffer, _ context: OperationContext) throws(PictureError) -> [Colour] {
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

  private static func skinDistance(_ light: SIMD3<Double>) -> Double {
    length(light / length(light) - SIMD3(0.78, 0.57, 0.44))
  }

  private static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
}
