import ImageCore
import ImageKernels

/// A conversion to another format that only adds, removes, repeats or selects bands.
struct BandSelection {
  private let format: PixelFormat
  /// For each band of the result, the index of the input's band, or -1 for full intensity (opaque alpha).
  private let bands: [Int]

  init(_ bands: [Int], format: PixelFormat) {
    self.bands = bands
    self.format = format
  }

  /// Creates a selection that adds opaque alpha or removes alpha, and repeats a gray band three times for RGB.
  /// Converting colours to gray is not possible, because it needs arithmetic.
  init(from input: PixelFormat, to format: PixelFormat) {
    precondition(input.model == format.model || input.model == .gray, "gray takes arithmetic")
    var bands = Array(0..<input.model.bandCount)
    if input.model != format.model { bands = [0, 0, 0] }
    if format.hasAlpha { bands.append(input.hasAlpha ? input.bands - 1 : -1) }
    self.init(bands, format: format)
  }

  /// Returns rows with the selected bands; `upstream` itself if nothing changes.
  func open(_ upstream: any RowSource, _ context: OperationContext) -> any RowSource {
    let input = upstream.layout.format
    if bands == Array(0..<input.bands) { return upstream }
    return ConvertingSource(upstream, to: format, context) { [bands] from, to, width in
      PointKernels.selectBands(
        from: from, sourceBands: input.bands, to: to, width: width,
        sampleBytes: input.sample.byteCount, bands: bands)
    }
  }
}
