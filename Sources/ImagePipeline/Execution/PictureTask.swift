import ImageCore
import Scheduling

/// All outputs that are made from one picture: one admission, one worker, shared work done once.
final class PictureTask: Sendable {
  /// One end of the plan and everything that is written from its rows.
  struct Terminal: Sendable {
    let node: PlanNode
    var files: [FileOutput] = []
    var pages: [PageOutput] = []
  }

  let terminals: [Terminal]
  /// Pages that are the file's own bytes.
  let copies: [PageOutput]
  private let consumers: [ObjectIdentifier: Int]
  /// Everybody the work is for.
  let jobs: [Job]
  let qos: QualityOfService
  /// Predicted bytes while it runs.
  let byteCount: Int
  /// The longest chain of steps, each of which takes some of the stack.
  private let depth: Int
  private let run: RunProgress
  private let scheduler: Scheduler

  init(
    terminals: [Terminal], copies: [PageOutput], consumers: [ObjectIdentifier: Int],
    run: RunProgress, scheduler: Scheduler
  ) {
    self.terminals = terminals
    self.copies = copies
    self.consumers = consumers
    self.run = run
    self.scheduler = scheduler
    jobs = terminals.flatMap(\.jobs) + copies.map(\.assembler.job)
    qos = jobs.map(\.qos).max() ?? .default
    var memory = PlanMemory(consumers: consumers)
    // Terminals run one after another.
    var most = 0
    for terminal in terminals {
      let flow = memory.add(terminal.node)
      most = max(most, flow + terminal.outputByteCount)
    }
    byteCount = memory.keptByteCount + max(most, memory.flowByteCount)
    depth = memory.depth
  }

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
    for terminal in terminals {
      for output in outputs(of: terminal) {
        output.fail(.operation(.unsuitable(clause)), at: nil)
      }
    }
    run.observer(.pictureDone)
  }

  private func outputs(of terminal: Terminal) -> [any TaskOutput] {
    terminal.files.map { FileWriter($0, run) } + terminal.pages.map { PageEncoder($0, run) }
  }

  private func performHere(parallelism: Int) {
    let qos = qos
    let scheduler = scheduler
    let jobs = jobs
    for page in copies { PageEncoder(page, run).deliverSource() }
    let context = OperationContext(
      parallelism: parallelism,
      parallelFor: { count, body in scheduler.parallelFor(count, qos: qos, body) },
      isCancelled: { jobs.allSatisfy(\.cancellation.isCancelled) })
    let chain = RowChain(
      consumers: consumers, orient: run.environment.orient, context: context)
    for terminal in terminals { perform(terminal, chain, context) }
    run.observer(.pictureDone)
  }

  private func perform(_ terminal: Terminal, _ chain: RowChain, _ context: OperationContext) {
    var open = outputs(of: terminal).filter { output in
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
      scheduler.yield(to: qos)
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
  var jobs: [Job] { files.map(\.job) + pages.map(\.assembler.job) }

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
