import ImageCore
import Platform
import Scheduling

/// The state of a task in progress: which output is being written, and how far.
///
/// Passed from worker to worker between steps, and never used by two of them at the same time.
final class TaskExecution {
  /// The rows of one output node on their way to its outputs.
  private struct Transfer {
    let source: any RowSource
    var strip: PixelBuffer
    /// The strip for the next rows, which one worker reads while another worker writes the rows of `strip`; nil until
    /// `isToOverlap` returns true.
    var spare: PixelBuffer?
    /// The number of rows that have been read.
    var row = 0
    /// The number of rows in `strip` that have not been written.
    var unwritten = 0
    /// The number of rows in the next strip. They take about half a millisecond, or three times that if several workers
    /// share them.
    var rows: Int
    var open: [any TaskOutput]
    /// The picture and the buffer for all its rows, if it is to be kept for later plans.
    let result: (picture: Picture, frame: PixelBuffer)?
    let picture: Picture
  }

  private let task: PictureTask
  private let context: OperationContext
  private let chain: RowChain
  private var outputNodes: [RowPlan.OutputNode]
  private var nextOutputNode = 0
  private var transfer: Transfer?
  /// The paths of the files that are encoded in another pass.
  private var repeated: Set<String> = []
  private var copies: ArraySlice<DocumentEntry>
  /// The encoding of a page that could not be copied.
  private var encoding: (flow: TaskExecution, byteCount: Int)?
  /// The number of times that the next page has waited for earlier pages.
  private var waits = 0
  /// The first and the longest wait, in microseconds. Each wait is twice as long as the previous one.
  private static let (firstWait, longestWait) = (UInt32(100), UInt32(3_200))
  private var run: RunProgress { task.shared.run }
  private let recorder: TraceRecorder?

  init(_ task: PictureTask) {
    self.task = task
    let scheduler = task.shared.scheduler
    let qos = task.qos
    let jobs = task.unit.jobs
    context = OperationContext(
      parallelism: task.parallelism,
      parallelFor: { count, body in scheduler.parallelFor(count, qos: qos, body) },
      isCancelled: { jobs.allSatisfy(\.cancellation.isCancelled) },
      allowPreemption: { scheduler.allowPreemption($0) }, givesWay: qos <= .utility,
      colours: task.shared.run.environment.colours)
    recorder = scheduler.configuration.recorder
    let plan = recorder.span("plan") { task.plan() }
    let run = task.shared.run
    chain = RowChain(
      consumers: plan.consumers, breaks: plan.breaks, context: context, recorder: recorder,
      note: { [weak run] note, file in run?.add(note, of: file) })
    outputNodes = plan.outputNodes
    copies = task.unit.copies[...]
  }

  /// Does the next part of the work: copies a page, begins an output node, or processes a strip of it. If pages are
  /// copied faster than they are written, waits briefly instead.
  ///
  /// - Returns: whether the task is complete.
  func step() -> Bool {
    guard advance() else { return false }
    if !task.unit.isOfCopies { run.observer(.pictureDone) }
    return true
  }

  private func advance() -> Bool {
    if let encoding {
      guard encoding.flow.advance() else { return false }
      task.shared.scheduler.letGo(encoding.byteCount)
      self.encoding = nil
    } else if let page = copies.first {
      let workers = task.shared.scheduler.configuration.workers
      let backpressure = page.document.backpressure(on: page, workers: workers)
      if backpressure == .writing || backpressure == .heldUp && waits < 4 {
        usleep(min(Self.firstWait << UInt32(waits), Self.longestWait))
        waits = min(waits + 1, 5)
        return false
      }
      waits = 0
      copies.removeFirst()
      // Under backpressure, a page does not keep its bytes in memory.
      let isDelivered = recorder.span("copy page") {
        page.document.makeOutput(page, run)
          .deliverSource(keepsBytes: backpressure == nil, context)
      }
      if !isDelivered { encode(page) }
      if task.unit.isOfCopies, page.picture !== copies.first?.picture { run.observer(.pictureDone) }
    } else if transfer != nil {
      moveStrip()
    } else if nextOutputNode < outputNodes.count {
      nextOutputNode += 1
      begin(outputNodes[nextOutputNode - 1])
    }
    return copies.isEmpty && transfer == nil && encoding == nil && nextOutputNode == outputNodes.count
  }

  /// Begins to encode a page that cannot be copied. The task's predicted memory does not include the memory for this.
  private func encode(_ page: DocumentEntry) {
    let task = task.encoding(page)
    self.task.shared.scheduler.hold(task.byteCount)
    encoding = (TaskExecution(task), task.byteCount)
  }

  /// The number of pictures that are still to be made.
  var pictureCount: Int { task.unit.isOfCopies ? PlanUnit.pictureCount(copies) : 1 }

  var openOutputs: [any TaskOutput] {
    var outputs = (transfer?.open ?? []) + (encoding?.flow.openOutputs ?? [])
    outputs += task.outputs([], Array(copies))
    for outputNode in outputNodes[nextOutputNode...] { outputs += task.outputs(outputNode.files, outputNode.entries) }
    return outputs
  }

  private func begin(_ outputNode: RowPlan.OutputNode) {
    let open = started(outputNode)
    guard !open.isEmpty else { return }
    chain.failure.clear()
    do throws(PictureError) {
      let source = try chain.open(outputNode.node)
      let layout = source.layout
      let most = Self.stripHeight(layout, parallelism: self.context.parallelism)
      let strip = PixelBuffer(layout.with(width: layout.width, height: min(most, layout.height)))
      let first = min(self.context.parallelism > 1 ? 64 : 16, strip.layout.height)
      transfer = Transfer(
        source: source, strip: strip, rows: first, open: open, result: keeper(of: outputNode, layout),
        picture: outputNode.picture)
    } catch {
      fail(open, error)
    }
  }

  /// Starts the outputs of an output node, and returns the ones that need rows. Files beyond the limit for open files
  /// are left for another pass over the picture.
  private func started(_ outputNode: RowPlan.OutputNode) -> [any TaskOutput] {
    // A single output uses all workers. If several outputs did so, each would need memory for all workers.
    let context =
      outputNode.files.count + outputNode.entries.count > 1 ? context.onOneWorker : context
    var open: [any TaskOutput] = []
    func start(_ output: any TaskOutput, _ context: OperationContext) {
      let isStarted: Void? = attempt(output, "start file") { () throws(PictureError) in
        try output.start(outputNode.node, context)
      }
      guard isStarted != nil else { return }
      if output.needsRows { return open.append(output) }
      finish(output, outputNode.picture)
    }
    for page in outputNode.entries { start(page.document.makeOutput(page, run), context) }
    for (index, file) in outputNode.files.enumerated() {
      // The first file is always started, so that every picture is completed.
      if index > 0, TemporaryFiles.areMany {
        outputNodes.insert(outputNode.with(only: Array(outputNode.files[index...])), at: nextOutputNode)
        break
      }
      // Quality searches run one after another, after the last row, so each may use all workers.
      start(FileWriter(file, run), file.goal == nil ? context : self.context)
    }
    return open
  }

  /// Reads the next rows, and writes rows that have been read to every output that is still open.
  private func moveStrip() {
    guard var transfer else { return }
    self.transfer = nil
    let height = transfer.source.layout.height
    let began = monotonicNanoseconds()
    var failure: PictureError?
    if transfer.spare == nil && isToOverlap(transfer) { transfer.spare = PixelBuffer(transfer.strip.layout) }
    if transfer.spare == nil {
      failure = read(&transfer)
      if failure == nil { write(&transfer) }
    } else {
      failure = readAndWrite(&transfer)
    }
    if let failure { return fail(transfer.open, failure) }
    transfer.rows = Self.nextHeight(
      transfer.rows, most: transfer.strip.layout.height,
      nanoseconds: (monotonicNanoseconds() - began) / (context.parallelism > 1 ? 3 : 1))
    let isDone = transfer.row == height && transfer.unwritten == 0
    guard isDone || transfer.open.isEmpty else {
      self.transfer = transfer
      return
    }
    if let (picture, frame) = transfer.result, isDone { task.shared.kept?.add(picture, frame) }
    for output in transfer.open { finish(output, transfer.picture) }
  }

  private func finish(_ output: any TaskOutput, _ picture: Picture) {
    _ = attempt(output, output.traceName) { () throws(PictureError) in
      try run.files.checkReadable(picture)
      try output.finish()
    }
  }

  private func read(_ transfer: inout Transfer) -> PictureError? {
    let count = min(transfer.rows, transfer.source.layout.height - transfer.row)
    do throws(PictureError) {
      try context.checkCancellation()
      try transfer.source.read(count, into: transfer.strip.base, stride: transfer.strip.stride)
    } catch {
      return error
    }
    transfer.row += count
    transfer.unwritten = count
    return nil
  }

  private func write(_ transfer: inout Transfer) {
    let (count, strip) = (transfer.unwritten, transfer.strip)
    transfer.open = transfer.open.filter { output in
      attempt(output, output.traceName) { () throws(PictureError) in
        try output.write(count, from: strip.base, stride: strip.stride)
      } != nil
    }
    if let frame = transfer.result?.frame { strip.copyRows(count, to: frame, at: transfer.row - count) }
    transfer.unwritten = 0
  }

  /// Writes the rows of the strip, while another worker, if one is free, reads the next rows.
  private func readAndWrite(_ transfer: inout Transfer) -> PictureError? {
    guard transfer.unwritten > 0 else { return read(&transfer) }
    guard transfer.row < transfer.source.layout.height, let spare = transfer.spare else {
      write(&transfer)
      return nil
    }
    // Each object is used by one worker: one uses the source and the spare strip, the other the outputs and the strip.
    nonisolated(unsafe) var reading = transfer
    nonisolated(unsafe) var writing = transfer
    nonisolated(unsafe) var failure: PictureError?
    nonisolated(unsafe) let flow = self
    reading.strip = spare
    task.shared.scheduler.parallelFor(2, qos: task.qos) { part in
      if part == 0 { flow.write(&writing) } else { failure = flow.read(&reading) }
    }
    reading.open = writing.open
    reading.spare = transfer.strip
    transfer = reading
    return failure
  }

  /// Returns whether to read each strip while the previous one is written. That requires several workers for the
  /// picture or an idle one, more than one remaining strip, and a chain that fits on a worker's stack.
  private func isToOverlap(_ transfer: Transfer) -> Bool {
    transfer.strip.layout.height < transfer.source.layout.height - transfer.row
      && (context.parallelism > 1 || task.shared.scheduler.hasSpareWorker) && !isDeep(task.depth)
  }

  private func keeper(of outputNode: RowPlan.OutputNode, _ layout: PictureLayout)
    -> (picture: Picture, frame: PixelBuffer)?
  {
    guard let results = task.shared.kept, results.wants(outputNode.picture, layout) else { return nil }
    if case .shared = outputNode.node.step { return nil }
    return (outputNode.picture, PixelBuffer(layout))
  }

  private func fail(_ outputs: [any TaskOutput], _ error: PictureError) {
    let culprit = chain.failure.node
    for output in outputs { output.fail(error, at: culprit) }
  }

  /// Runs one step of an output. A failure ends only that output, and the result is nil.
  private func attempt<Value>(
    _ output: any TaskOutput, _ traceName: @autoclosure () -> String, _ body: () throws(PictureError) -> Value
  ) -> Value? {
    do throws(PictureError) {
      if output.job.cancellation.isCancelled { throw .cancelled }
      return try recorder.span(traceName(), body)
    } catch {
      if !isRepeated(output) { output.fail(error, at: nil) }
      return nil
    }
  }

  /// Adds another pass over the picture if a file is to be encoded again, see `FileWriter.again`. Returns whether it
  /// did.
  private func isRepeated(_ output: any TaskOutput) -> Bool {
    guard let file = (output as? FileWriter)?.again(), repeated.insert(file.path).inserted else { return false }
    outputNodes.insert(outputNodes[nextOutputNode - 1].with(only: [file]), at: nextOutputNode)
    return true
  }

  /// Returns the maximum number of rows in a strip. They take up to about 256 KiB, which fit into the second-level
  /// cache, or 1 MiB if several workers share them.
  static func stripHeight(_ layout: PictureLayout, parallelism: Int) -> Int {
    let target = parallelism > 1 ? 1 << 20 : 256 << 10
    return max(8, min(parallelism > 1 ? 512 : 64, target / layout.rowByteCount))
  }

  /// Returns the number of rows in the next strip, given the time for the last strip of `rows` rows. Strips are short,
  /// because urgent work waits for the end of a strip.
  static func nextHeight(_ rows: Int, most: Int, nanoseconds: Int) -> Int {
    if nanoseconds > 800_000 { return max(min(4, most), rows / 2) }
    if nanoseconds < 300_000 { return min(most, rows * 2) }
    return rows
  }
}
