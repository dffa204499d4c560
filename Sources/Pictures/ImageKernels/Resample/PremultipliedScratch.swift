/// The memory of one worker for resampling 8-bit pixels of four bands with alpha in integers.
final class PremultipliedScratch {
  /// The number of samples that the vertical pass computes of each row before the horizontal one uses them: the
  /// products of about 40 source rows fit into the first-level cache.
  private static let block = 128

  let blocks: [IntegerBlock]
  /// Addresses of the source rows of target rows, in pairs.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of room for a block's products of each pair of source rows.
  let products: UnsafeMutablePointer<UnsafeRawPointer>
  /// For each target row, the first of its pairs, and the end.
  let ranges: UnsafeMutablePointer<Int32>
  /// Addresses of rows after the vertical pass, with pixels in pairs, followed by zeros that the padded taps of the
  /// last pixels read.
  let rows: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of the target's rows of lanes, with room for a multiple of 4 pixels.
  let lanes: [UnsafeMutableRawPointer]
  /// The outputs of the vertical pass over a block, in `rows`.
  let blockOutputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The outputs of the horizontal pass, in `lanes`.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// Room for four pixels.
  let quads: UnsafeMutableRawPointer
  private let memory: UnsafeMutableRawPointer

  init(_ plan: ResamplePlan, _ premultiplied: PremultipliedPlan) {
    let count = PremultipliedPlan.rows
    let columns = plan.columns.count
    let flatCount = (columns * 4 + 127) & ~127
    let pairs = ((columns + 1) / 2 + 1) & ~1
    blocks = IntegerBlock.blocks(plan, size: Self.block, pairs: pairs, flatCount: flatCount)
    // The size is an odd number of cache lines, because rows at distances of a power of 2 compete for the same cache
    // sets.
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
