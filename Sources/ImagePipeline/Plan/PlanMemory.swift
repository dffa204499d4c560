import ImageCore

/// What one task's plan is predicted to hold at one time, and how deep it is.
///
/// A node with several consumers is computed once and kept whole; above it only its frame counts. So each
/// node is looked at once, however many ways lead to it.
struct PlanMemory {
  /// Frames that are kept while the task runs.
  private(set) var keptByteCount = 0
  /// The most that one flow of rows needs: from kept frames or files up to a kept frame.
  private(set) var flowByteCount = 0
  /// The longest chain of nodes.
  private(set) var depth = 0

  /// Pictures that other tasks use, too.
  private(set) var sharedFrames: [SharedFrame] = []

  private struct Facts {
    /// Bytes of the rows that flow into the node, its own included.
    let flow: Int
    let depth: Int
  }

  private let consumers: [ObjectIdentifier: Int]
  private var known: [ObjectIdentifier: Facts] = [:]

  init(consumers: [ObjectIdentifier: Int]) { self.consumers = consumers }

  /// Adds all that leads to `end`, and gives the bytes of the flow that ends there.
  mutating func add(_ end: PlanNode) -> Int {
    // A loop: see `Picture.info()`.
    var pending = [end]
    while let node = pending.last {
      if let missing = node.inputs.first(where: { known[ObjectIdentifier($0)] == nil }) {
        pending.append(missing)
        continue
      }
      pending.removeLast()
      if known[ObjectIdentifier(node)] == nil { measure(node) }
    }
    return isKept(end) ? 0 : known[ObjectIdentifier(end)]!.flow
  }

  private mutating func measure(_ node: PlanNode) {
    var flow = node.ownByteCount
    var deepest = 0
    for input in node.inputs {
      let facts = known[ObjectIdentifier(input)]!
      if !isKept(input) { flow += facts.flow }
      deepest = max(deepest, facts.depth)
    }
    if isKept(node) { keptByteCount += PixelBuffer.byteCount(node.layout) }
    if case .shared(let frame) = node.step {
      deepest = max(deepest, frame.depth)
      if !frame.isComputed { sharedFrames.append(frame) }
    }
    flowByteCount = max(flowByteCount, flow)
    depth = max(depth, deepest + 1)
    known[ObjectIdentifier(node)] = Facts(flow: flow, depth: deepest + 1)
  }

  private func isKept(_ node: PlanNode) -> Bool { consumers[ObjectIdentifier(node)] ?? 1 > 1 }
}
