import ImageCore
import ImageKernels

/// `erode(radius)`: replaces each sample by the least sample in a square around it, in each band, including alpha.
///
/// On black-and-white pictures it equals `vips_morph` with a mask of 255 everywhere. The edge pixels are repeated
/// beyond the picture.
package struct Erode: DescribedOperation {
  private let filter: ExtremeFilter

  package static let descriptor = OperationDescriptor(
    name: "erode", family: "convolution", summary: "Shrink bright areas by the least of neighbouring samples",
    parameters: [ExtremeFilter.parameter], positional: 1)

  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? { nil }

  package init(_ arguments: Arguments) {
    filter = ExtremeFilter(radius: arguments.integer("radius"), extreme: .least)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { filter.workingByteCount(inputs[0]) }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource { filter.open(inputs[0], context) }
}
