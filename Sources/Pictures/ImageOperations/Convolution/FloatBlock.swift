import ImageCore
import ImageKernels

/// Rows of floats, each followed by space for a block of `ConvolutionKernels`. Their initial contents are undefined.
///
/// `@unchecked Sendable`: concurrent workers write different rows or parts of rows, and read only rows that no worker
/// is writing.
final class FloatBlock: @unchecked Sendable {
  private let memory: PooledBytes
  /// The number of floats in a row, without padding.
  let count: Int
  private let stride: Int

  init(_ count: Int, rows: Int = 1) {
    self.count = count
    stride = Self.stride(count)
    memory = PooledBytes(capacity: Self.byteCount(count, rows: rows))
  }

  /// Returns the number of bytes of memory that a block takes.
  static func byteCount(_ count: Int, rows: Int) -> Int { stride(count) * rows * MemoryLayout<Float>.size }

  private static func stride(_ count: Int) -> Int {
    ConvolutionKernels.paddedCount(count) + ConvolutionKernels.block
  }

  func row(_ y: Int) -> UnsafeMutablePointer<Float> {
    memory.base.assumingMemoryBound(to: Float.self) + y * stride
  }
}
