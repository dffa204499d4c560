/// The workers that a decoder may use in addition to its own, if the file has restart markers.
package struct DecodingWorkers: Sendable {
  /// Calls a body once for each index below a count, on any worker and in any order, and returns when all calls have
  /// returned.
  package typealias ParallelFor =
    @Sendable (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

  let count: Int
  /// The minimum number of blocks for which handing over to another worker pays off.
  let blocksAtOnce: Int
  let parallelFor: ParallelFor

  /// - Parameters:
  ///   - count: the number of workers including the caller's, at least 1.
  ///   - blocksAtOnce: the minimum number of blocks to hand over; 4096 take 0.1 to 0.7 ms.
  package init(count: Int, blocksAtOnce: Int = 4096, parallelFor: @escaping ParallelFor) {
    precondition(count > 0 && blocksAtOnce > 0)
    self.count = count
    self.blocksAtOnce = blocksAtOnce
    self.parallelFor = parallelFor
  }
}
