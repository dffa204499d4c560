import ImageCore
import ImageKernels

/// `median(size)`: replaces each sample by the median of a square around it, as in `vips_median`.
///
/// The edge pixels are repeated beyond the picture. Each band is filtered separately, including alpha.
package struct Median: DescribedOperation {
  private let size: Int

  package static let descriptor = OperationDescriptor(
    name: "median", family: "convolution", summary: "Remove specks by the median of neighbouring pixels",
    parameters: [
      .init(
        "size", .integer(3...5), default: .integer(3), unit: "px",
        help: "side of the square, 3 or 5; alpha is filtered, too")
    ], positional: 1)

  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? { nil }

  package init(_ arguments: Arguments) throws(OperationError) {
    size = arguments.integer("size")
    guard size % 2 == 1 else { throw .unsuitable("'size' cannot be \(size); use 3 or 5") }
  }

  /// - Parameter size: the side of the square, 3 or 5.
  init(size: Int) { self.size = size }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    RowWindow.byteCount(
      inputs[0], neighbours: size - 1,
      preparedByteCount: RowWindow.paddedByteCount(inputs[0], margin: size / 2))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let layout = inputs[0].layout
    let margin = size / 2
    return WindowSource(.repeatingEdges(inputs[0], context, margin: margin), context) { [size] rows, y, destination in
      RankKernels.median(
        of: (0..<size).map { rows.row(y + $0 - margin) }, count: layout.width * layout.bands, bands: layout.bands,
        sampleBytes: layout.format.sample.byteCount, into: destination)
    }
  }
}

extension RowWindow {
  /// Creates a window of rows that repeats the first and the last pixel of each row `margin` times.
  ///
  /// - Parameter finish: modifies a prepared row of `width + 2 * margin` pixels.
  static func repeatingEdges(
    _ upstream: any RowSource, _ context: OperationContext, margin: Int,
    finish: @escaping @Sendable (UnsafeMutableRawPointer) -> Void = { _ in }
  ) -> RowWindow {
    let layout = upstream.layout
    let pixelBytes = layout.format.bytesPerPixel
    return RowWindow(
      upstream, context, above: margin, below: margin,
      preparedByteCount: paddedByteCount(layout, margin: margin)
    ) { row, prepared in
      let start = prepared + margin * pixelBytes
      start.copyMemory(from: row, byteCount: layout.rowByteCount)
      for x in 1...margin {
        (start - x * pixelBytes).copyMemory(from: row, byteCount: pixelBytes)
        (start + layout.rowByteCount + (x - 1) * pixelBytes).copyMemory(
          from: row + layout.rowByteCount - pixelBytes, byteCount: pixelBytes)
      }
      finish(prepared)
    }
  }

  /// Returns the size in bytes of a row with its margins.
  static func paddedByteCount(_ layout: PictureLayout, margin: Int) -> Int {
    layout.rowByteCount + 2 * margin * layout.format.bytesPerPixel
  }
}
