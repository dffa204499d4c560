import ImageCore
import Scheduling

/// All outputs that are made from one picture: one admission, shared work done once, a strip at a time. Or
/// several pages of a book that are small files' own bytes: see `TaskBuilder.joined`.
final class PictureTask: Sendable {
  /// What all tasks of a run use.
  final class Shared: Sendable {
    let orient: @Sendable (Orientation) -> any PictureOperation
    let sharedFrames: [ObjectIdentifier: SharedFrame]
    let keptFrames: [ObjectIdentifier: SharedFrame]
    /// Takes what is made, where the script may ask for it again.
    let results: ResultCache?
    let run: RunProgress
    let scheduler: Scheduler

    init(
      orient: @escaping @Sendable (Orientation) -> any PictureOperation,
      sharedFrames: [ObjectIdentifier: SharedFrame],
      keptFrames: [ObjectIdentifier: SharedFrame], results: ResultCache?, run: RunProgress,
      scheduler: Scheduler
    ) {
      self.keptFrames = keptFrames
      self.results = results
      self.orient = orient
      self.sharedFrames = sharedFrames
      self.run = run
      self.scheduler = scheduler
    }
  }

  /// One picture and everything that is written from its rows.
  private struct End {
    let picture: Picture
    var files: [FileOutput] = []
    var pages: [PageOutput] = []
  }

  /// The same, planned.
  struct Terminal: Sendable {
    let picture: Picture
    let node: PlanNode
    let files: [FileOutput]
    let pages: [PageOutput]

    /// What is left when those before have been written.
    func ofFiles(from index: Int) -> Self {
      Self(picture: picture, node: node, files: Array(files[index...]), pages: [])
    }
  }

  /// How all ends are made.
  struct Plan: Sendable {
    let terminals: [Terminal]
    /// How many consumers each node has.
    let consumers: [ObjectIdentifier: Int]
    /// Nodes whose rows are all made before any goes on.
    var breaks: Set<ObjectIdentifier> = []

    /// What it holds at one time.
    ///
    /// - Parameter budget: beyond which chains are broken.
    func memory(parallelism: Int, budget: Int = .max) -> (nodes: PlanMemory, byteCount: Int) {
      var memory = PlanMemory(consumers: consumers, budget: budget)
      // Terminals run one after another.
      var most = 0
      for terminal in terminals {
        let flow = memory.add(terminal.node)
        most = max(most, flow + terminal.outputByteCount(parallelism: parallelism))
      }
      return (memory, memory.keptByteCount + max(most, memory.flowByteCount))
    }
  }

  let files: [FileOutput]
  let pages: [PageOutput]
  /// Pages that are the file's own bytes.
  let copies: [PageOutput]
  let shared: Shared
  /// How many workers may share a strip.
  let parallelism: Int
  let qos: QualityOfService
  /// Predicted bytes while it runs.
  let byteCount: Int
  /// Whether its chains are broken where they would hold more than the budget.
  private let isBroken: Bool
  /// The longest chain of steps, each of which takes some of the stack.
  let depth: Int
  /// Pictures that other tasks use, too, and that are made before.
  let sharedFrames: [SharedFrame]
  /// What is under way, from the first step on. Steps never run side by side, and each sees what the one
  /// before has written: see `Work`.
  private nonisolated(unsafe) var flow: TaskFlow?
  private var run: RunProgress { shared.run }

  init(
    files: [FileOutput], pages: [PageOutput], copies: [PageOutput], parallelism: Int,
    _ shared: Shared
  ) {
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
      memory = plan.memory(
        parallelism: parallelism, budget: shared.scheduler.configuration.memoryBudget)
    }
    let searching = (copies + pages).map {
      $0.document.searchByteCount(of: $0, shared.run.environment)
    }
    byteCount = memory.byteCount + (searching.max() ?? 0)
    depth = memory.nodes.depth
    sharedFrames = memory.nodes.sharedFrames
  }

  /// Pictures that it makes, for whoever shows how far things are.
  var pictureCount: Int { isOfCopies ? Self.pictureCount(copies[...]) : 1 }
  /// Whether nothing but files' own bytes goes into books.
  var isOfCopies: Bool { files.isEmpty && pages.isEmpty }

  /// One may make several pages, which follow each other.
  static func pictureCount(_ copies: ArraySlice<PageOutput>) -> Int {
    zip(copies, copies.dropFirst()).reduce(min(1, copies.count)) { count, pair in
      pair.0.picture === pair.1.picture ? count : count + 1
    }
  }

  /// Everybody the work is for.
  var jobs: [Job] { Self.jobs(files, pages, copies) }

  private static func jobs(_ files: [FileOutput], _ pages: [PageOutput], _ copies: [PageOutput])
    -> [Job]
  {
    files.map(\.job) + pages.map(\.job) + copies.map(\.job)
  }

  /// Jobs that must have been done before. All of the task's have the same.
  var after: [Job] { jobs.first?.after ?? [] }

  /// Outputs of one picture share its rows.
  private static func ends(_ files: [FileOutput], _ pages: [PageOutput]) -> [End] {
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

  /// How the work is done. Worked out whenever it is asked for: the plans of thousands of pictures that
  /// wait are far larger than what they are made of.
  func plan() -> Plan {
    var plan = Self.plan(files, pages, shared)
    guard isBroken else { return plan }
    let budget = shared.scheduler.configuration.memoryBudget
    plan.breaks = plan.memory(parallelism: parallelism, budget: budget).nodes.breaks
    return plan
  }

  private static func plan(_ files: [FileOutput], _ pages: [PageOutput], _ shared: Shared) -> Plan {
    let ends = ends(files, pages)
    var planner = Planner(
      orient: shared.orient, sharedFrames: shared.sharedFrames,
      keptFrames: shared.keptFrames, ends: ends.map(\.picture))
    let terminals = ends.map { end in
      guard let node = try? planner.plan(end.picture) else {
        preconditionFailure("a picture that was checked could not be planned")
      }
      return Terminal(picture: end.picture, node: node, files: end.files, pages: end.pages)
    }
    return Plan(terminals: terminals, consumers: planner.consumers)
  }

  private func outputs(_ files: [FileOutput], _ pages: [PageOutput]) -> [any TaskOutput] {
    files.map { FileWriter($0, run) } + pages.map { $0.document.makeOutput($0, run) }
  }

  /// Gives every output up, because there is not enough memory on this machine.
  private func refuse() {
    let clause =
      "needs about \(PlanText.megabytes(byteCount)) MB of memory, and only "
      + "\(PlanText.megabytes(run.options.memoryLimit)) MB are free; make it smaller, or allow more "
      + "with --memory"
    for page in copies {
      page.document.makeOutput(page, run).deliverSource(keepsBytes: false, nil)
    }
    for output in outputs(files, pages) {
      output.fail(.operation(.unsuitable(clause)), at: nil)
    }
    run.observer(.pictureDone)
  }
}

extension PictureTask: Work {
  /// One strip.
  func step() -> WorkStep {
    guard byteCount <= run.options.memoryLimit else {
      refuse()
      return .finished
    }
    return withStack(forDepth: depth) { () throws(Never) in
      let flow = self.flow ?? TaskFlow(self)
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
    return (first.map { [$0] } ?? sourcePaths).allSatisfy { path in
      guard let file = try? InputFile(path: path), file.byteCount > 0 else { return true }
      // Of a page of memory one byte says all.
      let places = file.byteCount > 4_096 ? [0, file.byteCount / 2, file.byteCount - 1] : [0]
      return places.allSatisfy { FileCache.holds(file.descriptor, at: $0) }
    }
  }

  func fetchInput() {
    for path in sourcePaths {
      guard !isCancelled, let file = try? InputFile(path: path) else { continue }
      file.readAhead(limit: 256 << 20, isCancelled: { self.isCancelled })
    }
  }

  /// The files that it begins with; most have one.
  private var sourcePaths: Set<String> {
    Set((files.map(\.picture) + (pages + copies).map(\.picture)).compactMap { $0.origin?.path })
  }
}

extension PictureTask.Terminal {
  /// Predicted bytes of a strip and of what outputs hold.
  func outputByteCount(parallelism: Int) -> Int {
    // Encoders of several outputs have a worker each.
    let encoders = files.count + pages.count > 1 ? 1 : parallelism
    let encoded = pages.reduce(0) { total, page in
      total + page.document.byteCount(of: page, node.layout)
    }
    let strips =
      parallelism > 1
      ? 2 * TaskFlow.stripHeight(node.layout, parallelism: parallelism) : 64
    return node.layout.rowByteCount * strips + encoded
      + files.reduce(0) { total, file in
        let codec = file.format.codec
        return total
          + codec.encoderByteCount(
            for: codec.encodedLayout(for: node.layout), parallelism: encoders)
      }
  }
}

/// Something that takes a terminal's rows.
package protocol TaskOutput: AnyObject {
  var job: Job { get }
  /// What a drawing of the run calls its work.
  var traceName: String { get }
  /// Gets ready for the rows of `node`. Workers of `context` may be used while they are written.
  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError)
  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError)
  func finish() throws(PictureError)
  /// Leaves nothing behind and reports.
  func fail(_ error: PictureError, at node: PlanNode?)
}
