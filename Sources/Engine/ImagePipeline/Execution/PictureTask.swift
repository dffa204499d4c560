import ImageCore
import Scheduling

/// All outputs that are made from one picture, strip by strip: one admission, and shared work is done once. Or else several
/// pages of a book that are copies of small files, see `TaskBuilder.joined`.
final class PictureTask: Sendable {
  /// The objects that all tasks of a run share.
  final class Shared: Sendable {
    let opening: OpeningSteps
    let sharedFrames: [ObjectIdentifier: SharedFrame]
    let keptFrames: [ObjectIdentifier: SharedFrame]
    let sharedShrinks: SharedShrinks
    /// The cache of results that the script may ask for again; nil if it has ended.
    let results: ResultCache?
    let run: RunProgress
    let scheduler: Scheduler

    init(
      opening: OpeningSteps, sharedFrames: [ObjectIdentifier: SharedFrame],
      keptFrames: [ObjectIdentifier: SharedFrame], sharedShrinks: SharedShrinks, results: ResultCache?,
      run: RunProgress, scheduler: Scheduler
    ) {
      self.sharedShrinks = sharedShrinks
      self.keptFrames = keptFrames
      self.results = results
      self.opening = opening
      self.sharedFrames = sharedFrames
      self.run = run
      self.scheduler = scheduler
    }
  }

  /// A picture and its outputs.
  private struct End {
    let picture: Picture
    var files: [FileOutput] = []
    var pages: [DocumentEntry] = []
  }

  /// A picture and its outputs, planned.
  struct OutputNode: Sendable {
    let picture: Picture
    let node: PlanNode
    let files: [FileOutput]
    let pages: [DocumentEntry]

    /// The output node with one file alone.
    func of(_ file: FileOutput) -> Self { Self(picture: picture, node: node, files: [file], pages: []) }

    /// The output node without its pages and its first files, which have been written.
    func ofFiles(from index: Int) -> Self {
      Self(picture: picture, node: node, files: Array(files[index...]), pages: [])
    }
  }

  /// The plan of all outputs.
  struct Plan: Sendable {
    let outputNodes: [OutputNode]
    /// The number of consumers of each node.
    let consumers: [ObjectIdentifier: Int]
    /// The nodes whose rows are all made before any goes on.
    var breaks: Set<ObjectIdentifier> = []

    /// Predicts the memory that it needs at one time.
    ///
    /// - Parameter budget: the bytes beyond which chains are broken.
    func memory(parallelism: Int, budget: Int = .max) -> (nodes: PlanMemory, byteCount: Int) {
      var memory = PlanMemory(consumers: consumers, budget: budget)
      // Output nodes run one after another.
      var most = 0
      for outputNode in outputNodes {
        let flow = memory.add(outputNode.node)
        most = max(most, flow + outputNode.outputByteCount(parallelism: parallelism))
      }
      return (memory, memory.keptByteCount + max(most, memory.flowByteCount))
    }
  }

  let files: [FileOutput]
  let pages: [DocumentEntry]
  /// The pages that are copies of the file.
  let copies: [DocumentEntry]
  let shared: Shared
  /// The number of workers that may share a strip.
  let parallelism: Int
  let qos: QualityOfService
  /// Predicted bytes while it runs.
  let byteCount: Int
  /// Whether chains that would need more than the budget are broken.
  private let isBroken: Bool
  /// The length of the longest chain of steps, each of which needs some of the stack.
  let depth: Int
  /// The pictures that other tasks use, too, and that are made before.
  let sharedFrames: [SharedFrame]
  /// The state of the work from the first step on. Steps never run at the same time, and each sees the writes of the one
  /// before: see `Work`.
  private nonisolated(unsafe) var flow: TaskExecution?
  private var run: RunProgress { shared.run }

  init(files: [FileOutput], pages: [DocumentEntry], copies: [DocumentEntry], parallelism: Int, _ shared: Shared) {
    self.files = files
    self.pages = pages
    self.copies = copies
    self.shared = shared
    self.parallelism = parallelism
    qos = Self.jobs(files, pages, copies).map(\.qos).max() ?? .default
    let plan = Self.plan(files, pages, shared)
    var memory = plan.memory(parallelism: parallelism)
    isBroken = memory.byteCount > shared.scheduler.configuration.memoryBudget
    if isBroken {
      memory = plan.memory(parallelism: parallelism, budget: shared.scheduler.configuration.memoryBudget)
    }
    let searching = (copies + pages).map {
      $0.document.searchByteCount(of: $0, shared.run.environment)
    }
    byteCount = memory.byteCount + (searching.max() ?? 0)
    depth = memory.nodes.depth
    sharedFrames = memory.nodes.sharedFrames
  }

  /// Returns a task for a copy that has to be encoded after all.
  func encoding(_ page: DocumentEntry) -> PictureTask {
    PictureTask(files: [], pages: [page], copies: [], parallelism: parallelism, shared)
  }

  /// The number of pictures that it makes, for the progress.
  var pictureCount: Int { isOfCopies ? Self.pictureCount(copies[...]) : 1 }
  /// Whether it only copies files into books.
  var isOfCopies: Bool { files.isEmpty && pages.isEmpty }

  /// Counts the pictures of copies. A picture may have several consecutive pages.
  static func pictureCount(_ copies: ArraySlice<DocumentEntry>) -> Int {
    zip(copies, copies.dropFirst()).reduce(min(1, copies.count)) { count, pair in
      pair.0.picture === pair.1.picture ? count : count + 1
    }
  }

  /// The jobs of all outputs.
  var jobs: [Job] { Self.jobs(files, pages, copies) }

  private static func jobs(_ files: [FileOutput], _ pages: [DocumentEntry], _ copies: [DocumentEntry]) -> [Job] {
    files.map(\.job) + pages.map(\.job) + copies.map(\.job)
  }

  /// The jobs that must be over before, the same for all outputs.
  var after: [Job] { jobs.first?.after ?? [] }

  /// Collects the outputs of each picture, which share its rows.
  private static func ends(_ files: [FileOutput], _ pages: [DocumentEntry]) -> [End] {
    var ends: [End] = []
    var places: [ObjectIdentifier: Int] = [:]
    func place(of picture: Picture) -> Int {
      let key = ObjectIdentifier(picture)
      if let place = places[key] { return place }
      ends.append(End(picture: picture))
      places[key] = ends.count - 1
      return ends.count - 1
    }
    for page in pages { ends[place(of: page.picture)].pages.append(page) }
    for file in files { ends[place(of: file.picture)].files.append(file) }
    return ends
  }

  /// Plans the work. The plan is made when it is needed, because plans of thousands of waiting pictures are large.
  func plan() -> Plan {
    var plan = Self.plan(files, pages, shared)
    guard isBroken else { return plan }
    let budget = shared.scheduler.configuration.memoryBudget
    plan.breaks = plan.memory(parallelism: parallelism, budget: budget).nodes.breaks
    return plan
  }

  private static func plan(_ files: [FileOutput], _ pages: [DocumentEntry], _ shared: Shared) -> Plan {
    let ends = ends(files, pages)
    var planner = Planner(
      opening: shared.opening, sharedFrames: shared.sharedFrames,
      keptFrames: shared.keptFrames, sharedShrinks: shared.sharedShrinks, ends: ends.map(\.picture))
    let outputNodes = ends.map { end in
      guard let node = try? planner.plan(end.picture) else {
        preconditionFailure("a picture that was checked could not be planned")
      }
      return OutputNode(picture: end.picture, node: node, files: end.files, pages: end.pages)
    }
    return Plan(outputNodes: outputNodes, consumers: planner.consumers)
  }

  private func outputs(_ files: [FileOutput], _ pages: [DocumentEntry]) -> [any TaskOutput] {
    files.map { FileWriter($0, run) } + pages.map { $0.document.makeOutput($0, run) }
  }

  /// Fails every output, because this machine has not enough memory.
  private func refuse() {
    let clause =
      "needs about \(PlanText.megabytes(byteCount)) MB of memory, and only "
      + "\(PlanText.megabytes(run.options.memoryLimit)) MB are free; make it smaller, or allow more "
      + "with --memory"
    for page in copies {
      let output = page.document.makeOutput(page, run)
      if !output.deliverSource(keepsBytes: false, nil) { output.fail(.operation(.unsuitable(clause)), at: nil) }
    }
    for output in outputs(files, pages) { output.fail(.operation(.unsuitable(clause)), at: nil) }
    run.observer(.pictureDone)
  }
}

extension PictureTask: Work {
  /// Makes one strip.
  func step() -> WorkStep {
    guard byteCount <= run.options.memoryLimit else {
      refuse()
      return .finished
    }
    return withStack(forDepth: depth) { () throws(Never) in
      let flow = self.flow ?? TaskExecution(self)
      self.flow = flow
      guard flow.step() else { return .more }
      self.flow = nil
      return .finished
    }
  }

  var isCancelled: Bool {
    files.allSatisfy { $0.job.cancellation.isCancelled }
      && pages.allSatisfy { $0.job.cancellation.isCancelled }
      && copies.allSatisfy { $0.job.cancellation.isCancelled }
  }

  func abandon(_ reason: CancellationReason) {
    for job in jobs where !job.cancellation.isCancelled { job.cancellation.mark(reason) }
    let left = flow?.pictureCount ?? pictureCount
    withStack(forDepth: depth) { () throws(Never) in
      let open = self.flow?.openOutputs ?? self.outputs(self.files, self.pages + self.copies)
      for output in open { output.fail(.cancelled, at: nil) }
      self.flow = nil
    }
    for _ in 0..<left { run.observer(.pictureDone) }
  }

  var name: String {
    let file = (files.first?.picture ?? (pages + copies).first?.picture)?.origin
    let name = file?.name ?? "canvas"
    return pictureCount > 1 ? "\(name) and \(pictureCount - 1) more" : name
  }

  var isInputReady: Bool {
    // Small files were read one after another a moment ago: the first tells whether the system has dropped them
    // since.
    let areSmall = isOfCopies && copies.allSatisfy { $0.copiesSource?.wasReadWhole ?? false }
    let first = areSmall ? copies.first?.copiesSource?.path : nil
    return first.map { SourceBytes.areInMemory([$0]) } ?? SourceBytes.areInMemory(of: sources)
  }

  func fetchInput() { SourceBytes.readAhead(of: sources) { self.isCancelled } }

  private var sources: [Picture] { files.map(\.picture) + (pages + copies).map(\.picture) }
}

extension PictureTask.OutputNode {
  /// The predicted bytes of a strip and of the outputs.
  func outputByteCount(parallelism: Int) -> Int {
    // Encoders of several outputs have a worker each.
    let encoders = files.count + pages.count > 1 ? 1 : parallelism
    let encoded = pages.reduce(0) { total, page in
      total + page.document.byteCount(of: page, node.layout, parallelism: encoders)
    }
    let strips = parallelism > 1 ? 2 * TaskExecution.stripHeight(node.layout, parallelism: parallelism) : 64
    // Searches come one after another, while the other outputs wait.
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

extension TaskOutput {
  package var needsRows: Bool { true }
}

/// An output of an output node's rows.
package protocol TaskOutput: AnyObject {
  var job: Job { get }
  /// The name of its work in a drawing of the run.
  var traceName: String { get }
  /// Prepares for the rows of `node`. Workers of `context` may be used while they are written.
  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError)
  /// Whether it waits for rows after its start; else it only has to finish.
  var needsRows: Bool { get }
  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError)
  func finish() throws(PictureError)
  /// Removes the output and reports the failure.
  func fail(_ error: PictureError, at node: PlanNode?)
}
