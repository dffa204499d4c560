/// A run of pixels that is composited onto another run in place, with encoded colours as in CSS and sharp, or in linear
/// light.
package struct CompositingRun {
  private let source: UnsafeRawPointer
  private let backdrop: UnsafeMutableRawPointer
  private let count: Int
  private let colourBands: Int
  private let hasAlpha: Bool
  private let opacity: Float
  private let decodesLight: Bool

  /// - Parameters:
  ///   - backdrop: pixels of `colourBands` bands (1 or 3), and alpha if `hasAlpha` is true; replaced by the result.
  ///     Without alpha they count as opaque, and modes that can remove them leave black.
  ///   - source: the same number of pixels, always with straight alpha, and with the same sample type.
  ///   - opacity: the factor for the source's alpha, 0 to 1.
  ///   - decodesLight: whether samples that are encoded with the sRGB curve are composited as linear light.
  package init(
    _ source: UnsafeRawPointer, on backdrop: UnsafeMutableRawPointer, count: Int,
    colourBands: Int, hasAlpha: Bool, opacity: Float, decodesLight: Bool = false
  ) {
    self.decodesLight = decodesLight
    self.source = source
    self.backdrop = backdrop
    self.count = count
    self.colourBands = colourBands
    self.hasAlpha = hasAlpha
    self.opacity = opacity
  }

  package func composite(_ mode: BlendMode, sampleBytes: Int) {
    if sampleBytes == 1 {
      apply(mode, UInt8.self)
    } else {
      apply(mode, UInt16.self)
    }
  }

  /// Runs the loop with the composer of the mode. The compiler specialises the loop for each composer, and so can
  /// inline the composer.
  private func apply<Sample: StoredSample>(_ mode: BlendMode, _ type: Sample.Type) {
    switch mode {
    case .clear, .source, .in, .out, .atop, .dest, .destOver, .destIn, .destOut, .destAtop, .xor:
      loop(PorterDuff(mode: mode), type)
    case .over: loop(PorterDuff(mode: .over), type)
    case .add: loop(Sum(saturates: false), type)
    case .saturate: loop(Sum(saturates: true), type)
    case .multiply: loop(Blend<Multiply>(), type)
    case .screen: loop(Blend<Screen>(), type)
    case .overlay: loop(Blend<Overlay>(), type)
    case .darken: loop(Blend<Darken>(), type)
    case .lighten: loop(Blend<Lighten>(), type)
    case .colorDodge: loop(Blend<ColorDodge>(), type)
    case .colorBurn: loop(Blend<ColorBurn>(), type)
    case .hardLight: loop(Blend<HardLight>(), type)
    case .softLight: loop(Blend<SoftLight>(), type)
    case .difference: loop(Blend<Difference>(), type)
    case .exclusion: loop(Blend<Exclusion>(), type)
    }
  }

  @inline(__always)
  private func loop<Composer: PixelComposer, Sample: StoredSample>(_ composer: Composer, _ type: Sample.Type) {
    if decodesLight {
      loop(composer, LinearColours(sampleBytes: MemoryLayout<Sample>.size), type)
    } else {
      loop(composer, EncodedColours(), type)
    }
  }

  @inline(__always)
  private func loop<Composer: PixelComposer, Colours: CompositingColours, Sample: StoredSample>(
    _ composer: Composer, _ colours: Colours, _ type: Sample.Type
  ) {
    var from = source.assumingMemoryBound(to: Sample.self)
    var to = backdrop.assumingMemoryBound(to: Sample.self)
    let scale = 1 / Sample.top
    for _ in 0..<count {
      let sourceAlpha = from[colourBands].number * scale * opacity
      if sourceAlpha > 0 || !composer.keepsBackdrop {
        let result = composer.compose(
          source: colours.load(from, bands: colourBands), sourceAlpha,
          backdrop: colours.load(UnsafePointer(to), bands: colourBands),
          hasAlpha ? to[colourBands].number * scale : 1)
        // Colours of transparent pixels become 0.
        colours.store(result.colours, alpha: hasAlpha ? result.alpha : 1, into: to, bands: colourBands)
        if hasAlpha { to[colourBands] = Sample(nearest: result.alpha * Sample.top) }
      }
      from += colourBands + 1
      to += colourBands + (hasAlpha ? 1 : 0)
    }
  }
}

/// Converts samples to the colours that are composited, from 0 to 1, and back.
protocol CompositingColours {
  /// Returns the first one or three bands of a pixel.
  func load<Sample: StoredSample>(_ pixel: UnsafePointer<Sample>, bands: Int) -> SIMD4<Float>

  /// Stores colours divided by `alpha`, or zeros if `alpha` is 0.
  func store<Sample: StoredSample>(
    _ colours: SIMD4<Float>, alpha: Float, into pixel: UnsafeMutablePointer<Sample>, bands: Int)
}

/// Colours in their encoded form.
struct EncodedColours: CompositingColours {
  @inline(__always)
  func load<Sample: StoredSample>(_ pixel: UnsafePointer<Sample>, bands: Int) -> SIMD4<Float> {
    let numbers =
      bands == 1 ? SIMD4(pixel[0].number, 0, 0, 0) : SIMD4(pixel[0].number, pixel[1].number, pixel[2].number, 0)
    return numbers * (1 / Sample.top)
  }

  @inline(__always)
  func store<Sample: StoredSample>(
    _ colours: SIMD4<Float>, alpha: Float, into pixel: UnsafeMutablePointer<Sample>, bands: Int
  ) {
    let scale = alpha > 0 ? Sample.top / alpha : 0
    for band in 0..<bands { pixel[band] = Sample(nearest: colours[band] * scale) }
  }
}

/// Linear light of samples that are encoded with the sRGB curve.
struct LinearColours: CompositingColours {
  private let decode: UnsafePointer<Float>
  private let encode = SRGBTransfer.encodeTable

  init(sampleBytes: Int) { decode = SRGBTransfer.decodeTable(sampleBytes: sampleBytes) }

  @inline(__always)
  func load<Sample: StoredSample>(_ pixel: UnsafePointer<Sample>, bands: Int) -> SIMD4<Float> {
    bands == 1
      ? SIMD4(decode[Int(pixel[0])], 0, 0, 0)
      : SIMD4(decode[Int(pixel[0])], decode[Int(pixel[1])], decode[Int(pixel[2])], 0)
  }

  @inline(__always)
  func store<Sample: StoredSample>(
    _ colours: SIMD4<Float>, alpha: Float, into pixel: UnsafeMutablePointer<Sample>, bands: Int
  ) {
    let encoded = SRGBTransfer.encode(alpha > 0 ? colours / alpha : SIMD4(repeating: 0), encode) * Sample.top
    for band in 0..<bands { pixel[band] = Sample(nearest: encoded[band]) }
  }
}
