import ImageCore
import ImageKernels

/// Draws a picture, the overlay, over another one, the base, with an operator of Porter and Duff or a blend mode.
///
/// The formulas are those of W3C Compositing and Blending Level 1 (https://www.w3.org/TR/compositing-1/), applied to
/// encoded samples as in browsers and sharp, or to linear light. The overlay is converted to the base's depth. If one
/// picture is gray and the other is not, the gray one is converted to RGB. Outside its area, the overlay counts as
/// transparent, so modes such as `in` clear the base there. The result has an alpha band if the base has one, or if the
/// mode can make pixels transparent. The base is streamed; the overlay is first read completely.
package struct Composite: DescribedOperation, ProfiledOperation {
  private let over: Int
  private let placement: OverlayPlacement
  private let blend: BlendMode
  private let opacity: Double
  private let light: LightMixing
  package var profiles: (@Sendable (Int) -> [UInt8])?

  private static let offset = ParameterKind.integer(-PictureLayout.maximumSide...PictureLayout.maximumSide)

  package static let descriptor = OperationDescriptor(
    name: "composite", family: "arithmetic", summary: "Lay another picture over this one",
    parameters: [
      .init("over", .picture, required: true, help: "the picture to lay over"),
      .init(
        "left", offset, unit: "px", help: "column for its left edge; may lie outside the base"),
      .init("top", offset, unit: "px", help: "row for its top edge; may lie outside the base"),
      .init(
        "gravity", .choice(Gravity.names), default: .text("centre"),
        help: "place if left and top are not given, also called position", alias: "position"
      ).treating(Gravity.equalNames),
      .init(
        "blend", .choice(blendNames), default: .text("over"),
        help: "blend mode: how its pixels combine with those below"
      ).treating(blendSpellings),
      .init(
        "opacity", .number(0...1), default: .number(1), help: "factor for the overlay's alpha"),
      .init(
        "tile", .boolean, default: .boolean(false),
        help: "whether to repeat it in both directions from its position"),
      LightMixing.parameter,
    ], positional: 1)

  /// The names of the blend modes. CSS and sharp write `color-dodge`; sharp also accepts `colour-dodge`.
  private static let blendNames = BlendMode.allCases.map(\.rawValue) + blendSpellings.keys.sorted(by: >)
  private static let blendSpellings = ["colour-dodge": "color-dodge", "colour-burn": "color-burn"]

  package init(_ arguments: Arguments) throws(OperationError) {
    over = arguments.picture("over")
    placement = try OverlayPlacement(
      left: arguments.optionalInteger("left"), top: arguments.optionalInteger("top"),
      gravity: arguments.isGiven("gravity") ? arguments.text("gravity") : nil, tiles: arguments.boolean("tile"))
    let name = arguments.text("blend")
    blend = BlendMode(rawValue: Self.blendSpellings[name] ?? name)!
    opacity = arguments.number("opacity")
    light = LightMixing(arguments)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: format(of: inputs))
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let format = format(of: inputs)
    let overlay = inputs[over].with(format: format.with(alpha: true))
    let base = inputs[0].with(format: format)
    return PixelBuffer.byteCount(overlay) + (base.rowByteCount + overlay.rowByteCount) * 256
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let base = try rows(inputs[0], in: format(of: inputs.map(\.layout)), context)
    var overlay = inputs[over]
    if let profiles { overlay = try ToProfile.match(overlay, from: profiles(over), to: profiles(0), context) }
    let blending = CompositeBlending(mode: blend, opacity: Float(opacity), light: light)
    return CompositeSource(base, overlay: overlay, placement: placement, blending, context)
  }

  private func format(of inputs: [PictureLayout]) -> PixelFormat {
    let base = inputs[0].format
    let hasColours = base.model == .rgb || inputs[over].format.model == .rgb
    return base.with(model: hasColours ? .rgb : .gray)
      .with(alpha: base.hasAlpha || blend.canRemove)
  }
}
