import ImageCore

/// The predicted peak memory of a task's plan, and its depth.
///
/// A node with several consumers is computed once and kept as a whole. Its consumers need only its frame, so each node
/// is measured once.
///
/// A chain whose steps together would take more than half of a budget is broken at nodes with small pictures: all rows
/// of such a node are made before the next step begins, so that the memory of earlier steps is freed.
struct PlanMemory {
  /// The number of bytes of the frames that are kept while the task runs.
  private(set) var keptByteCount = 0
  /// The number of bytes that the largest flow needs. A flow consists of the steps from files or kept frames to the
  /// next kept frame, or to the end of the chain.
  private(set) var flowByteCount = 0
  /// The number of nodes in the longest chain.
  private(set) var depth = 0

  /// The frames that this task shares with other tasks and that have not been made yet.
  private(set) var sharedFrames: [SharedFrame] = []

  /// The nodes at which a chain is broken.
  private(set) var breaks: Set<ObjectIdentifier> = []

  private struct Facts {
    /// The number of bytes that the node and its inputs take while their rows flow.
    let flow: Int
    /// The maximum number of bytes that the node and its inputs take at any time, from the opening of the first input
    /// on.
    let peak: Int
    let depth: Int
  }

  private let consumers: [ObjectIdentifier: Int]
  private var known: [ObjectIdentifier: Facts] = [:]

  private let budget: Int

  /// - Parameter budget: the budget in bytes, see `isToBreak`.
  init(consumers: [ObjectIdentifier: Int], budget: Int = .max) {
    self.consumers = consumers
    self.budget = budget
  }

  /// Adds `end` and all nodes before it. Returns the largest number of bytes that its flow takes; 0 if `end` is kept.
  mutating func add(_ end: PlanNode) -> Int {
    // A loop instead of recursion: see `Picture.info()`.
    var pending = [end]
    while let node = pending.last {
      if let missing = node.inputs.first(where: { known[ObjectIdentifier($0)] == nil }) {
        pending.append(missing)
        continue
      }
      pending.removeLast()
      if known[ObjectIdentifier(node)] == nil { measure(node) }
    }
    return isKept(end) ? 0 : known[ObjectIdentifier(end)]!.peak
  }

  private mutating func measure(_ node: PlanNode) {
    var (flow, peak) = (0, 0)
    var deepest = 0
    for input in node.inputs {
      let facts = known[ObjectIdentifier(input)]!
      if !isKept(input) {
        // Inputs opened earlier stay open while this one is opened.
        peak = max(peak, flow + facts.peak)
        flow += facts.flow
      }
      deepest = max(deepest, facts.depth)
    }
    flow += node.ownByteCount
    peak = max(peak, flow)
    let frame = PixelBuffer.byteCount(node.layout)
    if isToBreak(node, flow, frame) {
      breaks.insert(ObjectIdentifier(node))
      peak = max(peak, flow + frame)
      flow = frame
    }
    if isKept(node) { keptByteCount += frame }
    if case .shared(let frame) = node.step {
      deepest = max(deepest, frame.depth)
      if !frame.isComputed { sharedFrames.append(frame) }
    }
    flowByteCount = max(flowByteCount, peak)
    depth = max(depth, deepest + 1)
    known[ObjectIdentifier(node)] = Facts(flow: flow, peak: peak, depth: deepest + 1)
  }

  /// Returns whether to break the chain at a node: if the chain's rows take more than half of the budget, and the
  /// node's whole picture takes at most an eighth.
  private func isToBreak(_ node: PlanNode, _ flow: Int, _ frame: Int) -> Bool {
    guard case .operation = node.step, !isKept(node) else { return false }
    return flow > budget / 2 && frame <= budget / 8
  }

  private func isKept(_ node: PlanNode) -> Bool { consumers[ObjectIdentifier(node)] ?? 1 > 1 }
}
