import ImageCore
import ImageKernels

/// `perspective{ corners }`: maps a quadrilateral, such as a page photographed from the side, to a rectangle.
package struct Perspective: MappingOperation {
  /// The top left, top right, bottom right and bottom left corners, in pixels from the picture's upper left corner.
  private let corners: [SIMD2<Double>]
  private let width: Int
  private let height: Int
  let mapped: MappedPicture
  package var profiles: (@Sendable (Int) -> [UInt8])?

  package static let descriptor = OperationDescriptor(
    name: "perspective", family: "resample", summary: "Straighten four corners to a rectangle",
    parameters: [
      ParameterDescriptor(
        "corners", .numbers(8...8), required: true, unit: "px",
        help: "x and y of the corners at the top left, top right, bottom right and bottom left"),
      ParameterDescriptor(
        "width", .integer(1...PictureLayout.maximumSide), unit: "px",
        help: "width of the result; by default the longer of the top and the bottom edge"),
      ParameterDescriptor(
        "height", .integer(1...PictureLayout.maximumSide), unit: "px",
        help: "height of the result; by default the longer of the left and the right edge"),
    ] + MappedPicture.parameters, positional: 1)

  package init(_ arguments: Arguments) throws(OperationError) {
    let numbers = arguments.numbers("corners")
    let corners = stride(from: 0, to: 8, by: 2).map { SIMD2(numbers[$0], numbers[$0 + 1]) }
    guard numbers.allSatisfy({ abs($0) <= 1e7 }), Self.areClockwise(corners) else {
      throw .unsuitable(
        "'corners' are not a convex shape; give them clockwise: top left, top right, bottom right, bottom left")
    }
    func edge(_ first: Int, _ second: Int) -> Double {
      let difference = corners[first] - corners[second]
      return (difference * difference).sum().squareRoot()
    }
    self.corners = corners
    width = arguments.optionalInteger("width") ?? max(1, Int(max(edge(0, 1), edge(3, 2)).rounded()))
    height = arguments.optionalInteger("height") ?? max(1, Int(max(edge(0, 3), edge(1, 2)).rounded()))
    mapped = MappedPicture(arguments)
  }

  /// Returns whether the outline turns right at each corner, and any three successive corners form a triangle with an
  /// area of at least half a square pixel.
  private static func areClockwise(_ corners: [SIMD2<Double>]) -> Bool {
    (0..<4).allSatisfy { index in
      let (one, two) = (corners[(index + 1) % 4] - corners[index], corners[(index + 2) % 4] - corners[(index + 1) % 4])
      return one.x * two.y - one.y * two.x >= 1
    }
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    try mapped.layout(inputs[0], width: width, height: height)
  }

  func mapping(of source: PictureLayout) -> PointMapping {
    PointMapping(width: Double(width), height: Double(height), to: corners)
  }
}
