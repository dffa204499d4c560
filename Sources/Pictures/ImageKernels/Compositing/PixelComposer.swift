/// A pixel with premultiplied colours and alpha, each from 0 to 1.
struct PremultipliedPixel {
  var colours: SIMD4<Float>
  var alpha: Float
}

/// Composites one pixel onto another. The given colours are straight, from 0 to 1.
protocol PixelComposer {
  /// Whether the backdrop is unchanged where the source is transparent.
  var keepsBackdrop: Bool { get }

  func compose(source: SIMD4<Float>, _ sourceAlpha: Float, backdrop: SIMD4<Float>, _ backdropAlpha: Float)
    -> PremultipliedPixel
}

/// The operators of Porter and Duff: W3C Compositing and Blending Level 1, section 9.1
/// (https://www.w3.org/TR/compositing-1/#porterduffcompositingoperators):
/// `co = αs Fa Cs + αb Fb Cb`, `αo = αs Fa + αb Fb`.
struct PorterDuff: PixelComposer {
  let mode: BlendMode

  var keepsBackdrop: Bool { !mode.clearsOutside }

  @inline(__always)
  func compose(source: SIMD4<Float>, _ sourceAlpha: Float, backdrop: SIMD4<Float>, _ backdropAlpha: Float)
    -> PremultipliedPixel
  {
    let share = fractions(sourceAlpha, backdropAlpha)
    let fromSource = sourceAlpha * share.source
    let fromBackdrop = backdropAlpha * share.backdrop
    return PremultipliedPixel(colours: source * fromSource + backdrop * fromBackdrop, alpha: fromSource + fromBackdrop)
  }

  /// Returns the fractions Fa and Fb.
  @inline(__always)
  private func fractions(_ source: Float, _ backdrop: Float) -> (source: Float, backdrop: Float) {
    switch mode {
    case .source: (1, 0)
    case .over: (1, 1 - source)
    case .in: (backdrop, 0)
    case .out: (1 - backdrop, 0)
    case .atop: (backdrop, 1 - source)
    case .dest: (0, 1)
    case .destOver: (1 - backdrop, 1)
    case .destIn: (0, source)
    case .destOut: (0, 1 - source)
    case .destAtop: (1 - backdrop, source)
    case .xor: (1 - backdrop, 1 - source)
    default: (0, 0)
    }
  }
}

/// Sums of both pixels: W3C Compositing and Blending Level 1, section 9.1.13 ("lighter"), and cairo's SATURATE, which
/// limits the source to the coverage that the backdrop leaves free (https://www.cairographics.org/operators).
struct Sum: PixelComposer {
  let saturates: Bool

  var keepsBackdrop: Bool { true }

  @inline(__always)
  func compose(source: SIMD4<Float>, _ sourceAlpha: Float, backdrop: SIMD4<Float>, _ backdropAlpha: Float)
    -> PremultipliedPixel
  {
    let room = saturates ? min(sourceAlpha, 1 - backdropAlpha) : sourceAlpha
    return PremultipliedPixel(
      colours: source * room + backdrop * backdropAlpha, alpha: min(1, sourceAlpha + backdropAlpha))
  }
}

/// A blend mode whose result is composited by `over`: `Cs' = (1 - αb) Cs + αb B(Cb, Cs)` (W3C Compositing and Blending
/// Level 1, section 5).
struct Blend<Function: BlendFunction>: PixelComposer {
  var keepsBackdrop: Bool { true }

  @inline(__always)
  func compose(source: SIMD4<Float>, _ sourceAlpha: Float, backdrop: SIMD4<Float>, _ backdropAlpha: Float)
    -> PremultipliedPixel
  {
    let blended =
      source * (1 - backdropAlpha) + Function.blend(backdrop, source) * backdropAlpha
    let remaining = backdropAlpha * (1 - sourceAlpha)
    return PremultipliedPixel(colours: blended * sourceAlpha + backdrop * remaining, alpha: sourceAlpha + remaining)
  }
}
