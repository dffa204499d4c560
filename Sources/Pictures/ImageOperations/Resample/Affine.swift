import ImageCore
import ImageKernels

/// `affine{ a, b, c, d }`: moves the point `(x, y)` to `(a x + b y, c x + d y)`, as sharp and `vips_affine` do.
///
/// The canvas contains the whole result. The matrix maps the edges of the picture exactly, because pixels are treated
/// as areas. `vips_affine` maps the upper left corners of pixels, so its result is shifted by up to half a pixel.
package struct Affine: MappingOperation {
  /// The elements of the matrix by rows: a, b, c, d.
  private let matrix: [Double]
  let mapped: MappedPicture
  package var profiles: (@Sendable (Int) -> [UInt8])?

  package static let descriptor = OperationDescriptor(
    name: "affine", family: "resample", summary: "Shear, stretch or mirror by a matrix",
    parameters: [
      ParameterDescriptor(
        "matrix", .numbers(4...4), required: true,
        help: "a, b, c, d: the point (x, y) moves to (a x + b y, c x + d y)")
    ] + MappedPicture.parameters, positional: 1)

  package init(_ arguments: Arguments) throws(OperationError) {
    matrix = arguments.numbers("matrix")
    mapped = MappedPicture(arguments)
    guard matrix.allSatisfy({ abs($0) <= 1000 }) else {
      throw .unsuitable("'matrix' has a number beyond 1000; use smaller ones")
    }
    guard abs(determinant) >= 1e-6 else {
      throw .unsuitable("'matrix' flattens the picture to a line; a d must differ from b c")
    }
  }

  private var determinant: Double { matrix[0] * matrix[3] - matrix[1] * matrix[2] }

  /// Returns the position and size of the canvas: the rounded bounds of the picture's corners after the mapping.
  private func canvas(_ source: PictureLayout) -> (left: Double, top: Double, width: Int, height: Int) {
    func bounds(_ x: Double, _ y: Double) -> (first: Double, count: Int) {
      let (wide, high) = (x * Double(source.width), y * Double(source.height))
      let ends = [0, wide, high, wide + high].map { $0.rounded() }
      let (first, last) = (ends.min() ?? 0, ends.max() ?? 0)
      return (first, max(1, Int(last - first)))
    }
    let (across, down) = (bounds(matrix[0], matrix[1]), bounds(matrix[2], matrix[3]))
    return (across.first, down.first, across.count, down.count)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let canvas = canvas(inputs[0])
    return try mapped.layout(inputs[0], width: canvas.width, height: canvas.height)
  }

  func mapping(of source: PictureLayout) -> PointMapping {
    let canvas = canvas(source)
    let inverse = [matrix[3], -matrix[1], -matrix[2], matrix[0]].map { $0 / determinant }
    return PointMapping(
      across: [inverse[0], inverse[1], inverse[0] * canvas.left + inverse[1] * canvas.top],
      down: [inverse[2], inverse[3], inverse[2] * canvas.left + inverse[3] * canvas.top])
  }
}
