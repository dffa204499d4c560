import ImageCore

/// Full intensity minus each sample: the negative.
public struct Invert: DescribedOperation {
  private let alpha: Bool

  public static let descriptor = OperationDescriptor(
    name: "invert", family: "colour", summary: "Make the negative",
    parameters: [
      .init("alpha", .boolean, default: .boolean(false), help: "whether alpha is inverted as well")
    ])

  public init(_ arguments: Arguments) { alpha = arguments.boolean("alpha") }

  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0]
  }

  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    SampleTables.open(inputs[0], context, colour: [{ 1 - $0 }], alpha: alpha ? { 1 - $0 } : nil)
  }
}
