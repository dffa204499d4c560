/// A run of pixels that is put on another one in place, in the encoded colours as CSS and sharp do.
public struct CompositingRun {
  private let source: UnsafeRawPointer
  private let backdrop: UnsafeMutableRawPointer
  private let count: Int
  private let colourBands: Int
  private let hasAlpha: Bool
  private let opacity: Float

  /// - Parameters:
  ///   - backdrop: pixels of `colourBands`, 1 or 3, and alpha where `hasAlpha`; become the result. Without
  ///     alpha they count as opaque, and a mode that can remove them shows black.
  ///   - source: as many pixels, always with straight alpha, of the same samples.
  ///   - opacity: factor on the source's alpha, 0 to 1.
  public init(
    _ source: UnsafeRawPointer, on backdrop: UnsafeMutableRawPointer, count: Int,
    colourBands: Int, hasAlpha: Bool, opacity: Float
  ) {
    self.source = source
    self.backdrop = backdrop
    self.count = count
    self.colourBands = colourBands
    self.hasAlpha = hasAlpha
    self.opacity = opacity
  }

  public func composite(_ mode: BlendMode, sampleBytes: Int) {
    if sampleBytes == 1 {
      apply(mode, UInt8.self)
    } else {
      apply(mode, UInt16.self)
    }
  }

  /// Each composer is a loop of its own, in which it is inlined.
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
    var from = source.assumingMemoryBound(to: Sample.self)
    var to = backdrop.assumingMemoryBound(to: Sample.self)
    let scale = 1 / Sample.top
    for _ in 0..<count {
      let sourceAlpha = from[colourBands].number * scale * opacity
      if sourceAlpha > 0 || !composer.keepsBackdrop {
        let result = composer.compose(
          source: colours(from) * scale, sourceAlpha,
          backdrop: colours(UnsafePointer(to)) * scale,
          hasAlpha ? to[colourBands].number * scale : 1)
        store(result, to)
      }
      from += colourBands + 1
      to += colourBands + (hasAlpha ? 1 : 0)
    }
  }

  @inline(__always)
  private func colours<Sample: StoredSample>(_ pixel: UnsafePointer<Sample>) -> SIMD4<Float> {
    colourBands == 1 ? SIMD4(pixel[0].number, 0, 0, 0) : SIMD4(pixel[0].number, pixel[1].number, pixel[2].number, 0)
  }

  /// Divides by alpha; colours of transparent pixels become 0.
  @inline(__always)
  private func store<Sample: StoredSample>(_ result: PremultipliedPixel, _ pixel: UnsafeMutablePointer<Sample>) {
    let divisor = hasAlpha ? result.alpha : 1
    let scale = divisor > 0 ? Sample.top / divisor : 0
    for band in 0..<colourBands { pixel[band] = Sample(nearest: result.colours[band] * scale) }
    if hasAlpha { pixel[colourBands] = Sample(nearest: result.alpha * Sample.top) }
  }
}
