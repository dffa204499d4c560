/// A whole picture as four 16-bit lanes a pixel, colours weighted by alpha, with a margin of background
/// around it so that no tap needs a check.
///
/// `@unchecked Sendable`: filled by one thread; from then on `render` only reads it, on any thread.
public final class RotationFrame: @unchecked Sendable {
  private let plan: RotationPlan
  private let source: ResamplePixels
  private let target: ResamplePixels
  private let pixels: UnsafeMutablePointer<SIMD4<UInt16>>
  private let stride: Int

  /// As many pixels as the widest kernel reaches, and one for rounding.
  static let margin = 8

  /// - Parameters:
  ///   - target: the source's pixels, or those with an alpha band more.
  ///   - background: samples of a target pixel, alpha straight.
  public init(
    _ plan: RotationPlan, source: ResamplePixels, target: ResamplePixels, background: [Int]
  ) {
    self.plan = plan
    self.source = source
    self.target = target
    stride = plan.sourceWidth + 2 * Self.margin
    let count = stride * (plan.sourceHeight + 2 * Self.margin)
    pixels = .allocate(capacity: count)
    let scale = target.bytesPerSample == 1 ? 257 : 1
    var lanes = SIMD4<UInt16>(repeating: 0)
    for (band, sample) in background.enumerated() { lanes[band] = UInt16(sample * scale) }
    pixels.initialize(
      repeating: target.hasAlpha ? Self.weighted(lanes, target.bands) : lanes, count: count)
  }

  deinit { pixels.deallocate() }

  /// Takes one source row.
  public func fill(row: Int, from address: UnsafeRawPointer) {
    let output = pixels + (row + Self.margin) * stride + Self.margin
    let bands = source.bands
    for x in 0..<plan.sourceWidth {
      var lanes = SIMD4<UInt16>(repeating: 0)
      for band in 0..<bands {
        lanes[band] =
          source.bytesPerSample == 1
          ? UInt16(address.load(fromByteOffset: x * bands + band, as: UInt8.self)) * 257
          : address.load(fromByteOffset: (x * bands + band) * 2, as: UInt16.self)
      }
      if target.bands > bands { lanes[bands] = .max }
      output[x] = source.hasAlpha ? Self.weighted(lanes, bands) : lanes
    }
  }

  /// Colours times alpha, rounded.
  private static func weighted(_ lanes: SIMD4<UInt16>, _ bands: Int) -> SIMD4<UInt16> {
    let alpha = UInt32(lanes[bands - 1])
    guard alpha < 65_535 else { return lanes }
    var weighted = lanes
    for band in 0..<bands - 1 {
      weighted[band] = UInt16((UInt32(lanes[band]) * alpha + 32_767) / 65_535)
    }
    return weighted
  }

  /// Makes target row `row` at `output`.
  public func render(row: Int, into output: UnsafeMutableRawPointer) {
    let y = Double(row) + 0.5 - Double(plan.targetHeight) / 2
    // Half a pixel back: from points to sample indices.
    let left = Double(plan.sourceWidth) / 2 + plan.sine * y - 0.5
    let top = Double(plan.sourceHeight) / 2 + plan.cosine * y - 0.5
    let half = Double(plan.targetWidth) / 2
    for column in 0..<plan.targetWidth {
      let x = Double(column) + 0.5 - half
      let sum = sample(x: left + plan.cosine * x, y: top - plan.sine * x)
      store(sum, output, column)
    }
  }

  @inline(__always)
  private func sample(x: Double, y: Double) -> SIMD4<Float> {
    let (x, phaseX) = Self.split(x, plan.sourceWidth)
    let (y, phaseY) = Self.split(y, plan.sourceHeight)
    let taps = plan.taps
    let lead = taps / 2 - 1 - Self.margin
    let corner = pixels + (y - lead) * stride + (x - lead)
    return plan.weights.withUnsafeBufferPointer { weights in
      var sum = SIMD4<Float>(repeating: 0)
      for j in 0..<taps {
        let pixel = corner + j * stride
        var across = SIMD4<Float>(repeating: 0)
        for k in 0..<taps { across += SIMD4<Float>(pixel[k]) * weights[phaseX * taps + k] }
        sum += across * weights[phaseY * taps + j]
      }
      return sum
    }
  }

  /// The sample before a position and the phase from it to the next, held to where all is background.
  @inline(__always)
  private static func split(_ position: Double, _ count: Int) -> (index: Int, phase: Int) {
    let held = min(max(position, -4), Double(count + 3))
    let index = held.rounded(.down)
    return (Int(index), Int((held - index) * Double(RotationPlan.phases) + 0.5))
  }

  @inline(__always)
  private func store(_ sum: SIMD4<Float>, _ output: UnsafeMutableRawPointer, _ column: Int) {
    let bands = target.bands
    var lanes = sum
    if target.hasAlpha {
      let alpha = sum[bands - 1]
      // Alpha that rounds to nothing has no colour.
      let least: Float = target.bytesPerSample == 1 ? 128.5 : 0.5
      lanes = alpha < least ? SIMD4(repeating: 0) : sum * (65_535 / alpha)
      lanes[bands - 1] = alpha < least ? 0 : alpha
    }
    lanes.clamp(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 65_535))
    if target.bytesPerSample == 1 {
      let bytes = SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(lanes / 257 + 0.5))
      for band in 0..<bands {
        output.storeBytes(of: bytes[band], toByteOffset: column * bands + band, as: UInt8.self)
      }
    } else {
      let words = SIMD4<UInt16>(truncatingIfNeeded: SIMD4<Int32>(lanes + 0.5))
      for band in 0..<bands {
        output.storeBytes(
          of: words[band], toByteOffset: (column * bands + band) * 2, as: UInt16.self)
      }
    }
  }
}
