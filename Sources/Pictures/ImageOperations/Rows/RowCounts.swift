import ImageCore

/// A histogram that several workers count together. The counts are integers, so the sums do not depend on the number of
/// workers.
///
/// `@unchecked Sendable`: each part of the rows has its own counts, which are added after all workers have finished.
final class RowCounts: @unchecked Sendable {
  private let bins: Int
  private let parts: Int
  private let counts: UnsafeMutablePointer<Int>

  /// - Parameters:
  ///   - rows: the maximum number of rows to count at once.
  ///   - rowByteCount: the number of bytes of a row that are examined.
  init(bins: Int, rows: Int, rowByteCount: Int, _ context: OperationContext) {
    self.bins = bins
    self.parts = context.isWorthSharing(rows * rowByteCount) ? min(context.parallelism, rows) : 1
    counts = .allocate(capacity: bins * parts)
    counts.initialize(repeating: 0, count: bins * parts)
  }

  deinit { counts.deallocate() }

  /// Calls `body` for each of `rows` rows, with the counts that `body` increases.
  func count(
    _ rows: Int, _ context: OperationContext,
    _ body: @Sendable (_ row: Int, _ counts: UnsafeMutablePointer<Int>) -> Void
  ) {
    context.parallelFor(parts) { part in
      for row in part * rows / parts..<(part + 1) * rows / parts {
        context.allowPreemption()
        body(row, counts + part * bins)
      }
    }
  }

  /// The sums of the counts of all parts.
  var total: [Int] {
    (0..<bins).map { bin in
      (0..<parts).reduce(0) { $0 + counts[$1 * bins + bin] }
    }
  }
}

enum RowSamples {
  @inline(__always)
  static func load(_ row: UnsafeRawPointer, _ index: Int, _ type: SampleType) -> Int {
    switch type {
    case .u8: Int(row.load(fromByteOffset: index, as: UInt8.self))
    case .u16: Int(row.load(fromByteOffset: 2 * index, as: UInt16.self))
    }
  }

  @inline(__always)
  static func store(_ value: Int, _ row: UnsafeMutableRawPointer, _ index: Int, _ type: SampleType) {
    switch type {
    case .u8: row.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
    case .u16: row.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
    }
  }
}

extension PixelBuffer {
  func setFirstPixel(_ colour: Colour) {
    for (band, value) in colour.samples(in: layout.format).enumerated() {
      RowSamples.store(value, base, band, layout.format.sample)
    }
  }
}
