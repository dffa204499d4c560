import ImageCore

/// Sets samples at or above a value to full intensity, and all others to 0; by default after a conversion to gray.
/// Alpha stays unchanged.
package struct Threshold: DescribedOperation {
  private let value: Int
  private let grayscale: Bool

  package static let descriptor = OperationDescriptor(
    name: "threshold", family: "colour", summary: "Make black and white at a limit",
    parameters: [
      .init(
        "value", .integer(0...255), default: .integer(128),
        help: "samples at or above it become white, on a scale of 0 to 255 at any depth"),
      .init(
        "grayscale", .boolean, default: .boolean(true),
        help: "whether to convert to gray first; false applies the limit to each colour band"),
    ], positional: 1)

  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? { nil }

  package init(_ arguments: Arguments) {
    value = arguments.integer("value")
    grayscale = arguments.boolean("grayscale")
  }

  package var isTwoLevel: Bool { true }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    grayscale ? inputs[0].with(format: inputs[0].format.with(model: .gray)) : inputs[0]
  }

  package func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata {
    grayscale ? metadata.withGrayProfileOnly : metadata
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let source = grayscale ? LuminanceSource.open(inputs[0], context) : inputs[0]
    let limit = Double(value) / 255
    return SampleTables.open(source, context, colour: [{ $0 >= limit ? 1 : 0 }])
  }
}
