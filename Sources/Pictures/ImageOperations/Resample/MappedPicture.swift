import ImageCore
import ImageKernels

/// `affine` or `perspective`: resamples a picture through a mapping, on a background.
///
/// Colours are premultiplied by alpha for resampling. The whole picture is read before the first row is computed.
protocol MappingOperation: DescribedOperation, ProfiledOperation {
  var mapped: MappedPicture { get }
  /// Returns the mapping from points of the result to points of a picture.
  func mapping(of source: PictureLayout) -> PointMapping
}

extension MappingOperation {
  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let (source, target) = (inputs[0], (try? outputLayout(of: inputs)) ?? inputs[0])
    let plan = mapped.plan(source, target, PointMapping(across: [1, 0, 0], down: [0, 1, 0]))
    return RotationFrame.byteCount(plan, ResamplePixels(target.format)) + 64 * 3 * source.rowByteCount
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let input = inputs[0].layout
    let target = try PictureError.ofOperation { () throws(OperationError) in try outputLayout(of: [input]) }
    let background = try matched(mapped.background(of: target), context)
    let source = try rows(inputs[0], in: input.format.with(model: target.format.model), context)
    return RotationSource(
      source, plan: mapped.plan(input, target, mapping(of: input)), layout: target, background: background,
      context: context)
  }
}

/// The background and the kernel of an operation that maps or rotates a picture.
struct MappedPicture: Sendable {
  private let background: Colour?
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

  /// Returns the script's colour, or else the default for a result with this layout.
  func background(of target: PictureLayout) -> Colour {
    background ?? (target.format.hasAlpha ? .transparent : .black)
  }

  func plan(_ source: PictureLayout, _ target: PictureLayout, _ mapping: PointMapping) -> RotationPlan {
    RotationPlan(
      source: (source.width, source.height), target: (target.width, target.height), mapping: mapping, kernel: kernel)
  }
}
