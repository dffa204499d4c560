/// Workers that a decoder may use beside the one it belongs to, where a file allows.
public struct DecodingWorkers: Sendable {
  /// Calls a body once for each index below a count, on any worker and in any order, and returns when all
  /// have returned.
  public typealias ParallelFor =
    @Sendable (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

  let count: Int
  /// What is worth handing over, in blocks of 64 coefficients.
  let blocksAtOnce: Int
  let parallelFor: ParallelFor

  /// - Parameters:
  ///   - count: with the caller's own, at least 1.
  ///   - blocksAtOnce: the least that is handed over: some 0.1 to 0.7 ms of work.
  public init(count: Int, blocksAtOnce: Int = 4096, parallelFor: @escaping ParallelFor) {
    precondition(count > 0 && blocksAtOnce > 0)
    self.count = count
    self.blocksAtOnce = blocksAtOnce
    self.parallelFor = parallelFor
  }
}
