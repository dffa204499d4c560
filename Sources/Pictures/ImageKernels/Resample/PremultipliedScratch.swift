/// Memory that one worker needs while it resamples 8-bit pixels of four bands with alpha in integers.
final class PremultipliedScratch {
  /// Samples that the vertical pass makes of each row before the horizontal one takes them: the products of their
  /// source rows, some 40, fit the first-level cache.
  private static let block = 128

  let blocks: [IntegerBlock]
  /// Addresses of the source rows that target rows are made of, pair by pair.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of room for a block's products of each pair of source rows.
  let products: UnsafeMutablePointer<UnsafeRawPointer>
  /// For each target row, the first of its pairs and the end.
  let ranges: UnsafeMutablePointer<Int32>
  /// Addresses of rows after the vertical pass, pixels two by two; zeros that the last pixels' padded taps reach.
  let rows: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of rows of lanes of the target, with room for a multiple of 4 pixels.
  let lanes: [UnsafeMutableRawPointer]
  /// The outputs of the vertical pass over a block, in `rows`.
  let blockOutputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The outputs of the horizontal pass, in `lanes`.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// Four pixels.
  let quads: UnsafeMutableRawPointer
  private let memory: UnsafeMutableRawPointer

  init(_ plan: ResamplePlan, _ premultiplied: PremultipliedPlan) {
    let count = PremultipliedPlan.rows
    let columns = plan.columns.count
    let flatCount = (columns * 4 + 127) & ~127
    let pairs = ((columns + 1) / 2 + 1) & ~1
    blocks = IntegerBlock.blocks(plan, size: Self.block, pairs: pairs, flatCount: flatCount)
    // An odd number of cache lines, as rows that are a power of 2 apart compete for the same places.
    let pairSize = Self.block * 4 + 64
    let rowSize = (((pairs * 2 + premultiplied.horizontal.taps) * 8 + 256) / 64 | 1) * 64
    let laneSize = ((plan.geometry.targetWidth + 3) & ~3) * 16 + 63 & ~63
    let most = premultiplied.vertical.most(ofRows: count)
    let productSize = most * pairSize
    let size = productSize + count * (rowSize + laneSize) + 64
    memory = .allocate(byteCount: size, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    products = .allocate(capacity: most)
    for pair in 0..<most {
      products.advanced(by: pair).initialize(to: UnsafeRawPointer(memory + pair * pairSize))
    }
    sources = .allocate(capacity: 2 * most)
    sources.initialize(repeating: UnsafeRawPointer(memory), count: 2 * most)
    ranges = .allocate(capacity: 2 * count)
    ranges.initialize(repeating: 0, count: 2 * count)
    rows = .allocate(capacity: count)
    blockOutputs = .allocate(capacity: count)
    blockOutputs.initialize(repeating: memory, count: count)
    outputs = .allocate(capacity: count)
    outputs.initialize(repeating: memory, count: count)
    var next = memory + productSize
    for row in 0..<count {
      rows.advanced(by: row).initialize(to: UnsafeRawPointer(next))
      next += rowSize
    }
    let first = next
    lanes = (0..<count).map { first + $0 * laneSize }
    quads = first + count * laneSize
  }

  deinit {
    sources.deallocate()
    products.deallocate()
    ranges.deallocate()
    blockOutputs.deallocate()
    rows.deallocate()
    outputs.deallocate()
    memory.deallocate()
  }
}
