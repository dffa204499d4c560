import ImageCore

/// Removes the alpha band. Colours stay unchanged, including those of transparent pixels.
package struct RemoveAlpha: DescribedOperation {
  package static let descriptor = OperationDescriptor(
    name: "remove_alpha", family: "conversion",
    summary: "Drop the alpha band and keep the colours under it; see flatten to mix them")

  package init(_ arguments: Arguments) {}

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: inputs[0].format.with(alpha: false))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let format = inputs[0].layout.format
    return BandSelection(from: format, to: format.with(alpha: false)).open(inputs[0], context)
  }
}
