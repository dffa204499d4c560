import ImageCore

/// Maps samples by curves through given points: a common curve for all colour bands, and curves for red, green and
/// blue.
///
/// The curve of a band is applied before the common curve. Alpha stays unchanged.
package struct Curves: DescribedOperation {
  private let common: ToneCurve?
  private let own: [ToneCurve?]

  private static let bands = ["red", "green", "blue"]
  private static let points = ParameterKind.numbers(4...128)

  package static let descriptor = OperationDescriptor(
    name: "curves", family: "colour", summary: "Map samples by a smooth curve through points",
    parameters: [
      .init(
        "points", points,
        help: "for all colour bands, pairs of a sample and its new value: { { 0, 0 }, { 64, 50 }, { 255, 255 } }, "
          + "on a scale of 0 to 255")
    ] + bands.map { .init($0, points, help: "the same for the \($0) band alone, before 'points'") },
    positional: 1)

  package init(_ arguments: Arguments) throws(OperationError) {
    func curve(_ name: String) throws(OperationError) -> ToneCurve? {
      guard let numbers = arguments.optionalNumbers(name) else { return nil }
      return try ToneCurve(numbers, name: name)
    }
    common = try curve("points")
    own = [try curve("red"), try curve("green"), try curve("blue")]
    guard common != nil || own.contains(where: { $0 != nil }) else {
      throw .incomplete("give it 'points', or points of a band such as 'red'")
    }
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    if inputs[0].format.model == .gray, let band = own.firstIndex(where: { $0 != nil }) {
      throw .unsuitable("a gray picture has no \(Self.bands[band]) band; give it 'points'")
    }
    return inputs[0]
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let common = common
    let curves = (own.contains { $0 != nil } ? own : [nil]).map { own -> SampleTables.Curve in
      { sample in
        let value = own?.value(at: sample) ?? sample
        return common?.value(at: value) ?? value
      }
    }
    return SampleTables.open(inputs[0], context, colour: curves)
  }
}

/// A smooth curve through points that is monotonic between adjacent points, and constant before the first and after the
/// last.
///
/// Its pieces are cubics with the slopes of F. N. Fritsch and J. Butland, "A Method for Constructing Local Monotone
/// Piecewise Cubic Interpolants", SIAM J. Sci. Stat. Comput. 5 (1984), as in SciPy's `PchipInterpolator`.
private struct ToneCurve: Sendable {
  private let x: [Double]
  private let y: [Double]
  private let slopes: [Double]

  /// - Parameters:
  ///   - numbers: pairs of a sample and its new value, on a scale of 0 to 255, with ascending samples.
  ///   - name: the name of the parameter, for error messages.
  init(_ numbers: [Double], name: String) throws(OperationError) {
    guard numbers.count % 2 == 0 else {
      throw .unsuitable("'\(name)' has \(numbers.count) numbers; a point is two")
    }
    guard numbers.allSatisfy({ (0...255).contains($0) }) else {
      throw .unsuitable("'\(name)' must have numbers from 0 to 255")
    }
    let x = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] / 255 }
    guard zip(x, x.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw .unsuitable("the points of '\(name)' must be in the order of rising samples, each once")
    }
    self.x = x
    y = stride(from: 1, to: numbers.count, by: 2).map { numbers[$0] / 255 }
    slopes = Self.slopes(x, y)
  }

  /// Returns the value at a sample; both are from 0 to 1.
  func value(at sample: Double) -> Double {
    let last = x.count - 1
    if sample <= x[0] { return y[0] }
    if sample >= x[last] { return y[last] }
    var piece = 0
    while sample > x[piece + 1] { piece += 1 }
    let width = x[piece + 1] - x[piece]
    let t = (sample - x[piece]) / width
    let u = 1 - t
    // This is a sum of Hermite basis functions.
    let ends = y[piece] * (1 + 2 * t) * u * u + y[piece + 1] * t * t * (3 - 2 * t)
    return ends + width * t * u * (slopes[piece] * u - slopes[piece + 1] * t)
  }

  private static func slopes(_ x: [Double], _ y: [Double]) -> [Double] {
    let widths = zip(x.dropFirst(), x).map { $0 - $1 }
    let secants = zip(zip(y.dropFirst(), y).map { $0 - $1 }, widths).map { $0 / $1 }
    guard secants.count > 1 else { return [secants[0], secants[0]] }
    let inner = (1..<secants.count).map { point in
      let (before, after) = (secants[point - 1], secants[point])
      guard before * after > 0 else { return 0.0 }
      let first = 2 * widths[point] + widths[point - 1]
      let second = widths[point] + 2 * widths[point - 1]
      return (first + second) / (first / before + second / after)
    }
    let last = secants.count - 1
    return [endSlope(widths[0], widths[1], secants[0], secants[1])] + inner
      + [endSlope(widths[last], widths[last - 1], secants[last], secants[last - 1])]
  }

  /// Returns the slope at an end: that of a parabola through three points, limited to keep the curve monotonic.
  private static func endSlope(_ width: Double, _ next: Double, _ secant: Double, _ nextSecant: Double) -> Double {
    let slope = ((2 * width + next) * secant - width * nextSecant) / (width + next)
    if slope * secant <= 0 { return 0 }
    return secant * nextSecant <= 0 && abs(slope) > 3 * abs(secant) ? 3 * secant : slope
  }
}
