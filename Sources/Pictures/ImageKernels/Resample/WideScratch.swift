/// The memory of one worker for resampling 16-bit samples without alpha.
final class WideScratch {
  /// The number of samples that the vertical pass computes of each row before the horizontal one uses them, a multiple
  /// of 64: about 40 source rows of this length fit into the first-level cache.
  static let block = 256
  /// The number of blocks whose source is prefetched together, so that it is read in long pieces.
  private static let stage = 4
  /// The number of blocks after which the remaining samples move to the beginning.
  private static let blocksHeld = 3

  /// The blocks of a row.
  let blocks: [WideBlock]
  /// The number of samples of a row, a multiple of 64.
  private let rowCount: Int
  /// Addresses of the source rows of `WidePlan.rows` target rows.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// The range in `sources` of rows that have not been read before.
  var fresh = 0..<0
  /// Addresses of source rows of the next target rows that are known but have not been read.
  let nextSources: UnsafeMutablePointer<UnsafeRawPointer>
  var nextCount = 0
  /// For each target row, the first of its `sources`, and the end.
  let ranges: UnsafeMutablePointer<Int32>
  /// A block of the target rows after the vertical pass.
  let sums: UnsafeMutableRawPointer
  /// Several interleaved blocks, followed by finite numbers that padded taps read.
  let lanes: UnsafeMutableRawPointer
  /// Interleaved target rows.
  let samples: UnsafeMutableRawPointer
  /// The outputs: target rows, and `spare`.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// An unused target row.
  let spare: UnsafeMutableRawPointer
  private let memory: UnsafeMutableRawPointer

  init(_ plan: ResamplePlan, _ wide: WidePlan) {
    let (bands, rows) = (plan.pixels.bands, WidePlan.rows)
    rowCount = (plan.columns.count * bands + 63) & ~63
    blocks = wide.blocks(of: rowCount, Self.block, held: Self.blocksHeld)
    let most = plan.mostSourceRows(of: rows)
    let held = blocks.reduce(0) { max($0, $1.place + $1.count) } + wide.paddedTaps * bands
    let targetSamples = plan.geometry.targetWidth * bands
    let sizes = [
      Self.block * WidePlan.laneSize, held * WidePlan.laneSize, targetSamples * rows * 2,
      targetSamples * 2,
    ].map { ($0 + 63) & ~63 }
    let size = sizes.reduce(0, +)
    memory = .allocate(byteCount: size, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    sums = memory
    lanes = sums + sizes[0]
    samples = lanes + sizes[1]
    spare = samples + sizes[2]
    sources = .allocate(capacity: most)
    sources.initialize(repeating: UnsafeRawPointer(memory), count: most)
    nextSources = .allocate(capacity: most)
    nextSources.initialize(repeating: UnsafeRawPointer(memory), count: most)
    ranges = .allocate(capacity: 2 * rows)
    ranges.initialize(repeating: 0, count: 2 * rows)
    outputs = .allocate(capacity: rows)
    outputs.initialize(repeating: spare, count: rows)
  }

  deinit {
    sources.deallocate()
    nextSources.deallocate()
    ranges.deallocate()
    outputs.deallocate()
    memory.deallocate()
  }

  /// Returns the bytes to prefetch while a block is computed: a share of the next stage, or in the last stage, a share
  /// of the first stage of the next target rows.
  func ahead(of block: WideBlock) -> SourceBytes {
    let samples = Self.stage * Self.block
    let here = block.offset / samples * samples
    let share = (block.offset - here) / Self.block
    let shares = min(Self.stage, (rowCount - here + Self.block - 1) / Self.block)
    let isLast = here + samples >= rowCount
    let all = isLast ? nextCount : fresh.count
    let own = all * share / shares..<all * (share + 1) / shares
    let first = isLast ? 0 : here + samples
    return SourceBytes(
      rows: (isLast ? nextSources : sources + fresh.lowerBound) + own.lowerBound,
      count: own.count, bytes: first * 2..<min(first + samples, rowCount) * 2)
  }
}

/// A range of bytes in several source rows.
struct SourceBytes {
  let rows: UnsafePointer<UnsafeRawPointer>
  let count: Int
  /// The range, counted from a row's address.
  let bytes: Range<Int>
}

/// A block of samples of a row between the vertical and the horizontal pass.
struct WideBlock: Sendable {
  /// The first sample, and the number of samples.
  let offset: Int
  let count: Int
  /// The block's position among the samples that are held.
  let place: Int
  /// The pixel at which the held samples begin.
  let origin: Int
  /// The target columns before this one can be completed with the block.
  let finished: Int
  /// The held samples that move to the beginning after the block.
  let moved: Range<Int>
}
