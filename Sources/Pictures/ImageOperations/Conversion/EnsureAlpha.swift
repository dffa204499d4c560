import ImageCore

/// Adds an opaque alpha band to a picture without alpha.
package struct EnsureAlpha: DescribedOperation {
  package static let descriptor = OperationDescriptor(
    name: "ensure_alpha", family: "conversion",
    summary: "Add an opaque alpha band where there is none")

  package init(_ arguments: Arguments) {}

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: inputs[0].format.with(alpha: true))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let format = inputs[0].layout.format
    return BandSelection(from: format, to: format.with(alpha: true)).open(inputs[0], context)
  }
}
