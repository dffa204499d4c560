import ImageCore
import ImageKernels

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

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }

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
