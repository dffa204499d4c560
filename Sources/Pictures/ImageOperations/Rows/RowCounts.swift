import ImageCore

/// Counts gathered by several workers. They are integers, so that their sums do not depend on the number of workers.
///
/// `@unchecked Sendable`: each part of the rows has counts of its own, which are added when all workers are done.
final class RowCounts: @unchecked Sendable {
  private let bins: Int
  private let parts: Int
  private let counts: UnsafeMutablePointer<Int>

  /// - Parameters:
  ///   - rows: the most rows to count at a time.
  ///   - rowByteCount: the bytes of a row that are looked at.
  init(bins: Int, rows: Int, rowByteCount: Int, _ context: OperationContext) {
    self.bins = bins
    self.parts = context.isWorthSharing(rows * rowByteCount) ? min(context.parallelism, rows) : 1
    counts = .allocate(capacity: bins * parts)
    counts.initialize(repeating: 0, count: bins * parts)
  }

  deinit { counts.deallocate() }

  /// Calls `body` once for each of `rows` rows, with the counts that it may add to.
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

  /// The sums so far.
  var total: [Int] {
    (0..<bins).map { bin in
      (0..<parts).reduce(0) { $0 + counts[$1 * bins + bin] }
    }
  }
}
