import ImageCore

/// Makes a gray picture of one colour band, alpha kept.
///
/// Luminance is computed in linear light with the weights of ITU-R BT.709 and encoded with sRGB's curve
/// again, as sharp's `grayscale` and libvips' `b-w` space do: gray is as bright as the colour was.
public struct Grayscale: DescribedOperation {
  public static let descriptor = OperationDescriptor(
    name: "grayscale", family: "colour",
    summary: "Make gray by luminance in linear light; the result has one colour band")

  public init(_ arguments: Arguments) {}

  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: inputs[0].format.with(model: .gray))
  }

  public func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata { metadata.withGrayProfileOnly }

  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    LuminanceSource.open(inputs[0], context)
  }
}
