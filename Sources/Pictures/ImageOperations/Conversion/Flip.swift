import ImageCore

/// Mirrors a picture about its horizontal middle: the bottom row becomes the top one.
public struct Flip: DescribedOperation {
  public static let descriptor = OperationDescriptor(
    name: "flip", family: "conversion", summary: "Mirror top to bottom")

  public init(_ arguments: Arguments) {}

  public var turning: Orientation? { .flipped }

  public var takesInk: Bool { true }

  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }

  public func workingByteCount(for inputs: [PictureLayout]) -> Int { PixelBuffer.byteCount(inputs[0]) }

  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    OrientedSource.open(inputs[0], .flipped, context)
  }
}
