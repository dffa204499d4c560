import CKernels

/// A rectangle of a picture, in pixels. Its edges may be fractional.
package struct ResampleBox: Sendable, Hashable {
  package let left: Double
  package let top: Double
  package let width: Double
  package let height: Double

  package init(left: Double, top: Double, width: Double, height: Double) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }
}

/// The sizes of source and target, and the part of the source that becomes the target.
package struct ResampleGeometry: Sendable, Hashable {
  /// The width and height of the source in pixels, at least 1 each.
  package let sourceWidth: Int
  package let sourceHeight: Int
  /// The part of the source that becomes the target; it is inside the source. Source samples outside the part still
  /// contribute near its edges: resampling a part gives the same result as resampling the whole and cropping.
  package let box: ResampleBox
  /// The width and height of the target in pixels, at least 1 each.
  package let targetWidth: Int
  package let targetHeight: Int

  /// - Parameter box: the part of the source; nil for the whole.
  package init(sourceWidth: Int, sourceHeight: Int, box: ResampleBox? = nil, targetWidth: Int, targetHeight: Int) {
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    self.box = box ?? ResampleBox(left: 0, top: 0, width: Double(sourceWidth), height: Double(sourceHeight))
    self.targetWidth = targetWidth
    self.targetHeight = targetHeight
  }
}

/// The layout of pixels in memory.
package struct ResamplePixels: Sendable, Hashable {
  /// The number of interleaved samples per pixel, 1 to 4.
  package let bands: Int
  /// The bytes per sample, 1 or 2.
  package let bytesPerSample: Int
  /// Whether the last band is straight alpha; resampling then multiplies the other bands by it.
  package let hasAlpha: Bool

  package init(bands: Int, bytesPerSample: Int, hasAlpha: Bool) {
    precondition((1...4).contains(bands) && (1...2).contains(bytesPerSample))
    self.bands = bands
    self.bytesPerSample = bytesPerSample
    self.hasAlpha = hasAlpha
  }

  var bytesPerPixel: Int { bands * bytesPerSample }
  /// Whether pixels have four bands of 8 bits.
  var areFourBytes: Bool { bands == 4 && bytesPerSample == 1 }
}

/// Everything about a resampling that does not depend on pixel values: sizes, weights and the choice of passes.
package struct ResamplePlan: Sendable {
  package let geometry: ResampleGeometry
  package let pixels: ResamplePixels
  let horizontal: ResampleAxis
  let vertical: ResampleAxis
  /// The source columns that contribute to the target.
  let columns: Range<Int>
  /// The plan for integer arithmetic; nil for 16-bit samples, and if `IntegerPlan.init` returns nil.
  let integers: IntegerPlan?
  /// The plan for rows that cannot be computed in integers, such as rows with transparency; nil if there are no such
  /// rows, if `wide` is used, or if the vertical pass would need too many source rows.
  let floats: FloatPlan?
  /// The plan for 16-bit samples if colours are not multiplied by alpha; nil for other samples, in linear light, for
  /// extreme ratios, and if `WidePlan.init` returns nil.
  let wide: WidePlan?
  /// The plan for 8-bit pixels of four bands with alpha, nil for others; pixels with small alpha are computed by
  /// `floats`. Also nil if `PremultipliedPlan.init` returns nil.
  let premultiplied: PremultipliedPlan?
  /// Whether colours are multiplied by alpha; false for the kernel `nearest`, which copies pixels.
  let premultiplies: Bool
  /// Whether samples encoded with the sRGB curve are interpolated as linear light.
  let decodesLight: Bool
  let kernels: ResampleKernels

  /// - Parameter decodesLight: whether samples encoded with the sRGB curve are interpolated as linear light; only for
  ///   16-bit samples. Callers convert 8-bit samples to 16-bit light by `LightKernels.decode8` before resampling.
  package init(
    _ geometry: ResampleGeometry, pixels: ResamplePixels, kernel: ResampleKernel, decodesLight: Bool = false,
    instructions: InstructionSet = .current
  ) {
    precondition(!decodesLight || pixels.bytesPerSample == 2)
    self.decodesLight = decodesLight
    self.geometry = geometry
    self.pixels = pixels
    kernels = ResampleKernels(instructions)
    horizontal = ResampleAxis(
      sourceCount: geometry.sourceWidth, start: geometry.box.left, length: geometry.box.width,
      count: geometry.targetWidth, kernel: kernel)
    vertical = ResampleAxis(
      sourceCount: geometry.sourceHeight, start: geometry.box.top, length: geometry.box.height,
      count: geometry.targetHeight, kernel: kernel)
    columns = horizontal.sources(of: 0..<geometry.targetWidth)
    premultiplies = pixels.hasAlpha && kernel != .nearest
    integers =
      pixels.bytesPerSample == 1
      ? IntegerPlan(
        horizontal: horizontal, vertical: vertical, columns: columns,
        allowsHorizontalFirst: !premultiplies,
        rowsTogether: kernels.rowsTogether, pixelsTogether: kernels.pixelsTogether)
      : nil
    let needsFloats = vertical.taps <= Self.mostTaps && (integers == nil || premultiplies)
    wide =
      needsFloats && pixels.bytesPerSample == 2 && !premultiplies && !decodesLight
      ? WidePlan(horizontal, vertical, bands: pixels.bands, origin: columns.lowerBound) : nil
    floats = needsFloats && wide == nil ? FloatPlan(horizontal, vertical, origin: columns.lowerBound) : nil
    premultiplied =
      floats != nil && premultiplies && pixels.areFourBytes
      ? PremultipliedPlan(horizontal, vertical, columns: columns, pixelsTogether: kernels.pixelsTogether) : nil
  }

  /// The greatest number of source rows per target row with which the vertical pass runs first. More would take too
  /// much memory.
  static let mostTaps = 160

  /// Whether the horizontal pass runs first: for extreme ratios, and for enlarging in integers.
  var isHorizontalFirst: Bool { vertical.taps > Self.mostTaps || integers?.order == .horizontalFirst }

  /// Whether some sums need `Double`: dividing 16-bit colours by a small alpha magnifies errors up to 65,535 times.
  /// With linear light, `Double` would gain nothing, because the table that encodes light is only as exact as `Float`.
  var needsDouble: Bool { premultiplies && pixels.bytesPerSample == 2 && !decodesLight }

  /// The number of bands of a pixel if colours are multiplied by alpha, the last band; 0 otherwise.
  var alphaBands: Int { premultiplies ? pixels.bands : 0 }

  /// Whether floating-point resampling converts pixels in registers: for four bands of 8 bits including alpha.
  var convertsInRegisters: Bool { premultiplies && pixels.areFourBytes }

  /// Returns the source rows of target rows `range`.
  package func sourceRows(of range: Range<Int>) -> Range<Int> { vertical.sources(of: range) }

  /// The number of products of the vertical pass for one target row: a measure of the work.
  package var productsPerRow: Int { columns.count * pixels.bands * vertical.taps }

  /// The best number of target rows for one worker at a time: 4 or 8 if the vertical pass runs first.
  ///
  /// If the horizontal pass runs first, it filters source rows in groups of four, and the number is 4 to 64: as many
  /// target rows as depend on about eight source rows.
  package var rowsAtOnce: Int {
    guard isHorizontalFirst else { return integers == nil || premultiplies ? otherRowsAtOnce : 4 }
    let sources = sourceRows(of: 0..<geometry.targetHeight).count
    return max(4, min(64, 8 * geometry.targetHeight / sources))
  }

  /// The number of target rows that are computed together with `wide`, `premultiplied` or `floats`.
  var otherRowsAtOnce: Int {
    if wide != nil { return WidePlan.rows }
    return premultiplied != nil ? PremultipliedPlan.rows : FloatScratch.rows
  }

  /// Returns the greatest number of source rows that any `count` adjacent target rows need.
  package func mostSourceRows(of count: Int) -> Int {
    let height = geometry.targetHeight
    var most = 1
    for first in 0...max(0, height - count) {
      most = max(most, sourceRows(of: first..<min(first + count, height)).count)
    }
    return most
  }
}

/// The memory of one worker for resampling, allocated once.
final class ResampleScratch {
  /// The number of target rows that are computed together.
  static let rows = 4
  /// Returns the number of samples of a row that the vertical pass computes before it continues with the next row: a
  /// multiple of 128 and of two pixels. The source samples of a block stay in the first-level cache.
  private static func block(_ plan: ResamplePlan) -> Int {
    if plan.kernels.interleaveRows8 == nil { return 768 }
    return plan.pixels.bands == 3 ? 384 : 512
  }
  /// The blocks of 8-bit samples; empty if the horizontal pass runs first.
  let blocks: [IntegerBlock]
  /// The number of samples of a row of the vertical pass, a multiple of 128.
  let flatCount: Int
  /// The number of pixel pairs of the needed columns, an even number.
  let pairs: Int
  /// Addresses of rows of 16-bit samples: those of a block, or `flatCount` samples if the horizontal pass runs first.
  let flat: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of pair-interleaved rows.
  let paired: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of rows with four samples per target pixel: 16-bit ones if the horizontal pass runs first, else bytes.
  let quads: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The outputs of the horizontal pass: target rows, or `quads`.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The outputs of the vertical pass over a block.
  let blockOutputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// Addresses of pairs of source rows, if the vertical pass interleaves them.
  let rows: UnsafeMutablePointer<UnsafeRawPointer>
  /// For each target row, the index of its first pair or group of four source rows, and the index after its last.
  let ranges: UnsafeMutablePointer<Int32>
  /// Addresses of source rows that the next target rows need.
  let ahead: UnsafeMutablePointer<UnsafeRawPointer>
  var aheadCount = 0
  /// Addresses of the filtered source rows of one target row, at most `taps`.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// One row of lanes of the needed columns, followed by zeros for the padded taps of the last pixels. Empty unless
  /// sums need `Double` or the horizontal pass runs first in floating point.
  let lanes: UnsafeMutableRawPointer
  /// One target row in lanes.
  let sums: UnsafeMutableRawPointer
  let taps: Int
  /// The memory for floating point, created at the first use.
  private(set) lazy var floats = FloatScratch(plan)
  /// The memory for `ResamplePlan.wide`, created at the first use.
  private(set) lazy var wide = plan.wide.map { WideScratch(plan, $0) }
  /// The memory for `ResamplePlan.premultiplied`, created at the first use.
  private(set) lazy var premultiplied = plan.premultiplied.map { PremultipliedScratch(plan, $0) }

  private let plan: ResamplePlan
  private let memory: UnsafeMutableRawPointer

  init(_ plan: ResamplePlan) {
    self.plan = plan
    let columns = plan.columns.count
    flatCount = (columns * plan.pixels.bands + 127) & ~127
    pairs = ((columns + 1) / 2 + 1) & ~1
    taps = max(plan.integers?.vertical.taps ?? 0, plan.vertical.taps)
    let block = Self.block(plan)
    let flatSize = (plan.isHorizontalFirst ? flatCount : block) * 2 + 128
    let pairedSize = (pairs * 2 + (plan.integers?.horizontal.taps ?? 0)) * 8 + 256
    // A row has eight bytes per pixel if the horizontal pass runs first, otherwise four, and never fewer bytes than the
    // vertical pass writes.
    let quadSize = max(64, plan.geometry.targetWidth * (plan.isHorizontalFirst ? 8 : 4))
    let isInteger = plan.integers != nil
    let sizes = [isInteger ? flatSize : 0, isInteger ? pairedSize : 0, isInteger ? quadSize : 0].map { ($0 + 63) & ~63 }
    let needsLanes = plan.needsDouble || plan.isHorizontalFirst && !isInteger
    let lane = needsLanes ? MemoryLayout<SIMD4<Double>>.size : 0
    let laneSize = (columns + FloatPlan.paddedTaps(plan.horizontal)) * lane
    let sumSize = plan.geometry.targetWidth * lane + 256
    let size = Self.rows * sizes.reduce(0, +) + laneSize + sumSize + 128
    memory = .allocate(byteCount: size, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    blocks =
      isInteger && !plan.isHorizontalFirst
      ? IntegerBlock.blocks(plan, size: block, pairs: pairs, flatCount: flatCount) : []

    flat = .allocate(capacity: Self.rows)
    paired = .allocate(capacity: Self.rows)
    quads = .allocate(capacity: Self.rows)
    outputs = .allocate(capacity: Self.rows)
    blockOutputs = .allocate(capacity: Self.rows)
    blockOutputs.initialize(repeating: memory, count: Self.rows)
    ranges = .allocate(capacity: 2 * Self.rows)
    ranges.initialize(repeating: 0, count: 2 * Self.rows)
    let interleaved = plan.integers?.interleaved
    let most = (interleaved?.most(ofRows: Self.rows) ?? 0) * (interleaved?.rows ?? 0)
    rows = .allocate(capacity: most)
    rows.initialize(repeating: UnsafeRawPointer(memory), count: most)
    ahead = .allocate(capacity: most)
    ahead.initialize(repeating: UnsafeRawPointer(memory), count: most)
    sources = .allocate(capacity: taps)
    var next = memory
    for row in 0..<Self.rows {
      flat.advanced(by: row).initialize(to: UnsafeRawPointer(next))
      paired.advanced(by: row).initialize(to: UnsafeRawPointer(next + sizes[0]))
      quads.advanced(by: row).initialize(to: next + sizes[0] + sizes[1])
      outputs.advanced(by: row).initialize(to: next)
      next += sizes.reduce(0, +)
    }
    lanes = next
    sums = next + laneSize
    sources.initialize(repeating: UnsafeRawPointer(memory), count: taps)
  }

  /// Interleaved source rows of 8-bit samples, created when first needed; nil if the horizontal pass runs first, or if
  /// the vertical pass interleaves rows itself.
  private(set) lazy var interleaved: InterleavedRing? = {
    guard let weights = plan.integers?.interleaved, plan.kernels.interleaveRows8 != nil else { return nil }
    return InterleavedRing(
      rows: weights.rows, capacity: weights.most(ofRows: Self.rows), samples: flatCount, block: Self.block(plan))
  }()

  deinit {
    flat.deallocate()
    paired.deallocate()
    quads.deallocate()
    outputs.deallocate()
    blockOutputs.deallocate()
    ranges.deallocate()
    rows.deallocate()
    ahead.deallocate()
    sources.deallocate()
    memory.deallocate()
  }
}
