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
  /// Vertical weights, scaled so that sums are samples of the target.
  private let down: [Float]

  /// Pixels of background on each side: as many as the widest kernel reaches, and some for rounding.
  static let margin = 8
  /// Target pixels made at a time.
  private static let block = 128

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
    let scale = target.bytesPerSample == 1 ? 257 : 1
    down = plan.weights.map { $0 / Float(scale) }
    let count = stride * (plan.sourceHeight + 2 * Self.margin)
    pixels = .allocate(capacity: count)
    var lanes = SIMD4<UInt16>(repeating: 0)
    for (band, sample) in background.enumerated() { lanes[band] = UInt16(sample * scale) }
    if target.hasAlpha { lanes = Self.weighted(lanes, target.bands) }
    pixels.initialize(repeating: lanes, count: count)
  }

  deinit { pixels.deallocate() }

  /// Takes one source row.
  public func fill(row: Int, from address: UnsafeRawPointer) {
    let output = pixels + (row + Self.margin) * stride + Self.margin
    let count = plan.sourceWidth
    switch (source.bytesPerSample, source.bands) {
    case (1, 1): Self.read(UInt8.self, 1, address, count, output)
    case (1, 2): Self.read(UInt8.self, 2, address, count, output)
    case (1, 3): Self.read(UInt8.self, 3, address, count, output)
    case (1, _): Self.read(UInt8.self, 4, address, count, output)
    case (_, 1): Self.read(UInt16.self, 1, address, count, output)
    case (_, 2): Self.read(UInt16.self, 2, address, count, output)
    case (_, 3): Self.read(UInt16.self, 3, address, count, output)
    case (_, _): Self.read(UInt16.self, 4, address, count, output)
    }
    if source.hasAlpha {
      for x in 0..<count { output[x] = Self.weighted(output[x], source.bands) }
    } else if target.hasAlpha {
      for x in 0..<count { output[x][source.bands] = .max }
    }
  }

  @inline(__always)
  private static func read<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ bands: Int, _ address: UnsafeRawPointer, _ count: Int,
    _ output: UnsafeMutablePointer<SIMD4<UInt16>>
  ) {
    let samples = address.assumingMemoryBound(to: Sample.self)
    let scale: UInt16 = Sample.bitWidth == 8 ? 257 : 1
    for x in 0..<count {
      var lanes = SIMD4<UInt16>(repeating: 0)
      for band in 0..<bands {
        lanes[band] = UInt16(truncatingIfNeeded: samples[x * bands + band]) &* scale
      }
      output[x] = lanes
    }
  }

  /// Colours times alpha, rounded.
  @inline(__always)
  private static func weighted(_ lanes: SIMD4<UInt16>, _ bands: Int) -> SIMD4<UInt16> {
    let alpha = lanes[bands - 1]
    guard alpha < .max else { return lanes }
    let products = SIMD4<UInt32>(truncatingIfNeeded: lanes) &* UInt32(alpha) &+ 32_768
    // Division by 65,535 of what is below 65,535²: exact.
    let quotients = (products &+ (products &>> 16)) &>> 16
    var weighted = SIMD4<UInt16>(truncatingIfNeeded: quotients)
    weighted[bands - 1] = alpha
    return weighted
  }

  /// Makes target rows `rows`; the first goes to `output`, rows are `stride` bytes apart.
  public func render(
    _ rows: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int
  ) {
    let block = Self.block
    withUnsafeTemporaryAllocation(of: Int.self, capacity: block) { offsets in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * block) { phases in
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: block) { lanes in
          guard let offsets = offsets.baseAddress, let phases = phases.baseAddress,
            let lanes = lanes.baseAddress
          else { return }
          for row in rows {
            let address = output + (row - rows.lowerBound) * stride
            for first in Swift.stride(from: 0, to: plan.targetWidth, by: block) {
              let columns = first..<min(first + block, plan.targetWidth)
              locate(row, columns, offsets, phases)
              sample(offsets, phases, columns.count, lanes)
              encode(lanes, columns.count, address + first * target.bytesPerPixel)
            }
          }
        }
      }
    }
  }

  /// Finds the first tap and the phases of target pixels.
  private func locate(
    _ row: Int, _ columns: Range<Int>, _ offsets: UnsafeMutablePointer<Int>,
    _ phases: UnsafeMutablePointer<Int32>
  ) {
    let y = Double(row) + 0.5 - Double(plan.targetHeight) / 2
    // Half a pixel back: from points to sample indices.
    let left = Double(plan.sourceWidth) / 2 + plan.sine * y - 0.5
    let top = Double(plan.sourceHeight) / 2 + plan.cosine * y - 0.5
    let half = Double(plan.targetWidth) / 2
    let corner = (plan.taps / 2 - 1 - Self.margin) * (stride + 1)
    let (cosine, sine, stride) = (plan.cosine, plan.sine, stride)
    let (lastX, lastY) = (Double(plan.sourceWidth + 3), Double(plan.sourceHeight + 3))
    for index in 0..<columns.count {
      let x = Double(columns.lowerBound + index) + 0.5 - half
      let (across, phaseX) = Self.split(left + cosine * x, lastX)
      let (down, phaseY) = Self.split(top - sine * x, lastY)
      offsets[index] = (down * stride + across - corner) * 8
      phases[2 * index] = phaseX
      phases[2 * index + 1] = phaseY
    }
  }

  /// The sample before a position and the phase from it to the next, held to where all is background:
  /// from -4 to `last`.
  @inline(__always)
  private static func split(_ position: Double, _ last: Double) -> (index: Int, phase: Int32) {
    let held = position < -4 ? -4 : position > last ? last : position
    // In steps of a phase and from 0, where conversion rounds down.
    let steps = Int((held + 4) * Double(RotationPlan.phases) + 0.5)
    return (steps / RotationPlan.phases - 4, Int32(truncatingIfNeeded: steps % RotationPlan.phases))
  }

  private func sample(
    _ offsets: UnsafePointer<Int>, _ phases: UnsafePointer<Int32>, _ count: Int,
    _ lanes: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    plan.weights.withUnsafeBufferPointer { across in
      down.withUnsafeBufferPointer { down in
        guard let across = across.baseAddress, let down = down.baseAddress else { return }
        plan.kernels.samplePoints(
          pixels, stride * 8, offsets, phases, across, down, plan.taps, count, lanes)
      }
    }
  }

  private func encode(
    _ lanes: UnsafePointer<SIMD4<Float>>, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    if target.bytesPerSample == 2 {
      FloatPasses.encode16(lanes, target.bands, target.hasAlpha, count, output)
    } else if target.bands == 4, target.hasAlpha {
      // Four at a time; the rest as one by one, with the same result.
      let most = count & ~3
      plan.kernels.storeLanes8(lanes, most, 4, output)
      FloatPasses.encode8(lanes + most, 4, true, count - most, output + 4 * most)
    } else {
      FloatPasses.encode8(lanes, target.bands, target.hasAlpha, count, output)
    }
  }
}
