import CKernels

/// A rotation about the centre by any angle, with resampling.
///
/// The inverse rotation maps the centre of each target pixel to the point of the source that the pixel shows; the
/// centres of source and target coincide. A `PointMapping` can replace the inverse rotation. Weights are tabulated for
/// 1,024 positions (phases) between two adjacent samples. Edges blend into the background, which surrounds the source.
package struct RotationPlan: Sendable {
  package let sourceWidth: Int
  package let sourceHeight: Int
  package let targetWidth: Int
  package let targetHeight: Int
  let cosine: Double
  let sine: Double
  /// A mapping that replaces the rotation.
  let mapping: PointMapping?
  /// The number of source samples that contribute to a target pixel in each direction.
  let taps: Int
  /// `phases` rows of `taps` weights.
  let weights: [Float]
  let kernels: ResampleKernels

  static let phaseBits = 10
  static let phases = 1 << phaseBits

  /// - Parameters:
  ///   - degrees: the angle, clockwise.
  ///   - expands: whether the target is large enough for the whole source, as in libvips' affine: it has the size of
  ///     the rotated picture's bounds, rounded half up. Otherwise the target has the size of the source.
  package init(
    sourceWidth: Int, sourceHeight: Int, degrees: Double, expands: Bool, kernel: ResampleKernel,
    instructions: InstructionSet = .current
  ) {
    kernels = ResampleKernels(instructions)
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    sine = HalfTurns.sine(degrees / 180)
    cosine = HalfTurns.cosine(degrees / 180)
    let (wide, high) = (Double(sourceWidth), Double(sourceHeight))
    let (s, c) = (sine.magnitude, cosine.magnitude)
    targetWidth = expands ? max(1, Int((wide * c + high * s + 0.5).rounded(.down))) : sourceWidth
    targetHeight = expands ? max(1, Int((wide * s + high * c + 0.5).rounded(.down))) : sourceHeight
    mapping = nil
    (taps, weights) = Self.weights(kernel)
  }

  /// Makes a plan for any projective mapping. Where the mapping shrinks the source, samples are not averaged, so the
  /// result can be aliased.
  package init(
    source: (width: Int, height: Int), target: (width: Int, height: Int), mapping: PointMapping,
    kernel: ResampleKernel, instructions: InstructionSet = .current
  ) {
    kernels = ResampleKernels(instructions)
    (sourceWidth, sourceHeight) = source
    (targetWidth, targetHeight) = target
    (cosine, sine) = (1, 0)
    self.mapping = mapping
    (taps, weights) = Self.weights(kernel)
  }

  private static func weights(_ kernel: ResampleKernel) -> (taps: Int, weights: [Float]) {
    let taps = kernel == .nearest ? 2 : Int(2 * kernel.radius)
    var weights: [Float] = []
    for phase in 0..<phases {
      let fraction = Double(phase) / Double(phases)
      var row = (0..<taps).map { k -> Double in
        let distance = Double(k - (taps / 2 - 1)) - fraction
        if kernel == .nearest { return (fraction < 0.5) == (k == 0) ? 1 : 0 }
        return kernel.weight(distance)
      }
      let sum = row.reduce(0, +)
      for k in row.indices { row[k] /= sum }
      weights += row.map(Float.init)
    }
    return (taps, weights)
  }
}

/// A whole picture with four lanes per pixel and a margin of background, which makes bounds checks unnecessary. Lanes
/// have the bit depth of the samples; if the target has alpha, they have 16 bits, and colours are multiplied by alpha.
///
/// The caller owns the memory.
///
/// `@unchecked Sendable`: one thread fills the frame before others call `render`, which only reads it.
package final class RotationFrame: @unchecked Sendable {
  private let plan: RotationPlan
  private let source: ResamplePixels
  private let target: ResamplePixels
  private let pixels: UnsafeMutableRawPointer
  private let laneBytes: Int
  /// The number of pixels from the start of one row to that of the next.
  private let stride: Int
  /// Vertical weights, divided by `scale(target)`: they convert lanes to the range of the target's samples.
  private let down: [Float]

  /// The number of background pixels on each side: the radius of the widest kernel, and some more for rounding.
  private static let margin = 8
  /// The number of target pixels that are computed at a time.
  private static let block = 128

  /// - Parameters:
  ///   - target: the format of target pixels: that of the source, possibly with an additional alpha band.
  ///   - background: the samples of a target pixel, with straight alpha.
  ///   - memory: room for `byteCount(plan, target)` bytes, aligned to 8.
  package init(
    _ plan: RotationPlan, source: ResamplePixels, target: ResamplePixels, background: [Int],
    memory: UnsafeMutableRawPointer
  ) {
    self.plan = plan
    self.source = source
    self.target = target
    laneBytes = Self.laneBytes(target)
    stride = plan.sourceWidth + 2 * Self.margin
    pixels = memory
    let scale = Self.scale(target)
    down = plan.weights.map { $0 / Float(scale) }
    var lanes = SIMD4<UInt16>(repeating: 0)
    for (band, sample) in background.enumerated() { lanes[band] = UInt16(sample * scale) }
    if target.hasAlpha { lanes = Self.premultiplied(lanes, target.bands) }
    if laneBytes == 1 {
      surround(with: SIMD4<UInt8>(truncatingIfNeeded: lanes))
    } else {
      surround(with: lanes)
    }
  }

  /// Returns the number of bytes of the frame.
  package static func byteCount(_ plan: RotationPlan, _ target: ResamplePixels) -> Int {
    (plan.sourceWidth + 2 * margin) * (plan.sourceHeight + 2 * margin) * 4 * laneBytes(target)
  }

  private static func laneBytes(_ target: ResamplePixels) -> Int { target.hasAlpha ? 2 : target.bytesPerSample }

  /// Returns the factor that converts target samples to lanes: 257 from 8 to 16 bits, otherwise 1.
  private static func scale(_ target: ResamplePixels) -> Int {
    laneBytes(target) > target.bytesPerSample ? 257 : 1
  }

  private func surround<Lanes: BitwiseCopyable>(with lanes: Lanes) {
    let pixels = pixels.assumingMemoryBound(to: Lanes.self)
    // In memory order, the margin consists of the rows above with the left side of the first row; the right side of
    // each row with the left side of the next; and the right side of the last row with the rows below.
    let edge = Self.margin * (stride + 1)
    pixels.initialize(repeating: lanes, count: edge)
    for row in 1..<plan.sourceHeight {
      let start = pixels + (row + Self.margin) * stride - Self.margin
      start.initialize(repeating: lanes, count: 2 * Self.margin)
    }
    let end = pixels + (plan.sourceHeight + Self.margin) * stride - Self.margin
    end.initialize(repeating: lanes, count: edge)
  }

  /// Stores one source row.
  package func fill(row: Int, from address: UnsafeRawPointer) {
    let start = (row + Self.margin) * stride + Self.margin
    let count = plan.sourceWidth
    guard laneBytes == 2 else {
      let output = (pixels + start * 4).assumingMemoryBound(to: UInt32.self)
      return Self.readBytes(address, source.bands, count, output)
    }
    let output = (pixels + start * 8).assumingMemoryBound(to: SIMD4<UInt16>.self)
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
      for x in 0..<count { output[x] = Self.premultiplied(output[x], source.bands) }
    } else if target.hasAlpha {
      for x in 0..<count { output[x][source.bands] = .max }
    }
  }

  /// Converts 8-bit samples to pixels of four 8-bit lanes. The first lane has the lowest address.
  private static func readBytes(
    _ samples: UnsafeRawPointer, _ bands: Int, _ count: Int, _ output: UnsafeMutablePointer<UInt32>
  ) {
    switch bands {
    case 1:
      let samples = samples.assumingMemoryBound(to: UInt8.self)
      for x in 0..<count { output[x] = UInt32(samples[x]).littleEndian }
    case 3:
      let colours = UInt32(0xff_ffff).littleEndian
      // Each load except the last also reads a sample of the next pixel.
      for x in 0..<count - 1 {
        output[x] = samples.loadUnaligned(fromByteOffset: 3 * x, as: UInt32.self) & colours
      }
      output[count - 1] = 0
      UnsafeMutableRawPointer(output + count - 1).copyMemory(from: samples + 3 * (count - 1), byteCount: 3)
    default:
      for x in 0..<count {
        output[x] = 0
        UnsafeMutableRawPointer(output + x).copyMemory(
          from: samples + bands * x, byteCount: bands)
      }
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
      for band in 0..<bands { lanes[band] = UInt16(truncatingIfNeeded: samples[x * bands + band]) &* scale }
      output[x] = lanes
    }
  }

  /// Returns colours multiplied by alpha, rounded.
  @inline(__always)
  private static func premultiplied(_ lanes: SIMD4<UInt16>, _ bands: Int) -> SIMD4<UInt16> {
    let alpha = lanes[bands - 1]
    guard alpha < .max else { return lanes }
    let products = SIMD4<UInt32>(truncatingIfNeeded: lanes) &* UInt32(alpha) &+ 32_768
    // This divides numbers below 65,535² by 65,535 exactly.
    let quotients = (products &+ (products &>> 16)) &>> 16
    var result = SIMD4<UInt16>(truncatingIfNeeded: quotients)
    result[bands - 1] = alpha
    return result
  }

  /// Computes target rows `rows`; the first is written to `output`, and rows are `stride` bytes apart.
  package func render(
    _ rows: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int
  ) {
    let block = Self.block
    withUnsafeTemporaryAllocation(of: Int.self, capacity: block) { offsets in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * block) { phases in
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: block) { lanes in
          guard let offsets = offsets.baseAddress, let phases = phases.baseAddress, let lanes = lanes.baseAddress
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

  /// Computes the byte offset of the first tap of each target pixel, and the pixel's horizontal and vertical phase.
  private func locate(
    _ row: Int, _ columns: Range<Int>, _ offsets: UnsafeMutablePointer<Int>, _ phases: UnsafeMutablePointer<Int32>
  ) {
    let (stride, pixelBytes) = (stride, 4 * laneBytes)
    let corner = (plan.taps / 2 - 1 - Self.margin) * (stride + 1)
    let (lastX, lastY) = (plan.sourceWidth + 3, plan.sourceHeight + 3)
    if let mapping = plan.mapping {
      let (bits, mask) = (RotationPlan.phaseBits, RotationPlan.phases - 1)
      return Self.locate(mapping, row: row, columns, lastX: lastX, lastY: lastY) { index, x, y in
        offsets[index] = ((y &>> bits) &* stride &+ (x &>> bits) &- corner) &* pixelBytes
        phases[2 * index] = Int32(truncatingIfNeeded: x & mask)
        phases[2 * index + 1] = Int32(truncatingIfNeeded: y & mask)
      }
    }
    let y = Double(row) + 0.5 - Double(plan.targetHeight) / 2
    // Half a pixel is subtracted to convert points to sample indices.
    let left = Double(plan.sourceWidth) / 2 + plan.sine * y - 0.5
    let top = Double(plan.sourceHeight) / 2 + plan.cosine * y - 0.5
    let half = Double(plan.targetWidth) / 2
    let x = Double(columns.lowerBound) + 0.5 - half
    var across = Self.fixed(left + plan.cosine * x)
    var down = Self.fixed(top - plan.sine * x)
    let (stepAcross, stepDown) = (Self.fixed(plan.cosine), Self.fixed(-plan.sine))
    for index in 0..<columns.count {
      let (column, phaseX) = Self.split(across, lastX)
      let (row, phaseY) = Self.split(down, lastY)
      offsets[index] = (row &* stride &+ column &- corner) &* pixelBytes
      phases[2 * index] = phaseX
      phases[2 * index + 1] = phaseY
      across &+= stepAcross
      down &+= stepDown
    }
  }

  /// The number of fraction bits of positions. By the end of a block, rounding errors add up to less than a millionth
  /// of a phase. The other bits are a sign and 23 integer bits; no picture is wider or taller than a million pixels.
  private static let fractionBits = 40

  private static func fixed(_ position: Double) -> Int { Int((position * Double(1 << fractionBits)).rounded()) }

  /// Returns the sample before a position, and the phase between that sample and the next. The index is clamped to
  /// -4…`last`; beyond these limits there is only background.
  @inline(__always)
  private static func split(_ position: Int, _ last: Int) -> (index: Int, phase: Int32) {
    let bits = RotationPlan.phaseBits
    // The position is rounded to the nearest phase.
    let steps = (position &+ 1 << (fractionBits - bits - 1)) &>> (fractionBits - bits)
    let held = max(-4 << bits, min(last << bits, steps))
    return (held &>> bits, Int32(truncatingIfNeeded: held & (RotationPlan.phases - 1)))
  }

  private func sample(
    _ offsets: UnsafePointer<Int>, _ phases: UnsafePointer<Int32>, _ count: Int,
    _ lanes: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    plan.weights.withUnsafeBufferPointer { across in
      down.withUnsafeBufferPointer { down in
        guard let across = across.baseAddress, let down = down.baseAddress else { return }
        var points = PointSampling(
          frame: pixels, laneBytes: laneBytes, stride: stride * 4 * laneBytes, offsets: offsets, phases: phases,
          across: across, down: down, taps: plan.taps, count: count, output: lanes)
        plan.kernels.samplePoints(&points)
      }
    }
  }

  private func encode(_ lanes: UnsafePointer<SIMD4<Float>>, _ count: Int, _ output: UnsafeMutableRawPointer) {
    let (pixels, padded) = (target, (count + 3) & ~3)
    let alphaBands = pixels.hasAlpha ? pixels.bands : 0
    withUnsafeTemporaryAllocation(byteCount: 8 * Self.block, alignment: 64) { quads in
      guard let quads = quads.baseAddress else { return }
      if pixels.bytesPerSample == 1 {
        plan.kernels.storeLanes8(lanes, padded, alphaBands, quads)
        Quads.unpack8(quads, bands: pixels.bands, count: count, rows: 1, into: output, stride: 0)
      } else {
        plan.kernels.storeLanes16(lanes, padded, alphaBands, quads)
        Quads.unpack16(quads, bands: pixels.bands, count: count, rows: 1, into: output, stride: 0)
      }
    }
  }
}
