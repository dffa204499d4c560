import ImageCore
import ImageKernels

/// Convolves a picture with a kernel: `offset + Σ kernel * neighbour / scale`.
///
/// The kernel is applied as given, without rotating it by 180 degrees, as in libvips, sharp and ImageMagick. The
/// kernel's centre is at the pixel that is computed; if a side is even, the centre is to the right of the middle, or
/// below it. The edge pixels are repeated beyond the picture. Alpha stays unchanged, and colours are not premultiplied.
package struct Convolve: DescribedOperation {
  private let kernel: [Double]
  private let width: Int
  private let height: Int
  private let scale: Double
  private let offset: Double

  package static let descriptor = OperationDescriptor(
    name: "convolve", family: "convolution", summary: "Convolve with a kernel of your own",
    parameters: [
      .init(
        "kernel", .numbers(1...10_201), required: true,
        help: "weights, row by row: { { 0, 1, 0 }, { 1, -4, 1 }, { 0, 1, 0 } }, or one flat list"),
      .init(
        "width", .integer(1...10_201), unit: "px",
        help: "columns of the kernel; by default it is square"),
      .init("height", .integer(1...10_201), unit: "px", help: "rows of the kernel"),
      .init(
        "scale", .number(-1e9...1e9),
        help: "divisor of the sums; by default the sum of the kernel, or 1 if that is 0"),
      .init(
        "offset", .number(-255...255), default: .number(0),
        help: "added to the sums, on a scale of 0 to 255"),
    ], positional: 1)

  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? { nil }

  package init(_ arguments: Arguments) throws(OperationError) {
    kernel = arguments.numbers("kernel")
    (width, height) = try Self.sides(
      count: kernel.count, width: arguments.optionalInteger("width"),
      height: arguments.optionalInteger("height"))
    let sum = kernel.reduce(0, +)
    scale = arguments.optionalNumber("scale") ?? (abs(sum) < 1e-9 ? 1 : sum)
    guard scale != 0 else { throw .unsuitable("'scale' cannot be 0") }
    offset = arguments.number("offset")
  }

  private static func sides(count: Int, width: Int?, height: Int?) throws(OperationError) -> (width: Int, height: Int) {
    let root = Int(Double(count).squareRoot())
    let isSquare = width == nil && height == nil && root * root == count
    let columns = width ?? height.map { count / $0 } ?? (isSquare ? root : 0)
    guard columns > 0 else { throw .unsuitable("a kernel of \(count) numbers is not square; give its 'width'") }
    let rows = height ?? count / columns
    guard columns * rows == count else {
      throw .unsuitable("a kernel of \(count) numbers is not \(columns) wide and \(rows) high")
    }
    return (columns, rows)
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let layout = inputs[0]
    return RowWindow.byteCount(
      layout, neighbours: height,
      preparedByteCount: (layout.width + 2 * width) * layout.bands * MemoryLayout<Float>.size)
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let layout = inputs[0].layout
    let format = layout.format
    let count = layout.width * layout.bands
    let margin = width / 2
    let floats = ConvolutionKernels.paddedCount(count + 2 * margin * layout.bands)
    let window = RowWindow(
      inputs[0], context, above: height / 2, below: height - 1 - height / 2,
      preparedByteCount: (floats + ConvolutionKernels.block) * MemoryLayout<Float>.size
    ) { row, prepared in
      ConvolutionKernels.widen(
        row, width: layout.width, bands: layout.bands, sampleBytes: format.sample.byteCount, premultiplies: false,
        margin: margin, into: prepared.assumingMemoryBound(to: Float.self))
    }
    let taps = self.taps
    let weights = taps.map(\.weight)
    let offset = Float(offset * Double(format.sample.maximum) / 255)
    return WindowSource(window, context) { rows, y, destination in
      withFloatRow(count) { sum in
        ConvolutionKernels.weightedSum(
          of: taps.map { rows.floats(y + $0.row) + ($0.column + margin) * layout.bands },
          weights: weights, count: count, into: sum)
        ConvolutionKernels.finish(
          sum, offset: offset, own: rows.floats(y) + margin * layout.bands, width: layout.width,
          bands: layout.bands, colourBands: format.model.bandCount)
        ConvolutionKernels.narrow(
          sum, width: layout.width, bands: layout.bands, sampleBytes: format.sample.byteCount, isPremultiplied: false,
          into: destination)
      }
    }
  }

  private struct Tap: Sendable {
    let column: Int
    let row: Int
    let weight: Float
  }

  /// The nonzero weights, with their positions relative to the kernel's centre.
  private var taps: [Tap] {
    kernel.enumerated().compactMap { index, value in
      value == 0
        ? nil
        : Tap(column: index % width - width / 2, row: index / width - height / 2, weight: Float(value / scale))
    }
  }
}
