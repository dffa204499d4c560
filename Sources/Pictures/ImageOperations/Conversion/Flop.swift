import ImageCore

/// Mirrors a picture about its vertical middle: the right column becomes the left one.
public struct Flop: DescribedOperation {
  public static let descriptor = OperationDescriptor(
    name: "flop", family: "conversion", summary: "Mirror left to right")

  public init(_ arguments: Arguments) {}

  public var turning: Orientation? { .mirrored }

  public var takesInk: Bool { true }

  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }

  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    OrientedSource.open(inputs[0], .mirrored, context)
  }
}
