/// What the entropy decoder of one scan keeps between calls: where it is in the bytes, and where the
/// blocks of an MCU go.
///
/// Plain pointers, so that a kernel can be compiled once per instruction set. Whoever makes one owns all
/// memory it points to, and uses it from one thread at a time.
public struct EntropyState {
  /// Entropy-coded bytes without the zero stuffed after each 0xFF (T.81, B.1.1.5).
  public var bytes: UnsafeRawPointer
  /// The next byte to load into `bits`.
  public var next: UnsafeRawPointer
  /// An MCU is begun only while `next` is at most this. From there on it must be safe to read
  /// `longestMCU` bytes and 16 more.
  public var limit: UnsafeRawPointer
  /// Bits that are loaded, from the highest down.
  public var bits: UInt64
  /// How many of `bits` count as loaded. What is below is a copy of what `next` points to, or zero.
  public var count: Int
  /// The blocks of an MCU in the order of the scan.
  public var blocks: UnsafeMutablePointer<BlockState>
  public var blockCount: Int
  /// So many of them, from the first on, are wanted as their DC coefficient only.
  public var dcOnlyCount: Int
  /// The last DC coefficient of each component, not dequantised.
  public var predictions: UnsafeMutablePointer<Int32>

  /// - Parameters:
  ///   - blocks: `blockCount` of them.
  ///   - predictions: one of each component, all 0.
  public init(
    bytes: UnsafeRawPointer, blocks: UnsafeMutablePointer<BlockState>, blockCount: Int,
    dcOnlyCount: Int, predictions: UnsafeMutablePointer<Int32>
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

  /// Puts the position to a byte, with nothing loaded.
  public mutating func restart(at byte: UnsafeRawPointer) {
    next = byte
    bits = 0
    count = 0
  }
}

/// How one block of an MCU is decoded, and where to.
public struct BlockState {
  public var tables: HuffmanPointers
  /// For each index of the zigzag sequence (T.81, figure A.6) the byte offset of the coefficient in a block
  /// of rows, times 65536, plus its quantisation step. From 64 to 255: an offset past the block, step 0.
  public var steps: UnsafePointer<UInt32>
  /// Index of `EntropyState.predictions`.
  public var component: Int
  /// Where the block of the first MCU goes: 64 dequantised `Int16` in rows. Where only DC is wanted: one
  /// `Int16`, not dequantised.
  public var output: UnsafeMutableRawPointer
  /// From the block of one MCU to that of the next, in bytes.
  public var pitch: Int
  /// Where the zigzag index of the block's last coefficient goes; 0 for a block of DC only.
  public var lasts: UnsafeMutablePointer<UInt8>
  /// From the block of one MCU to that of the next.
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

/// The tables of a block, see `DCTable` and `ACTable`.
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

/// Numbers that tables and kernels must agree on.
public enum EntropyLimits {
  /// Bits that index the tables of DC and AC coefficients.
  @inlinable @inline(__always) public static var lookUpBits: Int { 10 }
  /// Bits that index the table that skips AC coefficients.
  @inlinable @inline(__always) public static var skipBits: Int { 12 }
  /// What the end of a block adds to the zigzag index.
  @inlinable @inline(__always) public static var endOfBlock: Int { 128 }
  /// Says in an entry of `DCTable` that the block has no AC coefficients.
  @inlinable @inline(__always) public static var endsBlock: UInt32 { 256 }
  /// The largest coefficient, dequantised, that is decoded: those of 8-bit samples reach 1024 (T.81, A.3.3)
  /// and half a quantisation step. No sum of the inverse transforms overflows with these.
  @inlinable @inline(__always) public static var largestCoefficient: Int { 2047 }
  /// Bytes that an MCU can take: 10 blocks (T.81, B.2.3) of 64 codes of 16 bits with 15 more each.
  @inlinable @inline(__always) public static var longestMCU: Int { 10 * 64 * 31 / 8 }
}
