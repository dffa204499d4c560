import ImageCore

/// Makes a gray picture of one colour band, alpha kept.
///
/// Luminance is computed in linear light with the weights of ITU-R BT.709 and encoded with sRGB's curve
/// again, as sharp's `grayscale` and libvips' `b-w` space do: gray is as bright as the colour was.
package struct Grayscale: DescribedOperation {
  package static let descriptor = OperationDescriptor(
    name: "grayscale", family: "colour",
    summary: "Make gray by luminance in linear light; the result has one colour band")

  package init(_ arguments: Arguments) {}

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: inputs[0].format.with(model: .gray))
  }

  package func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata { metadata.withGrayProfileOnly }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    LuminanceSource.open(inputs[0], context)
  }
}
