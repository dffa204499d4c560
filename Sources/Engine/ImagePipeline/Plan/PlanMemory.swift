import ImageCore

/// What one task's plan is predicted to hold at one time, and how deep it is.
///
/// A node with several consumers is computed once and kept whole; above it only its frame counts. So each
/// node is looked at once, however many ways lead to it.
///
/// A chain whose steps would hold more than a budget at one time is broken: at some nodes all rows are made before
/// any goes on, so that what leads there is let go of.
struct PlanMemory {
  /// Frames that are kept while the task runs.
  private(set) var keptByteCount = 0
  /// The most that one flow of rows needs: from kept frames or files up to a kept frame.
  private(set) var flowByteCount = 0
  /// The longest chain of nodes.
  private(set) var depth = 0

  /// Pictures that other tasks use, too.
  private(set) var sharedFrames: [SharedFrame] = []

  /// Nodes at which a chain is broken.
  private(set) var breaks: Set<ObjectIdentifier> = []

  private struct Facts {
    /// Bytes of the rows that flow into the node, its own included.
    let flow: Int
    /// The most that is held until those flow.
    let peak: Int
    let depth: Int
  }

  private let consumers: [ObjectIdentifier: Int]
  private var known: [ObjectIdentifier: Facts] = [:]

  private let budget: Int

  /// - Parameter budget: beyond which chains are broken.
  init(consumers: [ObjectIdentifier: Int], budget: Int = .max) {
    self.consumers = consumers
    self.budget = budget
  }

  /// Adds all that leads to `end`, and gives the most bytes that the flow which ends there holds.
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
    return isKept(end) ? 0 : known[ObjectIdentifier(end)]!.peak
  }

  private mutating func measure(_ node: PlanNode) {
    var (flow, peak) = (0, 0)
    var deepest = 0
    for input in node.inputs {
      let facts = known[ObjectIdentifier(input)]!
      if !isKept(input) {
        // The inputs before are open while this one is opened.
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

  /// Whether enough has come together, of which the whole picture is a small part.
  private func isToBreak(_ node: PlanNode, _ flow: Int, _ frame: Int) -> Bool {
    guard case .operation = node.step, !isKept(node) else { return false }
    return flow > budget / 2 && frame <= budget / 8
  }

  private func isKept(_ node: PlanNode) -> Bool { consumers[ObjectIdentifier(node)] ?? 1 > 1 }
}
