/// Memory that one worker needs while it resamples 16-bit samples without alpha.
final class WideScratch {
  /// Samples that the vertical pass makes of each row before the horizontal one takes them, a multiple of 64:
  /// their source rows, some 40, fit the first-level cache.
  static let block = 256
  /// Blocks whose source is fetched together, so that it comes in long pieces.
  private static let stage = 4
  /// Blocks after which the left-over samples go back to the beginning.
  private static let blocksHeld = 3

  /// The steps through a row.
  let blocks: [WideBlock]
  /// Samples of a row, a multiple of 64.
  private let rowCount: Int
  /// Addresses of source rows, those of `WidePlan.rows` target rows.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// The part of `sources` that has not been read before.
  var fresh = 0..<0
  /// Addresses of those source rows of the next target rows that are known and have not been read.
  let nextSources: UnsafeMutablePointer<UnsafeRawPointer>
  var nextCount = 0
  /// For each target row, the first of its `sources` and the end.
  let ranges: UnsafeMutablePointer<Int32>
  /// A block of the target rows after the vertical pass.
  let sums: UnsafeMutableRawPointer
  /// The same interleaved, several blocks, and finite numbers that padded taps reach.
  let lanes: UnsafeMutableRawPointer
  /// Interleaved target rows.
  let samples: UnsafeMutableRawPointer
  /// The outputs: target rows, and `spare`.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// A target row that nobody reads.
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

  /// The bytes to prefetch while a block is made: a share of the next stage; in the last stage, a share of the next target
  /// rows' first one.
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

/// The same bytes of some source rows.
struct SourceBytes {
  let rows: UnsafePointer<UnsafeRawPointer>
  let count: Int
  /// From a row's address.
  let bytes: Range<Int>
}

/// A block of samples of a row between the vertical and the horizontal pass.
struct WideBlock: Sendable {
  /// The first sample, and how many.
  let offset: Int
  let count: Int
  /// The block's place among the samples that are held.
  let place: Int
  /// The pixel that these begin with.
  let origin: Int
  /// The target columns before this one can be made then.
  let finished: Int
  /// Held samples that then go to the beginning.
  let moved: Range<Int>
}
