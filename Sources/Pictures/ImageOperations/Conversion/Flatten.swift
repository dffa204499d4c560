import ImageCore
import ImageKernels

/// Draws a picture with alpha onto a background. The result is opaque and has no alpha band.
///
/// Encoded samples are mixed, as in sharp and browsers. Pictures without alpha stay unchanged. Gray pictures with alpha
/// become RGB if the background is not gray.
package struct Flatten: DescribedOperation, ProfiledOperation {
  private let background: Colour
  package var profiles: (@Sendable (Int) -> [UInt8])?

  package static let descriptor = OperationDescriptor(
    name: "flatten", family: "conversion", summary: "Put on a background and remove the alpha band",
    parameters: [
      .init("background", .colour, default: .colour(.black), help: "colour behind the picture; its alpha is ignored")
    ], positional: 1)

  package init(_ arguments: Arguments) { background = arguments.colour("background") }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: format(of: inputs[0].format))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let input = inputs[0].layout.format
    guard input.hasAlpha else { return inputs[0] }
    let format = format(of: input)
    let samples = try matched(background, context).samples(in: format)
    let source = try rows(inputs[0], in: format.with(alpha: true), context)
    return ConvertingSource(source, to: format, context) { from, to, width in
      PointKernels.flatten(
        from: from, to: to, width: width, bands: format.bands,
        sampleBytes: format.sample.byteCount, background: samples)
    }
  }

  private func format(of input: PixelFormat) -> PixelFormat {
    input.hasAlpha ? input.holding(background).with(alpha: false) : input
  }
}
