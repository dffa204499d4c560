import ImageCore
import ImageKernels

/// Rows of floats, each with room for a block of vector code behind it. What is in them at first is anybody's guess.
///
/// `@unchecked Sendable`: workers write different rows or parts of rows, and read only what none of them writes.
final class FloatBlock: @unchecked Sendable {
  private let memory: PooledBytes
  /// Floats of a row, without padding.
  let count: Int
  private let stride: Int

  init(_ count: Int, rows: Int = 1) {
    self.count = count
    stride = Self.stride(count)
    memory = PooledBytes(capacity: Self.byteCount(count, rows: rows))
  }

  /// Bytes that one takes.
  static func byteCount(_ count: Int, rows: Int) -> Int {
    stride(count) * rows * MemoryLayout<Float>.size
  }

  private static func stride(_ count: Int) -> Int {
    ConvolutionKernels.paddedCount(count) + ConvolutionKernels.block
  }

  func row(_ y: Int) -> UnsafeMutablePointer<Float> {
    memory.base.assumingMemoryBound(to: Float.self) + y * stride
  }
}
