import ImageCore

/// An operation that is `resize` with some of its options fixed.
protocol ResizeShortForm: DescribedOperation {
  var resize: Resize { get }
}

extension ResizeShortForm {
  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    try resize.outputLayout(of: inputs)
  }
  public var takesInk: Bool { resize.takesInk }
  public func shrinkTolerance(of input: PictureLayout) -> Double { resize.shrinkTolerance(of: input) }
  public func shownPart(of input: PictureLayout) -> ShownPart? { resize.shownPart(of: input) }
  public func reading(_ shrink: ShrinkOnLoad) -> any PictureOperation { resize.reading(shrink) }
  public func workingByteCount(for inputs: [PictureLayout]) -> Int { resize.workingByteCount(for: inputs) }
  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    try resize.open(inputs, nominal: nominal, context: context)
  }

  static func side(_ name: String, required: Bool = true, _ help: String) -> ParameterDescriptor {
    ParameterDescriptor(name, .integer(1...PictureLayout.maximumSide), required: required, unit: "px", help: help)
  }
}
