import ImageCore
import ImageKernels

/// The least or greatest sample in a square around each pixel, for `erode` and `dilate`.
///
/// Each row is filtered horizontally once. A result row then combines all filtered rows within `radius` rows of it.
struct ExtremeFilter: Sendable {
  let radius: Int
  let extreme: RankKernels.Extreme

  static let parameter = ParameterDescriptor(
    "radius", .integer(1...100), default: .integer(1), unit: "px",
    help: "pixels looked at on each side; 1 for a square of 3; alpha changes, too")

  func workingByteCount(_ layout: PictureLayout) -> Int {
    RowWindow.byteCount(
      layout, neighbours: 2 * radius, preparedByteCount: RowWindow.paddedByteCount(layout, margin: radius))
  }

  func open(_ upstream: any RowSource, _ context: OperationContext) -> any RowSource {
    let layout = upstream.layout
    let (bands, sampleBytes) = (layout.bands, layout.format.sample.byteCount)
    let window = RowWindow.repeatingEdges(upstream, context, margin: radius) { [radius, extreme] prepared in
      RankKernels.slide(
        prepared, width: layout.width + 2 * radius, bands: bands, sampleBytes: sampleBytes, side: 2 * radius + 1,
        extreme)
    }
    return WindowSource(window, context) { [radius, extreme] rows, y, destination in
      destination.copyMemory(from: rows.row(y - radius), byteCount: layout.rowByteCount)
      for offset in 1 - radius...radius {
        RankKernels.combine(
          destination, with: rows.row(y + offset), count: layout.width * bands, sampleBytes: sampleBytes, extreme)
      }
    }
  }
}
