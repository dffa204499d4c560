/// The memory of one worker for resampling, allocated once.
final class ResampleScratch {
  /// The number of target rows that are computed together.
  static let rows = 4
  /// Returns the number of samples that the vertical pass computes of each row before it continues with the next, a
  /// multiple of 128 and of two pixels: their source, if it is interleaved before, fits into the first-level cache.
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
  /// Addresses of 16-bit rows: of a block's samples, or of `flatCount` samples if the horizontal pass runs first.
  let flat: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of pair-interleaved rows.
  let paired: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of rows with four bytes per target pixel.
  let quads: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The outputs of the horizontal pass: target rows, or `quads`.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The outputs of the vertical pass over a block.
  let blockOutputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// Addresses of pairs of source rows, if the vertical pass interleaves them.
  let rows: UnsafeMutablePointer<UnsafeRawPointer>
  /// For each target row, its first pair or group of four source rows, and the end.
  let ranges: UnsafeMutablePointer<Int32>
  /// Addresses of source rows that the next target rows need.
  let ahead: UnsafeMutablePointer<UnsafeRawPointer>
  var aheadCount = 0
  /// Addresses of filtered rows: `taps` for each target row.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// One row of lanes of the needed columns, followed by zeros that the padded taps of the last pixels read; empty
  /// unless the horizontal pass runs first or sums need `Double`.
  let lanes: UnsafeMutableRawPointer
  /// One row of the target's lanes.
  let sums: UnsafeMutableRawPointer
  let taps: Int
  /// The memory for floating point, created at the first use.
  private(set) lazy var floats = FloatScratch(plan)
  private var wideMemory: WideScratch?
  private var premultipliedMemory: PremultipliedScratch?

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
    // The size is eight bytes per pixel if the horizontal pass runs first, and never less than the vertical pass
    // writes.
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

  /// Interleaved source rows of 8-bit samples, created when first needed; nil if the horizontal pass runs first, and if
  /// the vertical pass interleaves rows itself.
  private(set) lazy var interleaved: InterleavedRing? = {
    guard let weights = plan.integers?.interleaved, plan.kernels.interleaveRows8 != nil else { return nil }
    return InterleavedRing(
      rows: weights.rows, capacity: weights.most(ofRows: Self.rows), samples: flatCount, block: Self.block(plan))
  }()

  /// Returns the memory for 16-bit samples without alpha, created at the first call.
  func memory(for wide: WidePlan) -> WideScratch {
    if let wideMemory { return wideMemory }
    let memory = WideScratch(plan, wide)
    wideMemory = memory
    return memory
  }

  /// Returns the memory for 8-bit pixels with alpha in integers, created at the first call.
  func memory(for premultiplied: PremultipliedPlan) -> PremultipliedScratch {
    if let premultipliedMemory { return premultipliedMemory }
    let memory = PremultipliedScratch(plan, premultiplied)
    premultipliedMemory = memory
    return memory
  }

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
