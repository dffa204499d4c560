/// The state that the entropy decoder of one scan keeps between calls: its position in the bytes, and the destinations
/// of an MCU's blocks.
///
/// It has only plain pointers, so that a kernel can be compiled once per instruction set. Its creator owns the memory
/// behind them. A state is used on one thread at a time.
public struct EntropyState {
  /// Entropy-coded bytes without the zero stuffed after each 0xFF (T.81, B.1.1.5).
  public var bytes: UnsafeRawPointer
  /// The next byte to load into `bits`.
  public var next: UnsafeRawPointer
  /// An MCU is only started while `next` does not exceed this address. From this address on, `longestMCU` + 16 bytes
  /// must be readable.
  public var limit: UnsafeRawPointer
  /// The loaded bits, from the highest down.
  public var bits: UInt64
  /// The number of loaded bits in `bits`. The bits below them are a copy of those at `next`, or zero.
  public var count: Int
  /// The blocks of an MCU in the order of the scan.
  public var blocks: UnsafeMutablePointer<BlockState>
  public var blockCount: Int
  /// The number of blocks, from the first one on, that need only the DC coefficient.
  public var dcOnlyCount: Int
  /// The last DC coefficient of each component, not dequantised.
  public var predictions: UnsafeMutablePointer<Int32>

  /// - Parameters:
  ///   - blocks: `blockCount` blocks.
  ///   - predictions: one for each component, all 0.
  public init(
    bytes: UnsafeRawPointer, blocks: UnsafeMutablePointer<BlockState>, blockCount: Int, dcOnlyCount: Int,
    predictions: UnsafeMutablePointer<Int32>
  ) {
    self.bytes = bytes
    self.next = bytes
    self.limit = bytes
    self.bits = 0
    self.count = 0
    self.blocks = blocks
    self.blockCount = blockCount
    self.dcOnlyCount = dcOnlyCount
    self.predictions = predictions
  }

  /// The position in `bytes`, in bits.
  public var position: Int { (next - bytes) * 8 - count }

  /// Sets the position to a byte, with no bits loaded.
  public mutating func restart(at byte: UnsafeRawPointer) {
    next = byte
    bits = 0
    count = 0
  }
}

/// The tables and the destination of one block of an MCU.
public struct BlockState {
  public var tables: HuffmanPointers
  /// For each index of the zigzag sequence (T.81, figure A.6), the coefficient's byte offset in a row-major block times
  /// 65536, plus its quantisation step. From 64 to 255, an offset beyond the block and step 0.
  public var steps: UnsafePointer<UInt32>
  /// The index of the component in `EntropyState.predictions`.
  public var component: Int
  /// The destination of the first MCU's block: 64 dequantised `Int16` in row-major order; one dequantised `Int16` if
  /// only the DC coefficient is needed.
  public var output: UnsafeMutableRawPointer
  /// The distance in bytes from the block of one MCU to that of the next.
  public var pitch: Int
  /// The destination of the zigzag index of the last coefficient of the first MCU's block. The index is 0 if the block
  /// has only a DC coefficient.
  public var lasts: UnsafeMutablePointer<UInt8>
  /// The distance in `lasts` from the block of one MCU to that of the next.
  public var lastsPitch: Int

  public init(
    tables: HuffmanPointers, steps: UnsafePointer<UInt32>, component: Int,
    output: UnsafeMutableRawPointer, pitch: Int, lasts: UnsafeMutablePointer<UInt8>,
    lastsPitch: Int
  ) {
    self.tables = tables
    self.steps = steps
    self.component = component
    self.output = output
    self.pitch = pitch
    self.lasts = lasts
    self.lastsPitch = lastsPitch
  }
}

/// The tables of a block; see `DCTable` and `ACTable`.
public struct HuffmanPointers {
  public var dc: UnsafePointer<UInt32>
  public var dcCodes: UnsafeRawPointer
  public var ac: UnsafePointer<UInt64>
  public var skip: UnsafePointer<UInt16>
  public var acCodes: UnsafeRawPointer

  public init(
    dc: UnsafePointer<UInt32>, dcCodes: UnsafeRawPointer, ac: UnsafePointer<UInt64>,
    skip: UnsafePointer<UInt16>, acCodes: UnsafeRawPointer
  ) {
    self.dc = dc
    self.dcCodes = dcCodes
    self.ac = ac
    self.skip = skip
    self.acCodes = acCodes
  }
}

/// Constants that tables and kernels share.
public enum EntropyLimits {
  /// The number of bits that index the tables of DC and AC coefficients.
  @inlinable @inline(__always) public static var lookUpBits: Int { 10 }
  /// The number of bits that index the table for skipping AC coefficients.
  @inlinable @inline(__always) public static var skipBits: Int { 12 }
  /// The step in the zigzag sequence that represents an end of block (EOB).
  @inlinable @inline(__always) public static var endOfBlock: Int { 128 }
  /// The bit in an entry of `DCTable` for a block without AC coefficients.
  @inlinable @inline(__always) public static var endsBlock: UInt32 { 256 }
  /// The largest dequantised coefficient that is decoded. Coefficients of 8-bit samples are at most 1024 (T.81, A.3.3)
  /// plus half a quantisation step. Up to this limit no sum in the inverse transforms overflows.
  @inlinable @inline(__always) public static var largestCoefficient: Int { 2047 }
  /// The maximum number of bytes of an MCU: 10 blocks (T.81, B.2.3) of 64 codes of 16 bits with values of 15 bits.
  @inlinable @inline(__always) public static var longestMCU: Int { 10 * 64 * 31 / 8 }
}
