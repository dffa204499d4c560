import CKernels

/// The plan of resampling 16-bit samples without alpha in floats, eight target rows at a time. The vertical pass runs
/// first.
struct WidePlan: Sendable {
  /// The number of target rows that are computed together.
  static let rows = 8
  private static let step = 4

  private let horizontal: WideWeights
  private let vertical: WideWeights
  /// The first source column of each target column, counted from `origin`.
  private let starts: [Int32]
  private let bands: Int

  /// Makes a plan; nil if either axis has no `WideWeights`.
  ///
  /// - Parameter origin: the source column at which a row begins.
  init?(_ horizontal: ResampleAxis, _ vertical: ResampleAxis, bands: Int, origin: Int) {
    guard let across = WideWeights(horizontal, multiple: Self.step), let down = WideWeights(vertical, multiple: 1)
    else { return nil }
    self.horizontal = across
    self.vertical = down
    self.bands = bands
    starts = horizontal.starts.map { Int32($0 - origin) }
  }

  /// The number of bytes of one sample from each of `rows` interleaved rows of floats.
  static let laneSize = rows * 4

  /// The number of taps of the horizontal pass.
  var paddedTaps: Int { horizontal.taps }

  /// Returns the blocks of a row of `rowCount` samples, with at most `size` samples each.
  ///
  /// - Parameter most: the number of blocks after which samples that are still needed are moved to the start of the
  ///   buffer, `WideScratch.lanes`.
  func blocks(of rowCount: Int, _ size: Int, held most: Int) -> [WideBlock] {
    var blocks: [WideBlock] = []
    // These are the first pixel in the buffer, the number of samples in the buffer, and the number of finished columns.
    var (origin, held, finished) = (0, 0, 0)
    for offset in stride(from: 0, to: rowCount, by: size) {
      let count = min(size, rowCount - offset)
      let place = held
      held += count
      let end = origin + held / bands
      if offset + count == rowCount { finished = starts.count }
      while finished < starts.count, Int(starts[finished]) + horizontal.taps <= end { finished += 1 }
      let next = finished < starts.count ? min(Int(starts[finished]), end) : end
      let isFull = held >= most * size
      blocks.append(
        WideBlock(
          offset: offset, count: count, place: place, origin: origin, finished: finished,
          moved: isFull ? (next - origin) * bands..<held : 0..<0))
      if isFull { (origin, held) = (next, held - (next - origin) * bands) }
    }
    return blocks
  }

  /// Runs the vertical pass over a block of columns.
  ///
  /// - Parameters:
  ///   - targets: at most `rows` target rows. Their source rows and ranges are in `memory.sources` and `memory.ranges`.
  ///   - offset: the number of bytes from the rows' addresses to the first sample.
  ///   - count: the number of samples, a multiple of 64.
  ///   - ahead: the bytes to prefetch.
  func filterRows(
    _ kernels: ResampleKernels, _ targets: Range<Int>, offset: Int, count: Int,
    _ memory: WideScratch, into output: UnsafeMutableRawPointer, ahead: SourceBytes
  ) {
    vertical.weights.withUnsafeBufferPointer { weights in
      guard let base = weights.baseAddress else { return }
      var pass = VerticalPassIntoFloats(
        rows: memory.sources, offset: offset, count: count, ranges: memory.ranges,
        weights: base + targets.lowerBound * vertical.taps, taps: vertical.taps,
        targets: targets.count, output: memory.sums, stride: count * 4, interleaved: output,
        ahead: ahead.rows, aheadCount: ahead.count, aheadFirst: ahead.bytes.lowerBound,
        aheadEnd: ahead.bytes.upperBound)
      kernels.filterWideRows(&pass)
    }
  }

  /// Runs the horizontal pass for some target columns.
  ///
  /// - Parameters:
  ///   - lanes: eight interleaved rows, starting at source column `origin`.
  ///   - samples: eight interleaved target rows.
  func filterPixels(
    _ kernels: ResampleKernels, _ columns: Range<Int>, _ lanes: UnsafeRawPointer, origin: Int,
    into samples: UnsafeMutableRawPointer
  ) {
    starts.withUnsafeBufferPointer { starts in
      horizontal.weights.withUnsafeBufferPointer { weights in
        guard let first = starts.baseAddress, let base = weights.baseAddress else { return }
        var pass = HorizontalPassOfEight(
          lanes: lanes, bands: bands, origin: origin, starts: first, weights: base,
          taps: horizontal.taps, first: columns.lowerBound, count: columns.count,
          output: samples)
        kernels.filterEightRows16(&pass)
      }
    }
  }
}

/// The weights of one axis for 16-bit samples without alpha. They are floats that are multiples of 2^-24, so products
/// and sums are exact in a `Double`. Processors without fused operations can thus round each step once, too.
struct WideWeights: Sendable {
  /// The number of weights of a target sample, including zeros at the end.
  let taps: Int
  let weights: [Float]

  /// Makes weights; nil if a weight would need more bits than `Float` has, or sums might be too large.
  ///
  /// - Parameter multiple: a divisor of `taps`.
  init?(_ axis: ResampleAxis, multiple: Int) {
    guard axis.gain < 1.95, axis.largestWeight <= 1 else { return nil }
    let taps = (axis.taps + multiple - 1) / multiple * multiple
    self.taps = taps
    weights = [Float](unsafeUninitializedCapacity: axis.count * taps) { weights, known in
      known = axis.count * taps
      weights.initialize(repeating: 0)
      guard let first = weights.baseAddress else { return }
      axis.weights.withUnsafeBufferPointer { exact in
        for index in 0..<axis.count {
          let own = first + index * taps
          if let twin = axis.twin(of: index) {
            own.update(from: first + twin * taps, count: taps)
            continue
          }
          var (sum, rounded) = (0.0, 0.0)
          for k in 0..<axis.tapCounts[index] {
            // The running total is rounded, so each weight absorbs the rounding error of the previous one.
            sum += exact[index * axis.taps + k]
            let isLast = k == axis.tapCounts[index] - 1
            let total = isLast ? 1 : (sum + Self.rounding) - Self.rounding
            own[k] = Float(total - rounded)
            rounded = total
          }
        }
      }
    }
  }

  /// Adding and then subtracting this number rounds to multiples of 2^-24, the last bit of a `Double` from 2^28 to
  /// 2^29.
  private static let rounding = 402_653_184.0
}

/// The memory of one worker for resampling 16-bit samples without alpha.
final class WideScratch {
  /// The number of samples of a block, which the vertical pass computes before the horizontal pass uses them. It is a
  /// multiple of 64. About 40 source rows of this length fit into the first-level cache.
  static let block = 256
  /// The number of blocks whose source samples are prefetched together, as long pieces of source rows.
  private static let stage = 4
  /// The number of blocks after which samples that are still needed are moved to the start of `lanes`.
  private static let blocksHeld = 3

  let blocks: [WideBlock]
  /// The number of samples of a row, a multiple of 64.
  private let rowCount: Int
  /// Addresses of the source rows of `WidePlan.rows` target rows.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// The range in `sources` of rows that have not been read before.
  var fresh = 0..<0
  /// Addresses of source rows of the next target rows that are available but have not been read.
  let nextSources: UnsafeMutablePointer<UnsafeRawPointer>
  var nextCount = 0
  /// For each target row, the index in `sources` of its first source row, and the index after its last one.
  let ranges: UnsafeMutablePointer<Int32>
  /// A block of the target rows after the vertical pass.
  let sums: UnsafeMutableRawPointer
  /// Several interleaved blocks, followed by finite numbers, which are multiplied by the zero weights of padded taps.
  let lanes: UnsafeMutableRawPointer
  /// Interleaved target rows.
  let samples: UnsafeMutableRawPointer
  /// The addresses of eight target rows; `spare` takes the place of missing rows if there are fewer.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// A row whose content is not used.
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

  /// Returns the bytes to prefetch while a block is computed. The blocks are divided into stages of `stage` blocks, and
  /// each block of a stage prefetches an equal part of the next stage. In the last stage, the parts are from the first
  /// stage of the next target rows.
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
  /// The range of bytes, counted from the address of each row.
  let bytes: Range<Int>
}

/// A block of samples of a row between the vertical and the horizontal pass.
struct WideBlock: Sendable {
  /// The first sample, and the number of samples.
  let offset: Int
  let count: Int
  /// The number of samples before this block in the buffer, `WideScratch.lanes`.
  let place: Int
  /// The pixel at which the buffer begins.
  let origin: Int
  /// The first target column that cannot be completed with this block.
  let finished: Int
  /// The samples that are moved to the start of the buffer after this block.
  let moved: Range<Int>
}

/// The conversion of 8-bit samples to 16-bit samples of the same value.
enum Widening {
  static func widen(
    _ input: UnsafeRawPointer, count: Int, into output: UnsafeMutableRawPointer
  ) {
    var i = 0
    while i + 16 <= count {
      let samples = (input + i).loadUnaligned(as: SIMD16<UInt8>.self)
      (output + 2 * i).storeBytes(of: SIMD16<UInt16>(truncatingIfNeeded: samples), as: SIMD16<UInt16>.self)
      i += 16
    }
    while i < count {
      let sample = UInt16(input.load(fromByteOffset: i, as: UInt8.self))
      output.storeBytes(of: sample, toByteOffset: 2 * i, as: UInt16.self)
      i += 1
    }
  }
}
