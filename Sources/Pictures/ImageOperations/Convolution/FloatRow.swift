import ImageKernels

/// Lends memory for a row of `count` floats, padded to whole blocks: a worker's own while `body` runs.
func withFloatRow<Result>(
  _ count: Int, _ body: (UnsafeMutablePointer<Float>) -> Result
) -> Result {
  let padded = ConvolutionKernels.paddedCount(count) + ConvolutionKernels.block
  return withUnsafeTemporaryAllocation(of: Float.self, capacity: padded) { memory in
    // Sums may read a last block that nothing was written to.
    memory.initialize(repeating: 0)
    return body(memory.baseAddress!)
  }
}

extension UnsafePointer<Float> {
  /// Pointers to `count` neighbours along a row, each `step` floats after the one before.
  func neighbours(_ count: Int, step: Int) -> [UnsafePointer<Float>] {
    (0..<count).map { self + $0 * step }
  }
}
