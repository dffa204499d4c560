import ImageCore
import ImageKernels

struct CompositeBlending: Sendable {
  let mode: BlendMode
  /// The factor for the overlay's alpha, 0 to 1.
  let opacity: Float
  let light: LightMixing
}

/// Rows of a base with an overlay, which is drawn onto them in place.
final class CompositeSource: RowSource {
  let layout: PictureLayout
  private let base: any RowSource
  private let overlay: any RowSource
  private let placement: OverlayPlacement
  private let blending: CompositeBlending
  private let context: OperationContext
  private let runs: [OverlayPlacement.Run]
  private var frame: PixelBuffer?
  private var next = 0

  /// - Parameter overlay: rows that are converted to the base's format with alpha. On a gray base, they must be gray.
  init(
    _ base: any RowSource, overlay: any RowSource, placement: OverlayPlacement, _ blending: CompositeBlending,
    _ context: OperationContext
  ) {
    layout = base.layout
    self.base = base
    self.overlay = Self.convert(overlay, to: base.layout.format.with(alpha: true), context)
    self.placement = placement
    self.blending = blending
    self.context = context
    runs = placement.runs(overlay: overlay.layout, base: base.layout)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try context.checkCancellation()
    let frame = try wholeOverlay()
    try base.read(count, into: destination, stride: stride)
    let rows = SharedRows(base: destination, stride: stride)
    let row = CompositeRow(
      layout: layout, overlay: frame, placement: placement, runs: runs, blending: blending)
    context.forRows(count, rowByteCount: layout.rowByteCount) { [next] y in
      row.apply(next + y, to: rows.row(y))
    }
    next += count
    if next == layout.height { self.frame = nil }
  }

  private func wholeOverlay() throws(PictureError) -> PixelBuffer {
    if let frame { return frame }
    let frame = try overlay.readAll(context)
    self.frame = frame
    return frame
  }

  /// Converts the depth of an overlay while it still has fewer bands, and then its colour model and alpha.
  private static func convert(
    _ source: any RowSource, to format: PixelFormat, _ context: OperationContext
  ) -> any RowSource {
    var source = source
    let input = source.layout.format
    if input.sample != format.sample {
      source = ConvertingSource(source, to: input.with(sample: format.sample), context) {
        from, to, width in
        PointKernels.convertSamples(from: from, sourceBytes: input.sample.byteCount, to: to, count: width * input.bands)
      }
    }
    return BandSelection(from: source.layout.format, to: format).open(source, context)
  }
}

private struct CompositeRow: Sendable {
  let layout: PictureLayout
  let overlay: PixelBuffer
  let placement: OverlayPlacement
  let runs: [OverlayPlacement.Run]
  let blending: CompositeBlending

  func apply(_ y: Int, to row: UnsafeMutableRawPointer) {
    guard let overlayRow = placement.row(y, overlay: overlay.layout, base: layout), !runs.isEmpty else {
      clear(0..<layout.width, row)
      return
    }
    clear(0..<runs[0].to, row)
    let last = runs[runs.count - 1]
    clear(last.to + last.count..<layout.width, row)
    for run in runs { composite(run, overlay.row(overlayRow), row) }
  }

  private func composite(_ run: OverlayPlacement.Run, _ source: UnsafeRawPointer, _ row: UnsafeMutableRawPointer) {
    let format = layout.format
    let pixels = CompositingRun(
      source + run.from * overlay.layout.format.bytesPerPixel,
      on: row + run.to * format.bytesPerPixel, count: run.count,
      colourBands: format.model.bandCount, hasAlpha: format.hasAlpha, opacity: blending.opacity,
      decodesLight: blending.light == .linear)
    pixels.composite(blending.mode, sampleBytes: format.sample.byteCount)
  }

  /// Clears columns outside the overlay if the mode requires it.
  private func clear(_ columns: Range<Int>, _ row: UnsafeMutableRawPointer) {
    guard blending.mode.clearsOutside else { return }
    let pixelBytes = layout.format.bytesPerPixel
    (row + columns.lowerBound * pixelBytes).initializeMemory(
      as: UInt8.self, repeating: 0, count: columns.count * pixelBytes)
  }
}
