import ImageCore

/// Mirrors a picture horizontally: the rightmost column becomes the leftmost column.
package struct Flop: DescribedOperation {
  package static let descriptor = OperationDescriptor(
    name: "flop", family: "conversion", summary: "Mirror left to right")

  package init(_ arguments: Arguments) {}

  package var turning: Orientation? { .mirrored }

  package var acceptsCMYK: Bool { true }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    OrientedSource.open(inputs[0], .mirrored, context)
  }
}
