import ImageCore

/// The plan for making the outputs of a unit row by row: how each file is decoded, and the steps from there to each
/// output.
///
/// Decisions that units share are in `PlanFacts`. A row plan is made only when needed, because the row plans of
/// thousands of units would take much memory.
struct RowPlan: Sendable {
  /// A picture with its outputs, and the step that makes its rows.
  struct OutputNode: Sendable {
    let picture: Picture
    let node: PlanNode
    let files: [FileOutput]
    let entries: [DocumentEntry]

    /// Returns the output node for another pass over the picture, which writes only these files.
    func with(only files: [FileOutput]) -> Self { Self(picture: picture, node: node, files: files, entries: []) }
  }

  let outputNodes: [OutputNode]
  let consumers: [ObjectIdentifier: Int]
  /// The nodes at which all rows are made before the next step begins.
  var breaks: Set<ObjectIdentifier> = []

  /// Predicts the peak memory of the plan.
  ///
  /// - Parameter budget: the budget in bytes for `PlanMemory`, which breaks chains that take too much of it.
  func memory(parallelism: Int, budget: Int = .max) -> (nodes: PlanMemory, byteCount: Int) {
    var memory = PlanMemory(consumers: consumers, budget: budget)
    // Output nodes run one after another, so the largest counts.
    var most = 0
    for outputNode in outputNodes {
      let flow = memory.add(outputNode.node)
      most = max(most, flow + outputNode.outputByteCount(parallelism: parallelism))
    }
    return (memory, memory.keptByteCount + max(most, memory.flowByteCount))
  }
}

extension PlanUnit {
  private struct End {
    let picture: Picture
    var files: [FileOutput] = []
    var entries: [DocumentEntry] = []
  }

  /// Plans the rows of the files, and of the pages that are not copies.
  func rowPlan(_ facts: PlanFacts) -> RowPlan {
    let ends = ends
    var planner = Planner(
      opening: facts.environment.opening, sharedFrames: facts.sharedFrames, keptFrames: facts.keptFrames,
      sharedShrinks: facts.sharedShrinks, ends: ends.map(\.picture))
    let outputNodes = ends.map { end in
      guard let node = try? planner.plan(end.picture) else {
        preconditionFailure("a picture that was checked could not be planned")
      }
      return RowPlan.OutputNode(picture: end.picture, node: node, files: end.files, entries: end.entries)
    }
    return RowPlan(outputNodes: outputNodes, consumers: planner.consumers)
  }

  /// The pictures, each with all of its outputs, which share its rows.
  private var ends: [End] {
    var ends: [End] = []
    var places: [ObjectIdentifier: Int] = [:]
    func place(of picture: Picture) -> Int {
      let key = ObjectIdentifier(picture)
      if let place = places[key] { return place }
      ends.append(End(picture: picture))
      places[key] = ends.count - 1
      return ends.count - 1
    }
    for entry in entries { ends[place(of: entry.picture)].entries.append(entry) }
    for file in files { ends[place(of: file.picture)].files.append(file) }
    return ends
  }
}

struct UnitNeeds {
  /// The predicted peak memory, in bytes.
  let byteCount: Int
  /// Whether chains of steps are broken, because the unit would otherwise exceed the memory budget.
  let isBroken: Bool
  /// The length of the longest chain of steps. It matters because each step takes stack space.
  let depth: Int
  /// The frames that the unit shares with other units, and that have to be made before the unit starts.
  let sharedFrames: [SharedFrame]
}

extension PlanUnit {
  /// - Parameter parallelism: the number of workers that may share the rows.
  func needs(_ facts: PlanFacts, parallelism: Int) -> UnitNeeds {
    let plan = rowPlan(facts)
    var memory = plan.memory(parallelism: parallelism)
    let isBroken = memory.byteCount > facts.memoryBudget
    if isBroken { memory = plan.memory(parallelism: parallelism, budget: facts.memoryBudget) }
    let searching = (copies + entries).map { $0.document.searchByteCount(of: $0, facts.environment) }
    return UnitNeeds(
      byteCount: memory.byteCount + (searching.max() ?? 0), isBroken: isBroken, depth: memory.nodes.depth,
      sharedFrames: memory.nodes.sharedFrames)
  }
}

extension RowPlan.OutputNode {
  /// Predicts the memory in bytes of the strips and of the outputs.
  func outputByteCount(parallelism: Int) -> Int {
    // If there are several outputs, each encoder uses one worker.
    let encoders = files.count + entries.count > 1 ? 1 : parallelism
    let encoded = entries.reduce(0) { total, entry in
      total + entry.document.byteCount(of: entry, node.layout, parallelism: encoders)
    }
    let strips = parallelism > 1 ? 2 * TaskExecution.stripHeight(node.layout, parallelism: parallelism) : 64
    // Searches run one after another, while the other outputs wait, so the largest counts.
    var search = 0
    let encoding = files.reduce(0) { total, file in
      let codec = file.format.codec
      let layout = codec.encodedLayout(for: node.layout, file.format.arguments)
      guard let goal = file.goal else {
        return total
          + codec.encoderByteCount(for: layout, arguments: file.format.arguments, parallelism: encoders)
      }
      let counts = GoalEncoder.byteCounts(goal, file.format, layout, parallelism: parallelism)
      search = max(search, counts.search)
      return total + counts.frame
    }
    return node.layout.rowByteCount * strips + encoded + encoding + search
  }
}
