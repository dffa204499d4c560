import ImageCore
import ImageKernels

/// Converts a picture to a single gray band, and keeps alpha.
///
/// The luminance of each pixel is kept: it is computed in linear light with the weights of ITU-R BT.709, and encoded
/// with the sRGB curve, as in sharp's `grayscale` and libvips' `b-w` space.
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

/// Opens rows of luminance, for `grayscale` and all other operations that need luminance.
enum LuminanceSource {
  /// Returns rows of luminance, with alpha unchanged; `upstream` itself for a gray picture.
  static func open(_ upstream: any RowSource, _ context: OperationContext) -> any RowSource {
    let input = upstream.layout.format
    guard input.model != .gray else { return upstream }
    return ConvertingSource(upstream, to: input.with(model: .gray), context) { from, to, width in
      ColourKernels.luminance(
        from: from, to: to, width: width, sampleBytes: input.sample.byteCount,
        hasAlpha: input.hasAlpha)
    }
  }
}
