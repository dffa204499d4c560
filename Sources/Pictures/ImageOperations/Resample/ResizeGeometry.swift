import ImageCore
import ImageKernels

/// How a picture is made to meet a width and a height of other proportions. Names are sharp's and CSS
/// `object-fit`'s.
enum ResizeFit: String, CaseIterable {
  /// Fills both, cutting off what stands over.
  case cover
  /// Fits within both, padding what is left.
  case contain
  /// Fits within both; one side may come out smaller.
  case inside
  /// At least both; one side may come out larger.
  case outside
  /// Exactly both, distorting.
  case fill
}

/// Sizes and places of a resize, by sharp's rules.
///
/// The whole picture is scaled to `scaledWidth` x `scaledHeight`, each rounded half up (sharp
/// `ResolveShrink`, then `vips_resize`), and the window of `window` size is cut out at whole pixels of
/// that scaled picture (`CalculateCrop`). Here both happen in one pass: the window is the source's box
/// from `(left, top) · source / scaled`. libvips steps by the unrounded factor instead of
/// `source / scaled`, so that its pixels drift from ours by at most half a scaled pixel at the far edge.
struct ResizeGeometry: Equatable {
  let scaledWidth: Int
  let scaledHeight: Int
  /// What is kept of the scaled picture.
  let window: Region
  /// The result, larger than the window where it is padded.
  let width: Int
  let height: Int
  /// Where the window is in the result.
  let padLeft: Int
  let padTop: Int

  init(
    sourceWidth: Int, sourceHeight: Int, width: Int?, height: Int?, fit: ResizeFit,
    gravity: Gravity, enlarge: Bool, reduce: Bool
  ) {
    let (x, y) = Self.shrinks(
      sourceWidth, sourceHeight, width, height, fit: fit, enlarge: enlarge, reduce: reduce)
    let scaledWidth = max(1, Int((Double(sourceWidth) / x + 0.5).rounded(.down)))
    let scaledHeight = max(1, Int((Double(sourceHeight) / y + 0.5).rounded(.down)))
    let wide = width ?? scaledWidth
    let high = height ?? scaledHeight
    var size = (scaledWidth, scaledHeight)
    var kept = size
    if fit == .cover { kept = (min(wide, scaledWidth), min(high, scaledHeight)) }
    size = kept
    if fit == .contain { size = (max(wide, scaledWidth), max(high, scaledHeight)) }
    self.scaledWidth = scaledWidth
    self.scaledHeight = scaledHeight
    // Centring rounds up when cutting and down when padding, as sharp does.
    window = Region(
      left: gravity.offset(scaledWidth - kept.0, gravity.x, roundUp: true),
      top: gravity.offset(scaledHeight - kept.1, gravity.y, roundUp: true),
      width: kept.0, height: kept.1)
    self.width = size.0
    self.height = size.1
    padLeft = gravity.offset(size.0 - kept.0, gravity.x, roundUp: false)
    padTop = gravity.offset(size.1 - kept.1, gravity.y, roundUp: false)
  }

  /// How many source pixels make one scaled pixel, across and down: sharp's `ResolveShrink`.
  private static func shrinks(
    _ sourceWidth: Int, _ sourceHeight: Int, _ width: Int?, _ height: Int?, fit: ResizeFit,
    enlarge: Bool, reduce: Bool
  ) -> (Double, Double) {
    var x = width.map { Double(sourceWidth) / Double($0) }
    var y = height.map { Double(sourceHeight) / Double($0) }
    if let across = x, let down = y {
      switch fit {
      case .cover, .outside: (x, y) = (min(across, down), min(across, down))
      case .contain, .inside: (x, y) = (max(across, down), max(across, down))
      case .fill: break
      }
    } else if fit != .fill {
      (x, y) = (x ?? y, y ?? x)
    }
    func limited(_ shrink: Double?, _ side: Int) -> Double {
      var shrink = shrink ?? 1
      if !reduce { shrink = min(1, shrink) }
      if !enlarge { shrink = max(1, shrink) }
      return min(shrink, Double(side))
    }
    return (limited(x, sourceWidth), limited(y, sourceHeight))
  }

  /// How many times the picture is shrunk at least, in both directions.
  func shrink(of source: PictureLayout) -> Double {
    min(
      Double(source.width) / Double(scaledWidth), Double(source.height) / Double(scaledHeight))
  }

  /// The resampling that makes `region` of the scaled picture from rows that a decoder has shrunk and cut.
  ///
  /// Pixels of the rows that lie only partly in the picture count like others; those outside do not exist.
  func resampling(
    of region: Region, nominal: PictureLayout, rows: PictureLayout, shrink: ShrinkOnLoad
  ) -> ResampleGeometry {
    let factor = Double(shrink.factor)
    let across = Double(nominal.width) / factor / Double(scaledWidth)
    let down = Double(nominal.height) / factor / Double(scaledHeight)
    return ResampleGeometry(
      sourceWidth: rows.width, sourceHeight: rows.height,
      left: Double(shrink.left) / factor + Double(region.left) * across,
      top: Double(shrink.top) / factor + Double(region.top) * down,
      width: Double(region.width) * across, height: Double(region.height) * down,
      targetWidth: region.width, targetHeight: region.height)
  }
}
