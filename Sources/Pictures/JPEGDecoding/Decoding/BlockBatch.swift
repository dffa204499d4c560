import JPEGTables

/// The coefficients of a few neighbouring MCUs, between entropy decoding and the inverse DCT. They fit into the
/// first-level cache.
final class BlockBatch {
  /// The maximum number of MCUs in a batch.
  let capacity: Int
  /// The decoding state. `EntropyBytes` must start a segment before the first MCU is decoded.
  var state: EntropyState
  /// Whether the next MCUs are entropy-decoded but not transformed.
  var skips = false { didSet { state.dcOnlyCount = skips ? state.blockCount : dcOnlyCount } }
  private let dcOnlyCount: Int
  private let kernels: JPEGKernels
  private let geometry: FrameGeometry
  /// The rows of blocks in an MCU, ordered by component, and within a component from the top down.
  private let rows: [Row]
  private let quantisation: [UnsafeMutablePointer<UInt32>]
  private let tables: [(DCTable, ACTable)]
  private let blocks: UnsafeMutablePointer<BlockState>
  private let predictions: UnsafeMutablePointer<Int32>

  private struct Row {
    /// The number of blocks of the row in an MCU.
    let across: Int
    /// The number of samples of a block across and down.
    let blockSize: Int
    /// The coefficients of `capacity` MCUs; only the DC coefficients if each block becomes a single sample.
    let coefficients: UnsafeMutableRawPointer
    let lasts: UnsafeMutablePointer<UInt8>
    /// The address of the first sample of the first block, and the distance between rows of samples.
    let output: UnsafeMutablePointer<UInt8>
    let stride: Int
    let mcuRowByteCount: Int
  }

  /// - Parameters:
  ///   - setup: the data of the scan; its components must outlive this object.
  ///   - bytes: the entropy-coded bytes: `EntropyBytes.base`.
  init(_ setup: ScanSetup, bytes: UnsafeRawPointer) {
    let (geometry, tables, components) = (setup.geometry, setup.tables, setup.components)
    self.tables = tables
    self.kernels = setup.kernels
    self.geometry = geometry
    let perMCU = geometry.blocksPerMCU
    let capacity = max(48 / perMCU, 1)
    self.capacity = capacity
    predictions = .allocate(capacity: geometry.components.count)
    predictions.initialize(repeating: 0, count: geometry.components.count)
    quantisation = setup.frame.components.map { Zigzag.steps($0.quantisation) }
    blocks = .allocate(capacity: perMCU)
    var rows: [Row] = []
    var index = 0
    for (component, shape) in geometry.components.enumerated() {
      let blockByteCount = shape.blockSize == 1 ? 2 : 128
      for down in 0..<shape.verticalSampling {
        let count = capacity * shape.horizontalSampling
        let row = Row(
          across: shape.horizontalSampling, blockSize: shape.blockSize,
          coefficients: .allocate(byteCount: count * blockByteCount + 256, alignment: 64),
          lasts: .allocate(capacity: count),
          output: components[component].row(down * shape.blockSize),
          stride: components[component].stride,
          mcuRowByteCount: components[component].mcuRowByteCount)
        row.lasts.initialize(repeating: 0, count: count)
        rows.append(row)
        for across in 0..<shape.horizontalSampling {
          (blocks + index).initialize(
            to: BlockState(
              tables: HuffmanPointers(tables[component].0, tables[component].1),
              steps: quantisation[component], component: component,
              output: row.coefficients + across * blockByteCount,
              pitch: row.across * blockByteCount, lasts: row.lasts + across,
              lastsPitch: row.across))
          index += 1
        }
      }
    }
    self.rows = rows
    dcOnlyCount = geometry.components.reduce(0) {
      $0 + ($1.blockSize == 1 ? $1.blocksPerMCU : 0)
    }
    state = EntropyState(
      bytes: bytes, blocks: blocks, blockCount: perMCU,
      dcOnlyCount: dcOnlyCount, predictions: predictions)
  }

  /// Creates the look-up tables of each component; nil if libjpeg does not accept the Huffman codes.
  ///
  /// - Parameter skips: whether some blocks will only be entropy-decoded.
  static func tables(_ frame: BaselineFrame, _ geometry: FrameGeometry, skips: Bool) -> [(DCTable, ACTable)]? {
    var tables: [(DCTable, ACTable)] = []
    for (index, part) in frame.components.enumerated() {
      // Cb and Cr nearly always have the same tables, so they can share them.
      if index == 2, part == frame.components[1] {
        tables.append(tables[1])
        continue
      }
      guard let dc = DCTable(part.dc, before: part.ac) else { return nil }
      let ac = ACTable(
        part.ac, largestStep: Int(part.quantisation.max() ?? 1),
        skips: skips || geometry.components[index].blockSize == 1)
      tables.append((dc, ac))
    }
    return tables
  }

  deinit {
    for row in rows {
      row.coefficients.deallocate()
      row.lasts.deallocate()
    }
    for steps in quantisation { steps.deallocate() }
    blocks.deallocate()
    predictions.deallocate()
  }

  /// Resets the DC predictions, as at the start of a scan and of each restart interval (T.81, F.2.1.3.1).
  func resetPredictions() { predictions.update(repeating: 0, count: geometry.components.count) }

  /// Decodes up to `count` MCUs into the batch, beginning at index `first`; see `JPEGKernelsBaseline.decodeMCUs`.
  func decode(_ first: Int, _ count: Int) -> Int { kernels.decodeMCUs(&state, first, count) }

  /// Transforms the first `count` MCUs of the batch to samples, which are written to MCU row `mcuRow` of the band, from
  /// its MCU `mcu` on.
  func transform(_ count: Int, at mcu: Int, of mcuRow: Int) {
    for row in rows {
      let total = count * row.across
      let output = row.output + mcuRow * row.mcuRowByteCount + mcu * row.across * row.blockSize
      switch row.blockSize {
      case 8: kernels.inverseDCT8(row.coefficients, row.lasts, total, output, row.stride)
      case 4: kernels.inverseDCT4(row.coefficients, row.lasts, total, output, row.stride)
      case 2: kernels.inverseDCT2(row.coefficients, row.lasts, total, output, row.stride)
      default:
        kernels.inverseDCT1(row.coefficients.assumingMemoryBound(to: Int16.self), total, output)
      }
    }
  }
}

/// The zigzag sequence: the order of a block's coefficients in the file (T.81, figure A.6).
private enum Zigzag {
  /// For each index of the zigzag sequence, the coefficient's index in row-major order.
  static let order: [Int] = {
    // The sequence runs along diagonals, from the upper left, in alternating directions.
    (0..<15).flatMap { sum in
      let rows = (max(0, sum - 7)...min(sum, 7))
      let diagonal = rows.map { $0 * 8 + sum - $0 }
      return sum % 2 == 0 ? diagonal.reversed() : diagonal
    }
  }()

  /// Creates the table for `BlockState.steps`, which the caller deallocates.
  ///
  /// - Parameter quantisation: 64 elements in row-major order.
  static func steps(_ quantisation: [UInt16]) -> UnsafeMutablePointer<UInt32> {
    let steps = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
    // Indices beyond the block occur at an end of block (EOB), and in invalid files. They refer to the two bytes after
    // the block, and have step 0.
    steps.initialize(repeating: 128 << 16, count: 256)
    for (index, place) in order.enumerated() {
      steps[index] = UInt32(place * 2) << 16 | UInt32(quantisation[place])
    }
    return steps
  }
}
