import ImageCore

/// Mirrors a picture vertically: the bottom row becomes the top row.
package struct Flip: DescribedOperation {
  package static let descriptor = OperationDescriptor(
    name: "flip", family: "conversion", summary: "Mirror top to bottom")

  package init(_ arguments: Arguments) {}

  package var turning: Orientation? { .flipped }

  package var acceptsCMYK: Bool { true }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { PixelBuffer.byteCount(inputs[0]) }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    OrientedSource.open(inputs[0], .flipped, context)
  }
}
