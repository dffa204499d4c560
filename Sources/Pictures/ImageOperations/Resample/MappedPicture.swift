import ImageCore
import ImageKernels

/// The common part of `affine` and `perspective`: resampling a picture through a mapping, on a background.
///
/// Colours are premultiplied by alpha for resampling. The whole picture is read before the first row is computed.
struct MappedPicture: Sendable {
  var background: Colour?
  let kernel: ResampleKernel

  static let parameters = [
    ParameterDescriptor(
      "background", .colour,
      help: "colour beside the picture; by default transparent for a picture with alpha, else black; "
        + "one that is not gray makes a gray picture RGB"),
    ParameterDescriptor(
      "kernel", .choice(ResampleKernel.allCases.map(\.rawValue)), default: .text("cubic"), help: "resampling kernel"),
  ]

  init(_ arguments: Arguments) {
    background = arguments.optionalColour("background")
    kernel = ResampleKernel(rawValue: arguments.text("kernel")) ?? .cubic
  }

  func layout(_ source: PictureLayout, width: Int, height: Int) throws(OperationError) -> PictureLayout {
    let colour = background ?? .black
    return try .checked(
      width: width, height: height,
      format: source.format.holding(colour).with(alpha: source.format.hasAlpha || colour.alpha < 1))
  }

  func workingByteCount(_ source: PictureLayout, _ target: PictureLayout) -> Int {
    let plan = plan(source, target, PointMapping(across: [1, 0, 0], down: [0, 1, 0]))
    return RotationFrame.byteCount(plan, ResamplePixels(target.format)) + 64 * 3 * source.rowByteCount
  }

  func open(
    _ upstream: any RowSource, _ target: PictureLayout, _ mapping: PointMapping, _ context: OperationContext
  ) -> any RowSource {
    let input = upstream.layout.format
    let source = BandSelection(from: input, to: input.with(model: target.format.model)).open(upstream, context)
    return RotationSource(
      source, plan: plan(source.layout, target, mapping), layout: target,
      background: background ?? (target.format.hasAlpha ? .transparent : .black), context: context)
  }

  private func plan(_ source: PictureLayout, _ target: PictureLayout, _ mapping: PointMapping) -> RotationPlan {
    RotationPlan(
      source: (source.width, source.height), target: (target.width, target.height), mapping: mapping, kernel: kernel)
  }
}
