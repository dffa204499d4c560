import ImageCore
import ImageKernels

/// `erode` or `dilate`: replaces each sample by the least or greatest sample in a square around it.
///
/// Each row is filtered horizontally once. A result row then combines all filtered rows within `radius` rows of it.
protocol ExtremeFilter: DescribedOperation {
  static var extreme: RankKernels.Extreme { get }
  var radius: Int { get }
}

extension ExtremeFilter {
  static var radiusParameter: ParameterDescriptor {
    ParameterDescriptor(
      "radius", .integer(1...100), default: .integer(1), unit: "px",
      help: "pixels looked at on each side; 1 for a square of 3; alpha changes, too")
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    RowWindow.byteCount(
      inputs[0], neighbours: 2 * radius, preparedByteCount: RowWindow.paddedByteCount(inputs[0], margin: radius))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let layout = inputs[0].layout
    let (bands, sampleBytes) = (layout.bands, layout.format.sample.byteCount)
    let (radius, extreme) = (radius, Self.extreme)
    let window = RowWindow.repeatingEdges(inputs[0], context, margin: radius) { prepared in
      RankKernels.slide(
        prepared, width: layout.width + 2 * radius, bands: bands, sampleBytes: sampleBytes, side: 2 * radius + 1,
        extreme)
    }
    return WindowSource(window, context) { rows, y, destination in
      destination.copyMemory(from: rows.row(y - radius), byteCount: layout.rowByteCount)
      for offset in 1 - radius...radius {
        RankKernels.combine(
          destination, with: rows.row(y + offset), count: layout.width * bands, sampleBytes: sampleBytes, extreme)
      }
    }
  }
}
