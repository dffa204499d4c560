import ImageCore
import Platform

/// `deskew()`: finds the angle of text lines or edges, up to 15 degrees, in a small version of the picture; `rotate`
/// then corrects it.
///
/// The edges are projected along each angle (W. Postl, Detection of linear oblique structures and skew scan in
/// digitized documents, 1986). At the correct angle, the edges fall into few bins, and the sum of the bins' squares is
/// greatest. Transparent pixels count as white. A picture without clear lines is not rotated.
enum Deskew {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "deskew", family: "script", summary: "Turn a scan upright by the angle of its lines, up to 15 degrees",
      parameters: [
        ParameterDescriptor(
          "background", .colour,
          help: "colour of the corners; by default transparent for a picture with alpha, else black")
      ]),
    gives: .operation("rotate"), side: 800
  ) { source, arguments, _, context throws(PictureError) in
    let angle = angle(try SmallPicture(source, context))
    var fields: [String: ParameterValue] = ["angle": .number(-angle)]
    if let background = arguments.optionalColour("background") {
      fields["background"] = .list(
        [background.red, background.green, background.blue, background.alpha].map { .number($0 * 255) })
    }
    return .fields(fields)
  }

  /// The largest angle that is detected, in degrees.
  private static let limit = 15.0
  /// The least ratio of the best angle's sum of squares to the mean sum of all angles. Below it, lines are not clear.
  private static let clarity = 1.3

  /// Returns the clockwise angle of the lines in degrees, in steps of 0.05; 0 if there are no clear lines, or if the
  /// angle exceeds `limit`.
  static func angle(_ picture: SmallPicture) -> Double {
    let edges = Edges(picture)
    guard edges.places.count >= 50 else { return 0 }
    func best(around middle: Double, reach: Int, step: Double) -> (angle: Double, clarity: Double) {
      let angles = (-reach...reach).map { middle + Double($0) * step }
      let scores = angles.map { edges.score($0) }
      let index = scores.indices.max { scores[$0] < scores[$1] } ?? reach
      return (angles[index], scores[index] * Double(scores.count) / scores.reduce(0, +))
    }
    let coarse = best(around: 0, reach: Int(limit / 0.5), step: 0.5)
    guard coarse.clarity >= clarity else { return 0 }
    let fine = best(around: coarse.angle, reach: 12, step: 0.05).angle
    return abs(fine) <= limit ? (fine * 20).rounded() / 20 : 0
  }

  /// The places where the picture becomes clearly brighter from one row to the next.
  private struct Edges {
    /// The places relative to the picture's centre.
    let places: [SIMD2<Double>]
    private let reach: Int

    init(_ picture: SmallPicture) {
      let (width, height) = (picture.width, picture.height)
      let luma = picture.pixels.map { pixel in
        (0.2126 * pixel.x + 0.7152 * pixel.y + 0.0722 * pixel.z) * pixel.w + 1 - pixel.w
      }
      var places: [SIMD2<Double>] = []
      for y in 0..<max(0, height - 1) {
        for x in 0..<width where luma[(y + 1) * width + x] - luma[y * width + x] > 0.1 {
          places.append([Double(x) - Double(width) / 2, Double(y) - Double(height) / 2])
        }
      }
      self.places = places
      reach = width + height
    }

    /// Returns the sum of the bins' squares for lines at an angle. A bin is a strip along that angle, one pixel high.
    func score(_ degrees: Double) -> Double {
      let (sine, cosine) = (sin(degrees / 180 * .pi), cos(degrees / 180 * .pi))
      var bins = [Double](repeating: 0, count: 2 * reach + 2)
      for place in places {
        let position = place.y * cosine - place.x * sine + Double(reach)
        let bin = Int(position)
        // Each point is divided between the two nearest bins. Otherwise, rounding would give the score many small
        // peaks.
        bins[bin] += 1 - (position - Double(bin))
        bins[bin + 1] += position - Double(bin)
      }
      return bins.reduce(0) { $0 + $1 * $1 }
    }
  }
}
