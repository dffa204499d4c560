import ImageCore
import ImageKernels

/// Adding, dropping and choosing bands: what pixels of a new format are made of.
struct BandSelection {
  private let format: PixelFormat
  /// For each band of the result the band of the input, or -1 for an opaque alpha.
  private let bands: [Int]

  /// - Parameter bands: bands of the input, one for each of the result's, -1 for full intensity.
  init(_ bands: [Int], format: PixelFormat) {
    self.bands = bands
    self.format = format
  }

  /// Adds an opaque alpha band or drops alpha, and makes three equal bands of a gray one. Never makes
  /// gray of colours: that takes arithmetic.
  init(from input: PixelFormat, to format: PixelFormat) {
    precondition(input.model == format.model || input.model == .gray, "gray takes arithmetic")
    var bands = Array(0..<input.model.bandCount)
    if input.model != format.model { bands = [0, 0, 0] }
    if format.hasAlpha { bands.append(input.hasAlpha ? input.bands - 1 : -1) }
    self.init(bands, format: format)
  }

  /// The input itself where nothing changes.
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
