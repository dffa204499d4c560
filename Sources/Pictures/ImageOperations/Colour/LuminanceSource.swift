import ImageCore
import ImageKernels

/// One colour band of luminance, as `grayscale` makes it, for whatever starts from there.
enum LuminanceSource {
  /// Gray pictures are given back as they are. Alpha is kept.
  static func open(_ upstream: any RowSource, _ context: OperationContext) -> any RowSource {
    let input = upstream.layout.format
    guard input.model != .gray else { return upstream }
    return ConvertingSource(upstream, to: input.with(model: .gray), context) { from, to, width in
      ColourKernels.luminance(
        from: from, to: to, width: width, sampleBytes: input.sample.byteCount,
        hasAlpha: input.hasAlpha)
    }
  }
}
