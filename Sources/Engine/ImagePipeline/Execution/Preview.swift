import ImageCore

/// A small version of a picture, made beside the plan of its task.
package struct Preview {
  private let node: PlanNode
  private let consumers: [ObjectIdentifier: Int]

  /// Nil if the picture cannot be planned.
  ///
  /// - Parameter step: makes the small version.
  package init?(of picture: Picture, _ step: Picture.Step, _ environment: Environment) {
    let small = Picture(step, inputs: [picture], position: nil)
    var planner = Planner(opening: environment.opening, sharedFrames: [:], ends: [small])
    guard let node = try? planner.plan(small) else { return nil }
    self.node = node
    consumers = planner.consumers
  }

  /// Bytes that it takes.
  package var byteCount: Int {
    var memory = PlanMemory(consumers: consumers)
    let flow = memory.add(node)
    return memory.keptByteCount + max(flow, memory.flowByteCount)
  }

  /// Opens its rows.
  package func open(_ context: OperationContext) throws(PictureError) -> any RowSource {
    try RowChain(consumers: consumers, context: context).open(node)
  }
}
