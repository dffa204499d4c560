import ImageCore

/// Applies the filters of PNG to rows (PNG specification, third edition, section 9), which PDF calls predictors 10 to
/// 14: one of them or, row by row, the one with the least sum of absolute signed differences (12.7).
///
/// Belongs to one worker at a time. Loops are simple ones over bytes, of which the compiler makes vectors.
public struct RowFilter: ~Copyable {
  private static let names = ["none", "sub", "up", "average", "paeth"]
  /// Zeros on the left of a row: the widest pixel.
  private static let margin = 8

  /// One for all rows; nil to choose.
  private let filter: UInt8?
  private let byteCount: Int
  private let sampleBytes: Int
  private let step: Int
  /// Two rows in the file's order of bytes, each with its margin.
  private let memory: PooledBytes
  private var isOdd = false

  /// - Parameters:
  ///   - width: pixels of a row.
  ///   - bands: samples of a pixel, 1 to 4, of `sampleBytes`, 1 or 2.
  ///   - filter: `adaptive` or a filter's name.
  public init(width: Int, bands: Int, sampleBytes: Int, filter: String = "adaptive") {
    self.filter = Self.names.firstIndex(of: filter).map(UInt8.init)
    self.sampleBytes = sampleBytes
    step = bands * sampleBytes
    byteCount = width * step
    let capacity = 2 * (Self.margin + byteCount)
    memory = PooledBytes(capacity: capacity)
    memory.base.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
  }

  /// Bytes of a filtered row, the filter's number among them.
  public var filteredByteCount: Int { 1 + byteCount }

  /// Filters the next row into `output`, `filteredByteCount` bytes.
  ///
  /// - Parameter row: samples in the machine's order of bytes.
  public mutating func add(_ row: UnsafeRawPointer, into output: UnsafeMutablePointer<UInt8>) {
    let lines = memory.base.assumingMemoryBound(to: UInt8.self) + Self.margin
    let other = lines + byteCount + Self.margin
    let (current, above) = isOdd ? (other, lines) : (lines, other)
    isOdd.toggle()
    copy(row, to: current)
    let rows = Rows(row: current, above: above, count: byteCount, step: step)
    let filter = self.filter ?? rows.best()
    output[0] = filter
    rows.apply(filter, into: output + 1)
  }

  /// 16-bit samples are stored with the high byte first (7.1).
  private func copy(_ row: UnsafeRawPointer, to line: UnsafeMutablePointer<UInt8>) {
    guard sampleBytes == 2 else {
      return UnsafeMutableRawPointer(line).copyMemory(from: row, byteCount: byteCount)
    }
    for index in 0..<byteCount / 2 {
      let sample = row.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
      UnsafeMutableRawPointer(line + 2 * index).storeBytes(of: sample.bigEndian, as: UInt16.self)
    }
  }

  /// A row and the one above it; left of both are `step` zeros.
  private struct Rows {
    let row: UnsafePointer<UInt8>
    let above: UnsafePointer<UInt8>
    let count: Int
    let step: Int

    func best() -> UInt8 {
      var (best, least) = (UInt8(0), Int.max)
      for filter in UInt8(0)...4 {
        let cost = cost(filter)
        if cost < least { (best, least) = (filter, cost) }
      }
      return best
    }

    private func cost(_ filter: UInt8) -> Int {
      switch filter {
      case 0: cost { _, _, _ in 0 }
      case 1: cost { left, _, _ in left }
      case 2: cost { _, up, _ in up }
      case 3: cost { left, up, _ in Self.average(left, up) }
      default: cost { left, up, corner in Self.paeth(left, up, corner) }
      }
    }

    func apply(_ filter: UInt8, into output: UnsafeMutablePointer<UInt8>) {
      switch filter {
      case 0: apply(output) { _, _, _ in 0 }
      case 1: apply(output) { left, _, _ in left }
      case 2: apply(output) { _, up, _ in up }
      case 3: apply(output) { left, up, _ in Self.average(left, up) }
      default: apply(output) { left, up, corner in Self.paeth(left, up, corner) }
      }
    }

    @inline(__always)
    private func cost(_ prediction: (_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8) -> Int {
      var sum = 0
      var start = 0
      while start < count {
        // So many of at most 128 each fit 16 bits.
        let end = min(start &+ 256, count)
        var part: UInt16 = 0
        var index = start
        while index < end {
          let difference =
            row[index] &- prediction(row[index &- step], above[index], above[index &- step])
          part &+= UInt16(truncatingIfNeeded: min(difference, 0 &- difference))
          index &+= 1
        }
        sum &+= Int(part)
        start = end
      }
      return sum
    }

    @inline(__always)
    private func apply(
      _ output: UnsafeMutablePointer<UInt8>,
      _ prediction: (_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8
    ) {
      var index = 0
      while index < count {
        output[index] =
          row[index] &- prediction(row[index &- step], above[index], above[index &- step])
        index &+= 1
      }
    }

    /// Half of the sum, rounded down.
    @inline(__always)
    private static func average(_ left: UInt8, _ up: UInt8) -> UInt8 {
      (left & up) &+ ((left ^ up) &>> 1)
    }

    /// The one that is nearest to left + up - corner; the first of equals.
    @inline(__always)
    private static func paeth(_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8 {
      let (a, b, c) = (
        Int16(truncatingIfNeeded: left), Int16(truncatingIfNeeded: up),
        Int16(truncatingIfNeeded: corner)
      )
      let (across, down) = (b &- c, a &- c)
      let both = across &+ down
      let toLeft = max(across, 0 &- across)
      let toUp = max(down, 0 &- down)
      let toCorner = max(both, 0 &- both)
      let nearer = toUp <= toCorner ? b : c
      return UInt8(truncatingIfNeeded: toLeft <= min(toUp, toCorner) ? a : nearer)
    }
  }
}
