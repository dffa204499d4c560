import ImageCore
import ImageKernels

/// `resize{ width, height, fit, position, kernel, background, enlarge, reduce }`: sharp's resize.
///
/// Scaling and cutting are one pass over the picture; see `ResizeGeometry` for sizes and places.
public struct Resize: DescribedOperation {
  public static let descriptor = OperationDescriptor(
    name: "resize", family: "resample", summary: "Scale to a width, a height, or both",
    parameters: [
      ParameterDescriptor(
        "width", .integer(1...PictureLayout.maximumSide), unit: "px",
        help: "Width of the result; left out, it follows the height"),
      ParameterDescriptor(
        "height", .integer(1...PictureLayout.maximumSide), unit: "px",
        help: "Height of the result; left out, it follows the width"),
      ParameterDescriptor(
        "fit", .choice(ResizeFit.allCases.map(\.rawValue)), default: .text("cover"),
        help: "How to meet a width and a height of other proportions: cover crops, contain adds a "
          + "background, inside and outside keep to one of them, fill stretches"),
      positionParameter,
      kernelParameter,
      ParameterDescriptor(
        "background", .colour, default: .colour(.black),
        help: "Colour of what contain adds; a translucent one adds an alpha band, "
          + "and one that is not gray makes a gray picture RGB"),
      enlargeParameter,
      ParameterDescriptor(
        "reduce", .boolean, default: .boolean(true), help: "Whether it may come out smaller"),
    ], positional: 2)

  static let positionParameter = ParameterDescriptor(
    "position", .choice(CropPosition.names), default: .text("centre"),
    help: "What cover keeps, or where contain puts the picture")
  static let kernelParameter = ParameterDescriptor(
    "kernel", .choice(ResampleKernel.allCases.map(\.rawValue)), default: .text("lanczos3"),
    help: "The resampling kernel")
  static let enlargeParameter = ParameterDescriptor(
    "enlarge", .boolean, default: .boolean(true), help: "Whether it may come out larger")

  var width: Int?
  var height: Int?
  var fit = ResizeFit.cover
  var placement = CropPosition.gravity(.centre)
  /// Whether a cut for which a strategy looks takes little off the top.
  var keepsHeads = false
  var kernel = ResampleKernel.lanczos3
  var background = Colour.black
  var enlarge = true
  var reduce = true
  /// The position of the picture in the rows that come in.
  private var shrink = ShrinkOnLoad.off

  init(width: Int?, height: Int?) {
    self.width = width
    self.height = height
  }

  public init(_ arguments: Arguments) throws(OperationError) {
    width = arguments.optionalInteger("width")
    height = arguments.optionalInteger("height")
    guard width != nil || height != nil else {
      throw .unsuitable("give it a width, a height, or both")
    }
    fit = ResizeFit(rawValue: arguments.text("fit")) ?? .cover
    placement = CropPosition(name: arguments.text("position"))
    kernel = ResampleKernel(rawValue: arguments.text("kernel")) ?? .lanczos3
    background = arguments.colour("background")
    enlarge = arguments.boolean("enlarge")
    reduce = arguments.boolean("reduce")
  }

  func geometry(of source: PictureLayout) -> ResizeGeometry {
    let gravity = if case .gravity(let gravity) = placement { gravity } else { Gravity.centre }
    return ResizeGeometry(
      sourceWidth: source.width, sourceHeight: source.height, width: width, height: height,
      fit: fit, gravity: gravity, enlarge: enlarge, reduce: reduce)
  }

  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let source = inputs[0]
    let geometry = geometry(of: source)
    // The whole scaled picture has to be a possible one too: the window's place is reckoned in it.
    _ = try PictureLayout.checked(
      width: geometry.scaledWidth, height: geometry.scaledHeight, format: source.format)
    return try .checked(
      width: geometry.width, height: geometry.height, format: format(of: source.format))
  }

  private func format(of input: PixelFormat) -> PixelFormat {
    guard fit == .contain else { return input }
    return input.holding(background).with(alpha: input.hasAlpha || background.alpha < 1)
  }

  public func shrinkTolerance(of input: PictureLayout) -> Double {
    kernel == .nearest ? 1 : max(1, geometry(of: input).shrink(of: input))
  }

  public func reading(_ shrink: ShrinkOnLoad) -> any PictureOperation {
    var resize = self
    resize.shrink = shrink
    return resize
  }

  public func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let source = inputs[0]
    let geometry = geometry(of: source)
    let scale = max(1, Double(source.height) / Double(geometry.scaledHeight))
    // The ring of source rows of the most parallel strip, and as many rows of the target's width in
    // floating point: what extreme ratios keep, and more than any other way of resampling needs.
    let rows = Int((2 * kernel.radius + 64) * scale) + 16
    let folded = geometry.window.width * (source.format.sample == .u8 ? 16 : 32)
    let ring = min(rows, source.height) * (source.rowByteCount + 256 + folded)
    guard case .smart = placement, fit == .cover else { return ring }
    let scaled = source.with(width: geometry.scaledWidth, height: geometry.scaledHeight)
    return ring + PixelBuffer.byteCount(scaled)
  }

  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let geometry = geometry(of: nominal[0])
    if case .smart(let strategy) = placement, fit == .cover {
      let scaled = Region(
        left: 0, top: 0, width: geometry.scaledWidth, height: geometry.scaledHeight)
      let whole = try resampled(inputs[0], scaled, geometry, nominal[0], context).readAll(context)
      let window = try SmartCrop.window(
        strategy, of: whole, width: geometry.width, height: geometry.height,
        keepsHeads: keepsHeads, context)
      return RegionSource(whole, region: window)
    }
    let rows = resampled(inputs[0], geometry.window, geometry, nominal[0], context)
    let input = rows.layout.format
    let target = PictureLayout(
      width: geometry.width, height: geometry.height, format: format(of: input))
    let pixels = BandSelection(from: input, to: target.format).open(rows, context)
    if pixels.layout == target { return pixels }
    return PaddedSource(
      pixels, layout: target, left: geometry.padLeft, top: geometry.padTop,
      background: background)
  }

  /// Rows of `region` of the scaled picture; the input itself where nothing changes.
  private func resampled(
    _ input: any RowSource, _ region: Region, _ geometry: ResizeGeometry, _ nominal: PictureLayout,
    _ context: OperationContext
  ) -> any RowSource {
    let actual = input.layout
    let resampling = geometry.resampling(
      of: region, nominal: nominal, rows: actual, shrink: shrink)
    let isWhole =
      resampling.width == Double(actual.width)
      && resampling.height == Double(actual.height)
    // Mitchell blurs even where the size stays.
    if isWhole, region.width == actual.width, region.height == actual.height, kernel != .mitchell {
      return input
    }
    return ResampleSource(
      input, plan: ResamplePlan(resampling, pixels: ResamplePixels(actual.format), kernel: kernel),
      context: context)
  }
}
