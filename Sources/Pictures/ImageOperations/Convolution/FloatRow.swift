import ImageKernels

/// Calls `body` with temporary memory for a row of `count` floats, padded to whole blocks of `ConvolutionKernels`.
func withFloatRow<Result>(
  _ count: Int, _ body: (UnsafeMutablePointer<Float>) -> Result
) -> Result {
  let padded = ConvolutionKernels.paddedCount(count) + ConvolutionKernels.block
  return withUnsafeTemporaryAllocation(of: Float.self, capacity: padded) { memory in
    // Kernels may read the whole last block even if only a part of it has been written.
    memory.initialize(repeating: 0)
    return body(memory.baseAddress!)
  }
}

extension UnsafePointer<Float> {
  /// Returns pointers to `count` neighbours along a row, `step` floats apart.
  func neighbours(_ count: Int, step: Int) -> [UnsafePointer<Float>] { (0..<count).map { self + $0 * step } }
}
