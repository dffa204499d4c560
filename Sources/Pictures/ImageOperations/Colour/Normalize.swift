import ImageCore
import ImageKernels

/// Stretches the lightness so that a low percentile becomes black and a high percentile white, as in sharp. CIE L\* is
/// stretched; a\* and b\* stay unchanged.
///
/// The operation reads the whole frame, because the percentiles depend on every pixel. Percentiles are found in a
/// histogram of L\* with 64 bins per unit.
package struct Normalize: DescribedOperation {
  private let lower: Double
  private let upper: Double

  package static let descriptor = OperationDescriptor(
    name: "normalize", family: "colour",
    summary: "Stretch the contrast so that the darkest parts become black and the brightest white",
    parameters: [
      .init(
        "lower", .number(0...99), default: .number(1), unit: "%",
        help: "share of the pixels that may become black; 0 for the darkest only"),
      .init(
        "upper", .number(1...100), default: .number(99), unit: "%",
        help: "share of the pixels that stay below white; 100 for the brightest only"),
    ], positional: 2)

  package init(_ arguments: Arguments) throws(OperationError) {
    lower = arguments.number("lower")
    upper = arguments.number("upper")
    guard lower < upper else { throw .unsuitable("'lower' must be less than 'upper'") }
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { PixelBuffer.byteCount(inputs[0]) }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let upstream = inputs[0]
    return DeferredSource(upstream.layout) { () throws(PictureError) in
      let frame = try upstream.readAll(context)
      let histogram = LightnessHistogram(frame, context)
      let black = histogram.percentile(lower)
      let white = histogram.percentile(upper)
      // As in sharp, a difference of at most 1 in L* counts as noise, not contrast.
      guard white - black > 1 else { return BufferSource(frame) }
      let scale = 100 / (white - black)
      return LabSource.open(BufferSource(frame), context, scale: scale, shift: -black * scale)
    }
  }
}

/// The numbers of pixels by CIE L\*.
private struct LightnessHistogram {
  private static let stepsPerUnit = 64
  private static let bins = 100 * stepsPerUnit + 1
  private let counts: [Int]

  init(_ frame: PixelBuffer, _ context: OperationContext) {
    let layout = frame.layout
    let partial = RowCounts(
      bins: Self.bins, rows: layout.height, rowByteCount: layout.rowByteCount, context)
    partial.count(layout.height, context) { y, counts in
      ColourKernels.countLightness(
        frame.row(y), width: layout.width, bands: layout.bands,
        sampleBytes: layout.format.sample.byteCount, into: counts, bins: Self.bins)
    }
    counts = partial.total
  }

  /// Returns the L\* of the lowest bin such that at least `percent` % of the pixels are in this bin or below it.
  func percentile(_ percent: Double) -> Double {
    let wanted = max(1, Double(counts.reduce(0, +)) * percent / 100)
    var seen = 0
    for (bin, count) in counts.enumerated() {
      seen += count
      if Double(seen) >= wanted { return Double(bin) / Double(Self.stepsPerUnit) }
    }
    return 100
  }
}

/// Rows of a source that is created when the first row is read. Opening an operation that needs its whole input
/// therefore reads nothing.
private final class DeferredSource: RowSource {
  let layout: PictureLayout
  private var make: (() throws(PictureError) -> any RowSource)?
  private var source: (any RowSource)?

  init(_ layout: PictureLayout, _ make: @escaping () throws(PictureError) -> any RowSource) {
    self.layout = layout
    self.make = make
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    if let make {
      self.make = nil
      source = try make()
    }
    try source?.read(count, into: destination, stride: stride)
  }
}
