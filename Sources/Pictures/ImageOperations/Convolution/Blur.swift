import ImageCore
import ImageKernels
import Platform

/// A Gaussian blur. The edge pixels are repeated beyond the picture. Colours are premultiplied by alpha, which keeps
/// the colours of transparent pixels from bleeding into others.
///
/// The operation streams: it keeps rows after the horizontal pass, over a height of 8 standard deviations. For a sigma
/// of 16 or more, it blurs cells of averaged pixels instead (`CoarseBlurSource`).
package struct Blur: DescribedOperation {
  private let sigma: Double
  private let light: LightMixing

  package static let descriptor = OperationDescriptor(
    name: "blur", family: "convolution", summary: "Blur by a Gaussian",
    parameters: [
      .init(
        "sigma", .number(0.3...1000), required: true, unit: "px",
        help: "standard deviation of the Gaussian: half the visible radius"),
      LightMixing.parameter,
    ], positional: 1)

  package init(_ arguments: Arguments) {
    self.init(sigma: arguments.number("sigma"), light: LightMixing(arguments))
  }

  /// - Parameter sigma: the standard deviation in pixels, 0.3 to 1000.
  package init(sigma: Double) { self.init(sigma: sigma, light: .encoded) }

  private init(sigma: Double, light: LightMixing) {
    self.sigma = sigma
    self.light = light
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let layout = inputs[0]
    let rowBytes = layout.width * layout.bands * 4
    let neighbours = min(layout.height, 2 * GaussianKernel.radius(sigma: min(sigma, CoarseBlurSource.smallestSigma)))
    let ring = RowWindow.byteCount(layout, neighbours: neighbours, preparedByteCount: rowBytes)
    return ring + (sigma < CoarseBlurSource.smallestSigma ? 0 : CoarseBlurSource.workingByteCount(layout))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    guard sigma < CoarseBlurSource.smallestSigma else {
      return CoarseBlurSource(inputs[0], sigma: sigma, light, context)
    }
    let kernel = GaussianKernel(sigma: sigma)
    let format = inputs[0].layout.format
    return format.sample == .u8 && !format.hasAlpha && light == .encoded
      ? IntegerBlurSource(inputs[0], IntegerConvolution(kernel.exactHalf), context)
      : openDirect(inputs[0], kernel, context)
  }

  private func openDirect(
    _ upstream: any RowSource, _ kernel: GaussianKernel, _ context: OperationContext
  ) -> any RowSource {
    let layout = upstream.layout
    let format = layout.format
    let bands = layout.bands
    let count = layout.width * bands
    let window = RowWindow(
      upstream, context, above: kernel.radius, below: kernel.radius,
      preparedByteCount: ConvolutionKernels.paddedCount(count) * MemoryLayout<Float>.size
    ) { [light] row, prepared in
      withFloatRow(count + 2 * kernel.radius * bands) { padded in
        light.widen(row, width: layout.width, format: format, margin: kernel.radius, into: padded)
        ConvolutionKernels.weightedSum(
          of: UnsafePointer(padded).neighbours(kernel.weights.count, step: bands),
          weights: kernel.weights, count: count,
          into: prepared.assumingMemoryBound(to: Float.self))
      }
    }
    return WindowSource(window, context) { [light] rows, y, destination in
      withFloatRow(count) { sum in
        ConvolutionKernels.weightedSum(
          of: (-kernel.radius...kernel.radius).map { rows.floats(y + $0) },
          weights: kernel.weights, count: count, into: sum)
        light.narrow(sum, width: layout.width, format: format, into: destination)
      }
    }
  }
}

extension PreparedRows {
  func floats(_ y: Int) -> UnsafePointer<Float> { row(y).assumingMemoryBound(to: Float.self) }
}

/// A Gaussian blur of 8-bit samples without alpha. 16-bit integers are precise enough for them. Premultiplied colours
/// need more precision, because they are later divided by alpha.
private final class IntegerBlurSource: RowSource {
  let layout: PictureLayout
  private let kernel: IntegerConvolution
  private let window: RowWindow
  private let context: OperationContext
  private var next = 0

  /// The number of samples in a part of a row. The vertical pass computes the same part of all result rows before the
  /// next part. So the part of about 100 source rows that it reads stays in the second-level cache.
  private static let block = 1024

  init(_ upstream: any RowSource, _ kernel: IntegerConvolution, _ context: OperationContext) {
    layout = upstream.layout
    self.kernel = kernel
    self.context = context
    let (width, bands) = (layout.width, layout.bands)
    window = RowWindow(
      upstream, context, above: kernel.radius, below: kernel.radius,
      preparedByteCount: IntegerConvolution.paddedCount(width * bands) * MemoryLayout<Int16>.size
    ) { row, prepared in
      let count = kernel.scratchCount(width: width, bands: bands)
      withUnsafeTemporaryAllocation(of: Int16.self, capacity: count) { scratch in
        kernel.smoothAcross(
          row, width: width, bands: bands, scratch: scratch.baseAddress!,
          into: prepared.assumingMemoryBound(to: Int16.self))
      }
    }
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    let samples = layout.width * layout.bands
    let blocks = (samples + Self.block - 1) / Self.block
    var done = 0
    while done < count {
      let rows = next..<next + min(RowWindow.stripRows, count - done)
      let prepared = try window.load(rows)
      let target = SharedRows(base: destination + done * stride, stride: stride)
      context.forRows(blocks, rowByteCount: Self.block * rows.count) { [kernel] block in
        let first = block * Self.block
        Self.smooth(
          kernel, prepared, rows, first..<min(first + Self.block, samples), into: target)
      }
      next += rows.count
      done += rows.count
    }
  }

  /// Computes the vertical pass for the samples `part` of result rows `rows`, two rows at a time.
  private static func smooth(
    _ kernel: IntegerConvolution, _ prepared: PreparedRows, _ rows: Range<Int>, _ part: Range<Int>,
    into target: SharedRows
  ) {
    let most = 2 * kernel.radius + 2
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: most) { sources in
      for y in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
        let hasBelow = y + 1 < rows.upperBound
        let count = hasBelow ? most : most - 1
        for tap in 0..<count {
          sources.initializeElement(
            at: tap,
            to: prepared.row(y - kernel.radius + tap)
              + part.lowerBound * MemoryLayout<Int16>.size)
        }
        let place = y - rows.lowerBound
        kernel.smoothDown(
          UnsafeMutableBufferPointer(rebasing: sources[..<count]), count: part.count,
          into: target.row(place) + part.lowerBound,
          and: hasBelow ? target.row(place + 1) + part.lowerBound : nil)
      }
    }
  }
}

/// A sampled Gaussian whose weights add up to 1.
struct GaussianKernel: Sendable {
  /// The number of neighbours on each side: 4 standard deviations, beyond which there is 1/16,000 of the area.
  let radius: Int
  /// `2 * radius + 1` weights.
  let weights: [Float]
  /// The weights of the centre and of the `radius` neighbours on one side, in double precision.
  let exactHalf: [Double]

  init(sigma: Double) {
    radius = Self.radius(sigma: sigma)
    let values = (-radius...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
    let sum = values.reduce(0, +)
    weights = values.map { Float($0 / sum) }
    exactHalf = values[radius...].map { $0 / sum }
  }

  static func radius(sigma: Double) -> Int { max(1, Int((4 * sigma).rounded(.up))) }
}
