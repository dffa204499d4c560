import ImageCore
import ImageKernels

/// Opens rows of luminance, for `grayscale` and all other operations that need luminance.
enum LuminanceSource {
  /// Returns rows of luminance, with alpha unchanged; `upstream` itself for a gray picture.
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
