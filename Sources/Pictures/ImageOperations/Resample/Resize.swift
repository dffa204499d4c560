import ImageCore
import ImageKernels

/// `resize{ width, height, fit, position, kernel, light, background, enlarge, reduce }`: the resize of sharp.
///
/// It scales and crops in one pass over the picture; see `ResizeGeometry` for sizes and positions.
package struct Resize: DescribedOperation, ProfiledOperation {
  package static let descriptor = OperationDescriptor(
    name: "resize", family: "resample", summary: "Scale to a width, a height, or both",
    parameters: [
      ParameterDescriptor(
        "width", .side(1...PictureLayout.maximumSide), unit: "px",
        help:
          "width of the result, in pixels or of the picture's own, such as \"50%\"; left out, it follows from the height"
      ),
      ParameterDescriptor(
        "height", .side(1...PictureLayout.maximumSide), unit: "px",
        help: "height of the result; left out, it follows from the width"),
      ParameterDescriptor(
        "fit", .choice(ResizeFit.allCases.map(\.rawValue)), default: .text("cover"),
        help: "for other proportions: cover crops, contain adds a background, inside stays within "
          + "both sides, outside reaches both, fill stretches the picture"),
      positionParameter,
      kernelParameter,
      LightMixing.parameter,
      ParameterDescriptor(
        "background", .colour, default: .colour(.black),
        help: "colour that contain adds; a translucent one adds an alpha band, "
          + "and one that is not gray makes a gray picture RGB"),
      enlargeParameter,
      ParameterDescriptor(
        "reduce", .boolean, default: .boolean(true), help: "whether the picture may shrink"),
    ], positional: 2)

  static let positionParameter = ParameterDescriptor(
    "position", .choice(CropPosition.names), default: .text("centre"),
    help: "the part that cover keeps, or the place of the picture for contain"
  ).treating(Gravity.equalNames)
  static let kernelParameter = ParameterDescriptor(
    "kernel", .choice(ResampleKernel.allCases.map(\.rawValue)), default: .text("lanczos3"), help: "resampling kernel")
  static let enlargeParameter = ParameterDescriptor(
    "enlarge", .boolean, default: .boolean(true), help: "whether the picture may grow")

  var target: ResizeTarget
  /// Whether a crop strategy may crop only a little off the top, to keep heads.
  var keepsHeads = false
  var kernel = ResampleKernel.lanczos3
  var light = LightMixing.encoded
  var background = Colour.black
  /// Whether the result is only measured, for which a coarse result is sufficient.
  package var isCoarse = false
  package var profiles: (@Sendable (Int) -> [UInt8])?
  /// The factor of shrink-on-load for the rows, and the position of the picture in the rows.
  private var shrink = ShrinkOnLoad.off

  init(_ target: ResizeTarget) { self.target = target }

  /// - Parameter arguments: only `kernel` and `light` are read.
  init(_ target: ResizeTarget, _ arguments: Arguments) {
    self.target = target
    kernel = ResampleKernel(rawValue: arguments.text("kernel")) ?? .lanczos3
    light = LightMixing(arguments)
  }

  package init(_ arguments: Arguments) throws(OperationError) {
    let target = ResizeTarget(
      width: arguments.side("width"), height: arguments.side("height"),
      fit: ResizeFit(rawValue: arguments.text("fit")) ?? .cover,
      placement: CropPosition(name: arguments.text("position")), enlarge: arguments.boolean("enlarge"),
      reduce: arguments.boolean("reduce"))
    self.init(target, arguments)
    guard target.width != nil || target.height != nil else {
      throw .incomplete("give it a width, a height, or both")
    }
    background = arguments.colour("background")
  }

  func geometry(of source: PictureLayout) -> ResizeGeometry {
    ResizeGeometry(sourceWidth: source.width, sourceHeight: source.height, target)
  }

  /// Whether CMYK is accepted: not with borders, which have an RGB colour, not with linear light, which needs the sRGB
  /// curve, and not with strategies, which analyse RGB colours.
  package var acceptsCMYK: Bool { light == .encoded && target.fit != .contain && strategy == nil }

  /// The strategy that finds the part to keep; nil if the position is fixed.
  private var strategy: SmartCropStrategy? {
    guard case .smart(let strategy) = target.placement, target.fit == .cover else { return nil }
    return strategy
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let source = inputs[0]
    let geometry = geometry(of: source)
    // The scaled picture must have a valid size even before it is cropped, because the window is a part of it.
    _ = try PictureLayout.checked(width: geometry.scaledWidth, height: geometry.scaledHeight, format: source.format)
    return try .checked(width: geometry.width, height: geometry.height, format: format(of: source.format))
  }

  private func format(of input: PixelFormat) -> PixelFormat {
    guard target.fit == .contain else { return input }
    return input.holding(background).with(alpha: input.hasAlpha || background.alpha < 1)
  }

  package func shrinkTolerance(of input: PictureLayout) -> Double {
    // Shrinking decoders average encoded samples, which is wrong for linear light.
    kernel == .nearest || light == .linear ? 1 : max(1, geometry(of: input).shrink(of: input))
  }

  package func shownPart(of input: PictureLayout) -> ShownPart? {
    let geometry = geometry(of: input)
    let window = geometry.window
    guard strategy == nil, window.width == geometry.width, window.height == geometry.height else { return nil }
    return ShownPart(
      left: Double(window.left), top: Double(window.top), width: Double(window.width), height: Double(window.height),
      of: (geometry.scaledWidth, geometry.scaledHeight))
  }

  package func reading(_ shrink: ShrinkOnLoad) -> any PictureOperation {
    var resize = self
    resize.shrink = shrink
    return resize
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let source = inputs[0]
    let geometry = geometry(of: source)
    let scale = max(1, Double(source.height) / Double(geometry.scaledHeight))
    // A strip of 64 target rows, the most with up to 16 workers, depends on this number of source rows. For each row, a
    // row of floats with the target's width is counted, too: the result of the horizontal pass, which some plans keep.
    let rows = Int((2 * kernel.radius + 64) * scale) + 16
    let isByte = source.format.sample == .u8
    let floatBytes = geometry.window.width * (isByte && light == .encoded ? 16 : 32)
    let rowBytes = source.rowByteCount * (isByte && light == .linear ? 2 : 1)
    // For linear light of 8-bit samples, strips of at most 64 rows are converted to and from 16 bits.
    let strips = isByte && light == .linear ? 64 * (source.rowByteCount + 2 * geometry.window.width * source.bands) : 0
    let ring = min(rows, source.height) * (rowBytes + 256 + floatBytes) + strips
    guard strategy != nil else { return ring }
    let scaled = source.with(width: geometry.scaledWidth, height: geometry.scaledHeight)
    return ring + PixelBuffer.byteCount(scaled)
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let geometry = geometry(of: nominal[0])
    if let strategy {
      let scaled = Region(left: 0, top: 0, width: geometry.scaledWidth, height: geometry.scaledHeight)
      let whole = try resampled(inputs[0], scaled, geometry, nominal[0], context).readAll(context)
      let window = try SmartCrop.window(
        strategy, of: whole, width: geometry.width, height: geometry.height,
        keepsHeads: keepsHeads, context)
      return CroppedSource(BufferSource(whole), window)
    }
    let rows = resampled(inputs[0], geometry.window, geometry, nominal[0], context)
    let input = rows.layout.format
    let target = PictureLayout(width: geometry.width, height: geometry.height, format: format(of: input))
    let pixels = try self.rows(rows, in: target.format, context)
    if pixels.layout == target { return pixels }
    let border = Border(
      top: geometry.padTop, bottom: target.height - geometry.padTop - pixels.layout.height, left: geometry.padLeft,
      right: target.width - geometry.padLeft - pixels.layout.width, background: try matched(background, context),
      mode: .background)
    return ExtendSource(pixels, border, context)
  }

  /// Returns the rows of `region` of the scaled picture, or the input itself if nothing changes.
  private func resampled(
    _ input: any RowSource, _ region: Region, _ geometry: ResizeGeometry, _ nominal: PictureLayout,
    _ context: OperationContext
  ) -> any RowSource {
    let actual = input.layout
    let resampling = geometry.resampling(
      of: region, nominal: nominal, rows: actual, shrink: shrink)
    let isWhole = resampling.box.width == Double(actual.width) && resampling.box.height == Double(actual.height)
    // The Mitchell kernel blurs even if the size stays the same.
    if isWhole, shrink.lead == .init(), region.width == actual.width, region.height == actual.height,
      kernel != .mitchell
    {
      return input
    }
    let isLinear = light == .linear && kernel != .nearest
    guard isLinear, actual.format.sample == .u8 else {
      let plan = ResamplePlan(
        resampling, pixels: ResamplePixels(actual.format), kernel: kernel, decodesLight: isLinear)
      return ResampleSource(input, plan: plan, context: context)
    }
    let decoded = LightMixing.decode(input, context)
    let plan = ResamplePlan(resampling, pixels: ResamplePixels(decoded.layout.format), kernel: kernel)
    return LightMixing.encode(ResampleSource(decoded, plan: plan, context: context), context)
  }
}
