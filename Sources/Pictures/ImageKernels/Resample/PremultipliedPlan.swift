import CKernels

/// The plan of resampling 8-bit pixels of four bands with alpha in integers. Products of colour and alpha are halved to
/// fit into 15 bits. The vertical pass runs first. The sums of the horizontal pass are converted to floats, and colours
/// are then divided by alpha.
struct PremultipliedPlan: Sendable {
  /// The number of target rows that are computed together.
  static let rows = 8
  /// The number that the first pass subtracts from its sums of products: the middle of 0...32,512. With it, an
  /// overshoot by a factor of 2 fits into a signed 16-bit number.
  static let middle = 16_256
  /// A limit for alpha: lower values round to 0 whether alpha is computed in integers or in floating point.
  static let unseen: Float = 0.25

  let horizontal: IntegerWeights
  /// The weights of pairs of rows.
  let vertical: InterleavedWeights
  let verticalShift: Int
  /// The factor and the offset for the sums of the second pass: `scale × sum + offset` is the product of colour and
  /// alpha, divided by 255. The offset includes the 1/4 that a product loses on average when it is halved.
  let scale: Float
  let offset: Float
  /// The alpha, on a scale of 255, below which pixels are computed in floating point, because the error of colours
  /// could reach 0.9 of a level.
  let leastAlpha: Float

  /// Makes a plan; nil for enlarging, where floating point is less work, or if sums might overflow, or if too many
  /// pixels would have to be computed again in floating point.
  init?(_ horizontal: ResampleAxis, _ vertical: ResampleAxis, columns: Range<Int>, pixelsTogether: Int) {
    let (gainX, gainY) = (horizontal.gain, vertical.gain)
    let largest = Double(Self.middle) * gainX * gainY
    let sources = vertical.sources(of: 0..<vertical.count).count * columns.count
    guard horizontal.count * vertical.count <= sources, gainY < 1.99, largest < 65_000 else { return nil }
    var shift = 16
    while largest * Double(1 << shift) > 2_140_000_000 { shift -= 1 }
    let down = IntegerWeights(vertical, origin: 0, alignment: 1, multiple: 2, largestShift: 16)
    let across = IntegerWeights(
      horizontal, origin: columns.lowerBound, alignment: 2, multiple: 4,
      together: pixelsTogether, largestShift: shift)
    self.horizontal = across
    self.vertical = InterleavedWeights(vertical, down, rows: 2)
    verticalShift = down.shift
    let unit = 1 / 127.5
    scale = Float(unit / Double(1 << across.shift))
    offset = Float((Double(Self.middle) + 0.25) * unit)
    // The largest error of a sum is the total of the errors from halving, from the weights and rounding of the first
    // pass, and from the weights of the second pass. The errors of the weights of a target sample add up to 0, so only
    // the distance of a product from the middle matters.
    let halving = 0.25 * gainX * gainY
    let first = Double(Self.middle) * down.absoluteError + 0.5
    let second = Double(Self.middle) * across.absoluteError
    let error = (halving + first * gainX + second * gainY) * unit
    // A colour is 255 times the quotient of two such sums, so it has the errors of both.
    let least = 2 * 255 * error / 0.9
    guard least < 64 else { return nil }
    leastAlpha = Float(least)
  }

  /// Runs the horizontal pass for target columns `columns`, and advances the addresses in `outputs` past them.
  func filterPixels(
    _ kernels: ResampleKernels, _ columns: Range<Int>, _ rows: RowAddresses,
    count: Int, into outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  ) {
    horizontal.starts.withUnsafeBufferPointer { starts in
      horizontal.coefficients.withUnsafeBufferPointer { coefficients in
        guard let starts = starts.baseAddress, let base = coefficients.baseAddress else { return }
        var pass = HorizontalPass(
          rows: rows, outputs: outputs, rowCount: count, starts: starts + columns.lowerBound,
          coefficients: base + columns.lowerBound * horizontal.taps, taps: horizontal.taps,
          count: columns.count, shift: 0, step: 16, scale: scale, middle: offset)
        kernels.filterPixelsIntoLanes(&pass)
      }
    }
    for row in 0..<count { outputs[row] += columns.count * 16 }
  }
}

/// The memory of one worker for resampling 8-bit pixels of four bands with alpha in integers.
final class PremultipliedScratch {
  /// The number of samples of a block, which the vertical pass computes before the horizontal pass uses them. The
  /// products of about 40 source rows of a block fit into the first-level cache.
  private static let block = 128

  let blocks: [IntegerBlock]
  /// Addresses of the source rows of target rows, in pairs.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  /// For each pair of source rows, the address of memory for the products of a block.
  let products: UnsafeMutablePointer<UnsafeRawPointer>
  /// For each target row, the index of its first pair, and the index after its last pair.
  let ranges: UnsafeMutablePointer<Int32>
  /// Addresses of rows after the vertical pass, with pixels in pairs, followed by zeros for the padded taps of the last
  /// pixels.
  let rows: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of target rows in lanes, with room for a multiple of 4 pixels.
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
    // `pairSize` and `rowSize` are odd numbers of cache lines, because rows at distances of a power of 2 compete for
    // the same cache sets.
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

enum Opacity {
  /// Returns whether all pixels in `columns` of an 8-bit row are opaque; they have 2 or 4 bands, the last of them
  /// alpha.
  static func isOpaque(_ row: UnsafeRawPointer, pixels: ResamplePixels, columns: Range<Int>) -> Bool {
    let bands = pixels.bands
    let start = row + columns.lowerBound * bands
    let byteCount = columns.count * bands
    let block = MemoryLayout<SIMD64<UInt8>>.size
    // The mask selects the bytes that are alpha, in native byte order.
    let mask = (bands == 4 ? 0xff00_0000_ff00_0000 : 0xff00_ff00_ff00_ff00 as UInt64).littleEndian
    var offset = 0
    while offset + block <= byteCount {
      // The row is checked in parts. The first part is small, because rows with transparency often begin with it.
      let end = min(byteCount, offset + (offset == 0 ? 1 : 16) * block)
      var all = SIMD8<UInt64>(repeating: .max)
      while offset + block <= end {
        all &= (start + offset).loadUnaligned(as: SIMD8<UInt64>.self)
        offset += block
      }
      for part in 0..<8 where all[part] & mask != mask { return false }
    }
    while offset < byteCount {
      guard start.load(fromByteOffset: offset + bands - 1, as: UInt8.self) == 255 else { return false }
      offset += bands
    }
    return true
  }
}
