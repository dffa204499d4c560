import ImageCore
import ImageKernels

/// `erode(radius)`: replaces each sample by the least sample in a square around it, in each band, including alpha.
///
/// On black-and-white pictures it equals `vips_morph` with a mask of 255 everywhere. The edge pixels are repeated
/// beyond the picture.
package struct Erode: ExtremeFilter {
  static let extreme = RankKernels.Extreme.least
  let radius: Int

  package static let descriptor = OperationDescriptor(
    name: "erode", family: "convolution", summary: "Shrink bright areas by the least of neighbouring samples",
    parameters: [radiusParameter], positional: 1)

  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? { nil }

  package init(_ arguments: Arguments) { radius = arguments.integer("radius") }
}
