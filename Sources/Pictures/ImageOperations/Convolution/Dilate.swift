import ImageCore
import ImageKernels

/// `dilate(radius)`: replaces each sample by the greatest sample in a square around it, in each band, including alpha.
///
/// On black-and-white pictures it equals `vips_morph` with a mask of 255 everywhere. The edge pixels are repeated
/// beyond the picture.
package struct Dilate: DescribedOperation {
  private let filter: ExtremeFilter

  package static let descriptor = OperationDescriptor(
    name: "dilate", family: "convolution", summary: "Grow bright areas by the greatest of neighbouring samples",
    parameters: [ExtremeFilter.parameter], positional: 1)

  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? { nil }

  package init(_ arguments: Arguments) {
    filter = ExtremeFilter(radius: arguments.integer("radius"), extreme: .greatest)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { filter.workingByteCount(inputs[0]) }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource { filter.open(inputs[0], context) }
}
