import ImageCore
import ImageKernels

/// `rotate(angle{ background, kernel, expand })`: rotates clockwise about the centre.
///
/// Multiples of 90 degrees only move pixels. For any other angle, the picture is resampled, with colours premultiplied
/// by alpha. With `expand`, the canvas is large enough for the whole result. Except for multiples of 360 degrees, the
/// whole picture is read before the first row is computed.
package struct Rotate: DescribedOperation, ProfiledOperation {
  package static let descriptor = OperationDescriptor(
    name: "rotate", family: "resample", summary: "Turn clockwise by any angle",
    parameters: [
      ParameterDescriptor(
        "angle", .number(-1_000_000...1_000_000), required: true, unit: "degrees",
        help: "angle of rotation, clockwise"),
      ParameterDescriptor(
        "background", .colour,
        help: "colour of the corners; by default transparent for a picture with alpha, else black; "
          + "one that is not gray makes a gray picture RGB"),
      ParameterDescriptor(
        "kernel", .choice(ResampleKernel.allCases.map(\.rawValue)), default: .text("cubic"),
        help: "resampling kernel"),
      ParameterDescriptor(
        "expand", .boolean, default: .boolean(true),
        help:
          "whether the canvas grows to hold the whole picture; it always does for multiples of 90"),
    ], positional: 1)

  /// The angle in degrees, clockwise, from 0 to below 360.
  let angle: Double
  let mapped: MappedPicture
  let expands: Bool
  package var profiles: (@Sendable (Int) -> [UInt8])?

  package init(_ arguments: Arguments) throws(OperationError) {
    let turn = arguments.number("angle").truncatingRemainder(dividingBy: 360)
    angle = turn < 0 ? turn + 360 : turn
    mapped = MappedPicture(arguments)
    expands = arguments.boolean("expand")
  }

  /// The angle in right angles, 0 to 3; nil if it is no multiple of 90 degrees, so the picture has to be resampled.
  private var quarters: Int? { angle.remainder(dividingBy: 90) == 0 ? Int(angle / 90) % 4 : nil }

  /// The orientation for a rotation by right angles, which only moves pixels, and so does not prevent shrink-on-load.
  package var turning: Orientation? { quarters.map { [.upright, .rotated90, .rotated180, .rotated270][$0] } }

  private func plan(_ source: PictureLayout) -> RotationPlan {
    RotationPlan(
      sourceWidth: source.width, sourceHeight: source.height, degrees: angle, expands: expands, kernel: mapped.kernel)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let source = inputs[0]
    if let quarters {
      return quarters % 2 == 0
        ? source : try .checked(width: source.height, height: source.width, format: source.format)
    }
    let plan = plan(source)
    return try mapped.layout(source, width: plan.targetWidth, height: plan.targetHeight)
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    guard let quarters else {
      let target = (try? outputLayout(of: inputs))?.format ?? inputs[0].format
      return RotationFrame.byteCount(plan(inputs[0]), ResamplePixels(target)) + 64 * 3 * inputs[0].rowByteCount
    }
    return quarters == 0 ? 0 : PixelBuffer.byteCount(inputs[0])
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    if let turning { return OrientedSource.open(inputs[0], turning, context) }
    let layout = try PictureError.ofOperation { () throws(OperationError) in
      try outputLayout(of: [inputs[0].layout])
    }
    let colour = try matched(mapped.background(of: layout), context)
    let input = inputs[0].layout.format
    let source = try rows(inputs[0], in: input.with(model: layout.format.model), context)
    return RotationSource(source, plan: plan(source.layout), layout: layout, background: colour, context: context)
  }
}
