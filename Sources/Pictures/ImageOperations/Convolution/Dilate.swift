import ImageCore
import ImageKernels

/// `dilate(radius)`: replaces each sample by the greatest sample in a square around it, in each band, including alpha.
///
/// On black-and-white pictures it equals `vips_morph` with a mask of 255 everywhere. The edge pixels are repeated
/// beyond the picture.
package struct Dilate: ExtremeFilter {
  static let extreme = RankKernels.Extreme.greatest
  let radius: Int

  package static let descriptor = OperationDescriptor(
    name: "dilate", family: "convolution", summary: "Grow bright areas by the greatest of neighbouring samples",
    parameters: [radiusParameter], positional: 1)

  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? { nil }

  package init(_ arguments: Arguments) { radius = arguments.integer("radius") }
}
