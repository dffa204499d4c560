import CPluginABI
import OperationExport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Draws one picture over another where a mask is bright, for one set of values.
struct MaskBlend: ExportedOperation {
  /// The maximum softness, in pixels.
  static let maximumSoftness = 50.0

  private let opacity: Float
  private let isInverted: Bool
  private let mask: SoftMask
  private let isLinear: Bool

  /// - Parameter values: one value for each parameter, in their order, checked by the host.
  init(_ values: UnsafePointer<imghost_value>) {
    opacity = Float(values[0].numbers.0)
    isInverted = values[1].numbers.0 != 0
    mask = SoftMask(softness: values[2].numbers.0)
    isLinear = values[3].numbers.0 != 0
  }

  /// Processes the request's region in blocks of rows. Returns false if the call was cancelled or an input is missing.
  func process(_ request: imghost_request, isCancelled: () -> Bool, progress: (Double) -> Void) -> Bool {
    guard request.input_count == 3, let below = request.inputs[0]?.pointee,
      let above = request.inputs[1]?.pointee, let third = request.inputs[2]?.pointee
    else { return false }
    let output = request.output.pointee
    // Each block also blurs some rows of its neighbours, so small blocks would be slow.
    let bandHeight = max(64, Int32(4 * mask.reach))
    var done: Int32 = 0
    while done < request.region.height {
      if isCancelled() { return false }
      progress(Double(done) / Double(request.region.height))
      var band = request.region
      band.top += done
      band.height = min(bandHeight, request.region.height - done)
      blend(below, above, shares: mask.values(of: third, band), output, band)
      done += band.height
    }
    return true
  }

  private func blend(
    _ below: imghost_picture, _ above: imghost_picture, shares: [UInt16],
    _ output: imghost_picture, _ region: imghost_region
  ) {
    let (bands, width) = (Int(output.bands), Int(region.width))
    let start = Int(region.left) * bands
    for row in 0..<Int(region.height) {
      let y = Int(region.top) + row
      let (lowRow, highRow) = (SampleRow(below, y: y), SampleRow(above, y: y))
      let low = lowRow.numbers(from: start, count: width * bands)
      let high = highRow.numbers(from: start, count: width * bands)
      let target = SampleRow(output, y: y)
      for x in 0..<width {
        let (share, index) = (share(shares[row * width + x]), x * bands)
        // Samples are copied unchanged where only one picture is visible.
        if share <= 0 {
          target.copy(from: lowRow, at: start + index, count: bands)
        } else if share >= 1 {
          target.copy(from: highRow, at: start + index, count: bands)
        } else {
          mix(low, high, at: index, share, into: target, at: start + index, bands: bands)
        }
      }
    }
  }

  /// Returns the visible share of the upper picture, 0 to 1.
  private func share(_ value: UInt16) -> Float { Float(isInverted ? .max - value : value) / 65_535 * opacity }

  /// Mixes one pixel. Colours are weighted by their alpha, so that invisible pixels do not contribute.
  private func mix(
    _ low: [Float], _ high: [Float], at index: Int, _ share: Float, into target: SampleRow, at place: Int, bands: Int
  ) {
    let colours = bands < 3 ? 1 : 3
    var (lowWeight, highWeight) = (1 - share, share)
    if bands > colours {
      lowWeight *= low[index + colours]
      highWeight *= high[index + colours]
      target.store(lowWeight + highWeight, at: place + colours)
    }
    let sum = lowWeight + highWeight
    let part = sum > 0 ? highWeight / sum : share
    for band in 0..<colours {
      let (from, to) = (low[index + band], high[index + band])
      if isLinear {
        let (start, end) = (SRGB.linear(from), SRGB.linear(to))
        target.store(SRGB.encoded(start + (end - start) * part), at: place + band)
      } else {
        target.store(from + (to - from) * part, at: place + band)
      }
    }
  }
}

/// The transfer function of sRGB, IEC 61966-2-1.
private enum SRGB {
  static func linear(_ value: Float) -> Float {
    value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4)
  }

  static func encoded(_ value: Float) -> Float {
    value <= 0.003_130_8 ? value * 12.92 : 1.055 * powf(value, 1 / 2.4) - 0.055
  }
}
