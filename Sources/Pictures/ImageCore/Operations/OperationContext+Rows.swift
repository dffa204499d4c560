/// Rows in memory that several workers write at once.
///
/// `@unchecked Sendable`: `OperationContext.forRows` gives each worker rows of its own, and returns to the
/// rows' owner only when all are done.
public struct SharedRows: @unchecked Sendable {
  public let base: UnsafeMutableRawPointer
  public let stride: Int

  public init(base: UnsafeMutableRawPointer, stride: Int) { (self.base, self.stride) = (base, stride) }

  public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * stride }
}

extension OperationContext {
  /// Bytes from which handing rows to other workers pays: about 50 µs of work.
  private static let worthSharing = 65_536

  /// Whether several workers get done with so many bytes sooner than one.
  public func isWorthSharing(_ byteCount: Int) -> Bool { parallelism > 1 && byteCount >= Self.worthSharing }

  /// Calls `body` once for each row from 0 to `count - 1`, on several workers if the rows are large enough. The
  /// rows' results must not depend on each other. More urgent work may run between two rows.
  public func forRows(_ count: Int, rowByteCount: Int, _ body: @Sendable (Int) -> Void) {
    guard count > 1, isWorthSharing(count * rowByteCount) else {
      rows(0..<count, body)
      return
    }
    // Twice as many parts as workers, so that a delayed worker does not delay the others.
    let parts = min(count, parallelism * 2)
    parallelFor(parts) { part in
      rows(part * count / parts..<(part + 1) * count / parts, body)
    }
  }

  private func rows(_ rows: Range<Int>, _ body: (Int) -> Void) {
    for row in rows {
      allowPreemption()
      body(row)
    }
  }
}
