import ImageCore
import ImageKernels

/// The ways to fit a picture to a width and a height with another aspect ratio, named as in sharp and CSS's
/// `object-fit`.
enum ResizeFit: String, CaseIterable {
  /// Fills both sides, and crops the excess.
  case cover
  /// Fits within both sides, and pads the remainder.
  case contain
  /// Fits within both sides; one side may be smaller than requested.
  case inside
  /// Reaches both sides; one side may be larger than requested.
  case outside
  /// Stretches the picture to both sides, which may change its proportions.
  case fill
}

/// The target size of a resize, and the rules for reaching it.
struct ResizeTarget {
  /// The width; nil to derive it from the height, or for `fill`, to keep that of the picture.
  var width: PictureSide?
  /// The height; nil to derive it from the width, or for `fill`, to keep that of the picture.
  var height: PictureSide?
  var fit = ResizeFit.cover
  /// The part that `cover` keeps, or the position of the picture for `contain`.
  var placement = CropPosition.gravity(.centre)
  var enlarge = true
  var reduce = true
}

/// The sizes and positions of a resize, by sharp's rules.
///
/// sharp scales the whole picture to `scaledWidth` x `scaledHeight`, each rounded half up (`ResolveShrink`, then
/// `vips_resize`), and then crops `window` at whole pixels of the scaled picture (`CalculateCrop`). Here both happen in
/// one pass: the window corresponds to a box of the source that begins at `(left, top) · source / scaled`. libvips uses
/// the unrounded factor instead of `source / scaled`, so the positions of its pixels differ by at most half a scaled
/// pixel at the far edge.
struct ResizeGeometry: Equatable {
  let scaledWidth: Int
  let scaledHeight: Int
  /// The part of the scaled picture that is kept.
  let window: Region
  /// The size of the result, which is larger than the window if it is padded.
  let width: Int
  let height: Int
  /// The position of the window in the result.
  let padLeft: Int
  let padTop: Int

  init(sourceWidth: Int, sourceHeight: Int, _ target: ResizeTarget) {
    let (x, y) = Self.shrinks(sourceWidth, sourceHeight, target)
    let fit = target.fit
    let gravity = if case .gravity(let gravity) = target.placement { gravity } else { Gravity.centre }
    let scaledWidth = max(1, Int((Double(sourceWidth) / x + 0.5).rounded(.down)))
    let scaledHeight = max(1, Int((Double(sourceHeight) / y + 0.5).rounded(.down)))
    let wide = target.width?.pixels(of: sourceWidth) ?? scaledWidth
    let high = target.height?.pixels(of: sourceHeight) ?? scaledHeight
    var size = (scaledWidth, scaledHeight)
    var kept = size
    if fit == .cover { kept = (min(wide, scaledWidth), min(high, scaledHeight)) }
    size = kept
    if fit == .contain { size = (max(wide, scaledWidth), max(high, scaledHeight)) }
    self.scaledWidth = scaledWidth
    self.scaledHeight = scaledHeight
    let (spareX, spareY) = (scaledWidth - kept.0, scaledHeight - kept.1)
    // Centring rounds up for cropping and down for padding, as in sharp.
    var (left, top) = (
      gravity.offset(spareX, gravity.x, roundUp: true), gravity.offset(spareY, gravity.y, roundUp: true)
    )
    if case .focus(let focus) = target.placement {
      (left, top) = (Int((Double(spareX) * focus.x).rounded()), Int((Double(spareY) * focus.y).rounded()))
    }
    window = Region(left: left, top: top, width: kept.0, height: kept.1)
    self.width = size.0
    self.height = size.1
    padLeft = gravity.offset(size.0 - kept.0, gravity.x, roundUp: false)
    padTop = gravity.offset(size.1 - kept.1, gravity.y, roundUp: false)
  }

  /// Returns the numbers of source pixels per scaled pixel, across and down, as sharp's `ResolveShrink` does.
  private static func shrinks(_ sourceWidth: Int, _ sourceHeight: Int, _ target: ResizeTarget) -> (Double, Double) {
    var x = target.width.map { Double(sourceWidth) / Double($0.pixels(of: sourceWidth)) }
    var y = target.height.map { Double(sourceHeight) / Double($0.pixels(of: sourceHeight)) }
    if let across = x, let down = y {
      switch target.fit {
      case .cover, .outside: (x, y) = (min(across, down), min(across, down))
      case .contain, .inside: (x, y) = (max(across, down), max(across, down))
      case .fill: break
      }
    } else if target.fit != .fill {
      (x, y) = (x ?? y, y ?? x)
    }
    func limited(_ shrink: Double?, _ side: Int) -> Double {
      var shrink = shrink ?? 1
      if !target.reduce { shrink = min(1, shrink) }
      if !target.enlarge { shrink = max(1, shrink) }
      return min(shrink, Double(side))
    }
    return (limited(x, sourceWidth), limited(y, sourceHeight))
  }

  /// Returns the smaller of the horizontal and the vertical shrink factor.
  func shrink(of source: PictureLayout) -> Double {
    min(
      Double(source.width) / Double(scaledWidth), Double(source.height) / Double(scaledHeight))
  }

  /// Returns the resampling that computes `region` of the scaled picture from rows after shrink-on-load.
  ///
  /// At the picture's edges, pixels of the rows that are partly outside the picture count fully. Pixels that are wholly
  /// outside are ignored.
  func resampling(of region: Region, nominal: PictureLayout, rows: PictureLayout, shrink: ShrinkOnLoad)
    -> ResampleGeometry
  {
    let factor = Double(shrink.factor)
    let across = Double(nominal.width) / factor / Double(scaledWidth)
    let down = Double(nominal.height) / factor / Double(scaledHeight)
    return ResampleGeometry(
      sourceWidth: rows.width, sourceHeight: rows.height,
      box: ResampleBox(
        left: (Double(shrink.left) + shrink.lead.across) / factor + Double(region.left) * across,
        top: (Double(shrink.top) + shrink.lead.down) / factor + Double(region.top) * down,
        width: Double(region.width) * across, height: Double(region.height) * down),
      targetWidth: region.width, targetHeight: region.height)
  }
}
