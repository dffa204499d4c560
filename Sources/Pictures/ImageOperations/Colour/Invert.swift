import ImageCore
import ImageKernels

/// Subtracts each colour sample from full intensity, which gives the negative; on request, inverts alpha, too.
package struct Invert: DescribedOperation {
  private let alpha: Bool

  package static let descriptor = OperationDescriptor(
    name: "invert", family: "colour", summary: "Make the negative",
    parameters: [.init("alpha", .boolean, default: .boolean(false), help: "whether to invert alpha, too")])

  package init(_ arguments: Arguments) { alpha = arguments.boolean("alpha") }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let format = inputs[0].layout.format
    return PointSource(inputs[0], context) { [alpha] row, width in
      PointKernels.complement(
        row, width: width, sampleBytes: format.sample.byteCount,
        bands: format.bands, keepsLast: format.hasAlpha && !alpha)
    }
  }
}
