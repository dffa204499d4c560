import ImageCore
import Scheduling

/// All outputs that are made from one picture: one admission, one worker, shared work done once.
final class PictureTask: Sendable {
  /// What all tasks of a run use.
  final class Shared: Sendable {
    let orient: @Sendable (Orientation) -> any PictureOperation
    let sharedFrames: [ObjectIdentifier: SharedFrame]
    let run: RunProgress
    let scheduler: Scheduler

    init(
      orient: @escaping @Sendable (Orientation) -> any PictureOperation,
      sharedFrames: [ObjectIdentifier: SharedFrame], run: RunProgress, scheduler: Scheduler
    ) {
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
    let node: PlanNode
    let files: [FileOutput]
    let pages: [PageOutput]
  }

  /// How all ends are made.
  struct Plan: Sendable {
    let terminals: [Terminal]
    /// How many consumers each node has.
    let consumers: [ObjectIdentifier: Int]
  }

  private let files: [FileOutput]
  private let pages: [PageOutput]
  /// Pages that are the file's own bytes.
  let copies: [PageOutput]
  private let shared: Shared
  let qos: QualityOfService
  /// Predicted bytes while it runs.
  let byteCount: Int
  /// The longest chain of steps, each of which takes some of the stack.
  private let depth: Int
  private var run: RunProgress { shared.run }

  init(files: [FileOutput], pages: [PageOutput], copies: [PageOutput], _ shared: Shared) {
    self.files = files
    self.pages = pages
    self.copies = copies
    self.shared = shared
    qos = Self.jobs(files, pages, copies).map(\.qos).max() ?? .default
    let plan = Self.plan(files, pages, shared)
    var memory = PlanMemory(consumers: plan.consumers)
    // Terminals run one after another.
    var most = 0
    for terminal in plan.terminals {
      let flow = memory.add(terminal.node)
      most = max(most, flow + terminal.outputByteCount)
    }
    byteCount = memory.keptByteCount + max(most, memory.flowByteCount)
    depth = memory.depth
  }

  /// Everybody the work is for.
  var jobs: [Job] { Self.jobs(files, pages, copies) }

  private static func jobs(_ files: [FileOutput], _ pages: [PageOutput], _ copies: [PageOutput])
    -> [Job]
  {
    files.map(\.job) + pages.map(\.assembler.job) + copies.map(\.assembler.job)
  }

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
  func plan() -> Plan { Self.plan(files, pages, shared) }

  private static func plan(_ files: [FileOutput], _ pages: [PageOutput], _ shared: Shared) -> Plan {
    let ends = ends(files, pages)
    var planner = Planner(
      orient: shared.orient, sharedFrames: shared.sharedFrames, ends: ends.map(\.picture))
    let terminals = ends.map { end in
      guard let node = try? planner.plan(end.picture) else {
        preconditionFailure("a picture that was checked could not be planned")
      }
      return Terminal(node: node, files: end.files, pages: end.pages)
    }
    return Plan(terminals: terminals, consumers: planner.consumers)
  }

  /// Does the work on one worker.
  func performAlone() { perform(parallelism: 1) }

  /// Does the work. `parallelism` is how many workers may share it.
  func perform(parallelism: Int) {
    guard byteCount <= run.options.memoryLimit else { return refuse() }
    withStack(forDepth: depth) { self.performHere(parallelism: parallelism) }
  }

  /// Gives every output up, because there is not enough memory on this machine.
  private func refuse() {
    let clause =
      "needs about \(PlanText.megabytes(byteCount)) MB of memory, and only "
      + "\(PlanText.megabytes(run.options.memoryLimit)) MB are free; make it smaller, or allow more "
      + "with --memory"
    for page in copies { PageEncoder(page, run).deliverSource() }
    for output in outputs(files, pages) {
      output.fail(.operation(.unsuitable(clause)), at: nil)
    }
    run.observer(.pictureDone)
  }

  private func outputs(_ files: [FileOutput], _ pages: [PageOutput]) -> [any TaskOutput] {
    files.map { FileWriter($0, run) } + pages.map { PageEncoder($0, run) }
  }

  private func performHere(parallelism: Int) {
    let qos = qos
    let scheduler = shared.scheduler
    let jobs = jobs
    for page in copies { PageEncoder(page, run).deliverSource() }
    let context = OperationContext(
      parallelism: parallelism,
      parallelFor: { count, body in scheduler.parallelFor(count, qos: qos, body) },
      isCancelled: { jobs.allSatisfy(\.cancellation.isCancelled) })
    let plan = plan()
    let chain = RowChain(
      consumers: plan.consumers, orient: run.environment.orient, context: context)
    for terminal in plan.terminals { perform(terminal, chain, context) }
    run.observer(.pictureDone)
  }

  private func perform(_ terminal: Terminal, _ chain: RowChain, _ context: OperationContext) {
    var open = outputs(terminal.files, terminal.pages).filter { output in
      attempt(output) { () throws(PictureError) in try output.start(terminal.node) } != nil
    }
    guard !open.isEmpty else { return }
    do throws(PictureError) {
      try transfer(terminal.node, chain, context, &open)
    } catch {
      let culprit = chain.failure.node
      for output in open { output.fail(error, at: culprit) }
    }
  }

  /// Moves the rows, strip by strip, to every output that is still open.
  private func transfer(
    _ node: PlanNode, _ chain: RowChain, _ context: OperationContext, _ open: inout [any TaskOutput]
  ) throws(PictureError) {
    let source = try chain.open(node)
    let layout = source.layout
    let rows = Self.stripHeight(layout, parallelism: context.parallelism)
    let strip = PixelBuffer(layout.with(width: layout.width, height: min(rows, layout.height)))
    var row = 0
    while row < layout.height && !open.isEmpty {
      try context.checkCancellation()
      shared.scheduler.yield(to: qos)
      let count = min(strip.layout.height, layout.height - row)
      try source.read(count, into: strip.base, stride: strip.stride)
      open = open.filter { output in
        attempt(output) { () throws(PictureError) in
          try output.write(count, from: strip.base, stride: strip.stride)
        } != nil
      }
      row += count
    }
    for output in open {
      _ = attempt(output) { () throws(PictureError) in try output.finish() }
    }
    open = []
  }

  /// Runs one output's step; a failure ends that output alone and gives nil.
  private func attempt<Value>(_ output: any TaskOutput, _ body: () throws(PictureError) -> Value)
    -> Value?
  {
    do throws(PictureError) {
      if output.job.cancellation.isCancelled { throw .cancelled }
      return try body()
    } catch {
      output.fail(error, at: nil)
      return nil
    }
  }

  /// Rows of a strip: about a quarter megabyte, which stays in the second-level cache; more when
  /// several workers share it.
  static func stripHeight(_ layout: PictureLayout, parallelism: Int) -> Int {
    let target = parallelism > 1 ? 2 << 20 : 256 << 10
    return max(8, min(parallelism > 1 ? 512 : 64, target / layout.rowByteCount))
  }
}

extension PictureTask.Terminal {
  /// Predicted bytes of a strip and of what outputs hold.
  var outputByteCount: Int {
    let encoded = pages.reduce(0) { total, page in
      total + node.layout.byteCount / 3
        + (page.assembler.verifies || page.assembler.isLossless
          ? PixelBuffer.byteCount(node.layout) : 0)
    }
    return node.layout.rowByteCount * 64 + encoded + (512 << 10) * files.count
  }
}

/// Something that takes a terminal's rows.
protocol TaskOutput: AnyObject {
  var job: Job { get }
  /// Gets ready for the rows of `node`.
  func start(_ node: PlanNode) throws(PictureError)
  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError)
  func finish() throws(PictureError)
  /// Leaves nothing behind and reports.
  func fail(_ error: PictureError, at node: PlanNode?)
}
