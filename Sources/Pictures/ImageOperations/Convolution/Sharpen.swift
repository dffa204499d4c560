import ImageCore
import ImageKernels

/// An unsharp mask on the luminance: amplifies the detail that a blur removes.
///
/// The result is `colour + amount * d`, where `d` is the luma (ITU-R BT.709 on the encoded samples) minus its Gaussian
/// blur, moved towards 0 by `threshold`. Detail below the threshold is not amplified, and there is no step at the
/// threshold. The same number is added to all colour bands, which avoids colour fringes at edges. Alpha stays
/// unchanged.
package struct Sharpen: DescribedOperation {
  private let amount: Double
  private let sigma: Double
  private let threshold: Double

  package static let descriptor = OperationDescriptor(
    name: "sharpen", family: "convolution",
    summary: "Sharpen the luminance by an unsharp mask",
    parameters: [
      .init(
        "amount", .number(0...20), default: .number(0.8),
        help: "share of the detail to add; 0.4 is gentle, 1.5 strong"),
      .init(
        "sigma", .number(0.3...50), default: .number(1), unit: "px",
        help: "standard deviation of the blur that defines detail"),
      .init(
        "threshold", .number(0...255), default: .number(0),
        help: "smaller differences, such as noise, stay as they are; on a scale of 0 to 255"),
    ], positional: 1)

  /// Reduces the amount if the scaled sigma would be below its minimum: the detail that a small blur removes is
  /// approximately proportional to the square of sigma.
  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? {
    let result = arguments.scaled(by: scale, descriptor.parameters)
    let share = min(1, arguments.number("sigma") * scale / result.number("sigma"))
    return result.with("amount", .number(arguments.number("amount") * share * share))
  }

  package init(_ arguments: Arguments) {
    amount = arguments.number("amount")
    sigma = arguments.number("sigma")
    threshold = arguments.number("threshold")
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    RowWindow.byteCount(
      inputs[0], neighbours: 2 * GaussianKernel.radius(sigma: sigma),
      preparedByteCount: PreparedLuma(inputs[0]).byteCount)
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let layout = inputs[0].layout
    let kernel = GaussianKernel(sigma: sigma)
    let parts = PreparedLuma(layout)
    let window = RowWindow(
      inputs[0], context, above: kernel.radius, below: kernel.radius, preparedByteCount: parts.byteCount
    ) { row, prepared in parts.fill(prepared, from: row, kernel) }
    let amount = Float(amount)
    let threshold = Float(threshold * Double(layout.format.sample.maximum) / 255)
    return WindowSource(window, context) { rows, y, destination in
      let own = rows.row(y)
      destination.copyMemory(from: own, byteCount: layout.rowByteCount)
      withFloatRow(layout.width) { blurred in
        ConvolutionKernels.weightedSum(
          of: (-kernel.radius...kernel.radius).map { parts.blurred(in: rows.row(y + $0)) },
          weights: kernel.weights, count: layout.width, into: blurred)
        SharpenKernels.add(
          LumaDetail(luma: parts.luma(in: own), blurred: blurred, amount: amount, threshold: threshold),
          to: destination, width: layout.width, bands: layout.bands, colourBands: layout.format.model.bandCount,
          sampleBytes: layout.format.sample.byteCount)
      }
    }
  }
}

/// A prepared row of `Sharpen`: the row itself, its luma, and the luma after the horizontal pass.
private struct PreparedLuma: Sendable {
  private let layout: PictureLayout
  private let lumaOffset: Int
  private let blurredOffset: Int
  let byteCount: Int

  init(_ layout: PictureLayout) {
    let floatBytes = ConvolutionKernels.paddedCount(layout.width) * MemoryLayout<Float>.size
    self.layout = layout
    lumaOffset = (layout.rowByteCount + 63) & ~63
    blurredOffset = lumaOffset + floatBytes
    byteCount = blurredOffset + floatBytes
  }

  func luma(in prepared: UnsafeRawPointer) -> UnsafePointer<Float> {
    (prepared + lumaOffset).assumingMemoryBound(to: Float.self)
  }

  func blurred(in prepared: UnsafeRawPointer) -> UnsafePointer<Float> {
    (prepared + blurredOffset).assumingMemoryBound(to: Float.self)
  }

  func fill(_ prepared: UnsafeMutableRawPointer, from row: UnsafeRawPointer, _ kernel: GaussianKernel) {
    prepared.copyMemory(from: row, byteCount: layout.rowByteCount)
    withFloatRow(layout.width + 2 * kernel.radius) { padded in
      ConvolutionKernels.widenLuma(
        row, width: layout.width, bands: layout.bands, sampleBytes: layout.format.sample.byteCount,
        margin: kernel.radius, into: padded)
      (prepared + lumaOffset).copyMemory(
        from: padded + kernel.radius, byteCount: layout.width * MemoryLayout<Float>.size)
      ConvolutionKernels.weightedSum(
        of: UnsafePointer(padded).neighbours(kernel.weights.count, step: 1),
        weights: kernel.weights, count: layout.width,
        into: (prepared + blurredOffset).assumingMemoryBound(to: Float.self))
    }
  }
}
