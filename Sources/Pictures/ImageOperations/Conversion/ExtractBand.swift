import ImageCore

/// Extracts one band as a gray picture.
package struct ExtractBand: DescribedOperation {
  private let band: String

  package static let descriptor = OperationDescriptor(
    name: "extract_band", family: "conversion", summary: "Make a gray picture of one band",
    parameters: [
      .init(
        "band", .choice(["red", "green", "blue", "alpha"]), required: true,
        help: "the band to take; red, green and blue of a gray picture are the same")
    ], positional: 1)

  package init(_ arguments: Arguments) { band = arguments.text("band") }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    _ = try index(in: inputs[0].format)
    return inputs[0].with(format: PixelFormat(inputs[0].format.sample, .gray))
  }

  package func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata { metadata.withGrayProfileOnly }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let format = inputs[0].layout.format
    let chosen = try PictureError.ofOperation { () throws(OperationError) in try index(in: format) }
    return BandSelection([chosen], format: PixelFormat(format.sample, .gray)).open(inputs[0], context)
  }

  private func index(in format: PixelFormat) throws(OperationError) -> Int {
    if band == "alpha" {
      guard format.hasAlpha else {
        throw .unsuitable("the picture has no alpha band; add one with ensure_alpha()")
      }
      return format.bands - 1
    }
    return format.model == .gray ? 0 : ["red": 0, "green": 1, "blue": 2][band]!
  }
}
