import ImageCore

/// An operation that performs a `resize` with some options fixed.
protocol ResizeShortForm: DescribedOperation {
  var resize: Resize { get }
}

extension ResizeShortForm {
  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    try resize.outputLayout(of: inputs)
  }
  package var acceptsCMYK: Bool { resize.acceptsCMYK }
  package func shrinkTolerance(of input: PictureLayout) -> Double { resize.shrinkTolerance(of: input) }
  package func shownPart(of input: PictureLayout) -> ShownPart? { resize.shownPart(of: input) }
  package func reading(_ shrink: ShrinkOnLoad) -> any PictureOperation { resize.reading(shrink) }
  package func workingByteCount(for inputs: [PictureLayout]) -> Int { resize.workingByteCount(for: inputs) }
  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    try resize.open(inputs, nominal: nominal, context: context)
  }

  static func side(_ name: String, required: Bool = true, _ help: String) -> ParameterDescriptor {
    ParameterDescriptor(name, .integer(1...PictureLayout.maximumSide), required: required, unit: "px", help: help)
  }
}
