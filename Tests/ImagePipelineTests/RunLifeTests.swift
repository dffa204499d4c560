import ImageCore
import Scheduling
import Testing

import Platform

@testable import ImagePipeline

/// No object of a run outlives it: jobs, their items, tasks and pictures.
struct RunLifeTests {
  /// Weak references to the objects that must be gone after a run.
  private final class Traces {
    weak var run: Run?
    weak var scheduler: Scheduler?
    var jobs: [Weak] = []

    final class Weak {
      weak var job: Job?
      weak var item: WorkItem?
      init(_ job: Job) {
        self.job = job
        item = job.waitedFor.first
      }
    }

    var isEmpty: Bool { run == nil && scheduler == nil && jobs.allSatisfy { $0.job == nil && $0.item == nil } }
  }

  private func traces(_ folder: String, cancelled: Bool) throws -> Traces {
    let traces = Traces()
    let scheduler = Scheduler(.init(workers: 2, memoryBudget: 1 << 30))
    scheduler.activate()
    var options = RunOptions()
    options.outputFolder = folder
    let run = Run(
      environment: RowsCodec.environment,
      options: options, scheduler: scheduler,
      cancellation: CancellationToken(), observer: { _ in })
    traces.run = run
    traces.scheduler = scheduler
    var last: Job?
    let size = RawArguments(positional: [.integer(300), .integer(400)])
    var jobs: [Job] = []
    for index in 0..<40 {
      let picture = run.graph.canvas(size, at: nil)
      let job = run.graph.save([picture], to: "\(index).rows", after: last.map { [$0] } ?? [], RawArguments(), at: nil)
      jobs.append(job)
      last = index % 3 == 0 ? job : last
    }
    try run.settle()
    traces.jobs = jobs.map { Traces.Weak($0) }
    if cancelled { run.cancellation.cancel(CancellationReason("the test says so")) }
    try run.finish(onFinished: { _ in })
    for job in jobs {
      #expect(job.isFinished)
      if !cancelled { #expect(job.stateName == "finished") }
      if job.stateName == "cancelled" { #expect(job.result.reason?.description == "the test says so") }
    }
    scheduler.invalidate()
    return traces
  }

  @Test(arguments: [false, true])
  func nothingOutlivesARun(cancelled: Bool) throws {
    var template = Array("/tmp/imghost-run-XXXXXX".utf8CString)
    let folder = String(cString: mkdtemp(&template))
    let traces = try traces(folder, cancelled: cancelled)
    // Threads let go of it a moment after they have said that they end.
    for _ in 0..<500 where !traces.isEmpty { usleep(10_000) }
    #expect(traces.isEmpty)
    for index in 0..<40 { unlink("\(folder)/\(index).rows") }
    #expect(rmdir(folder) == 0, "something was left behind")
  }
}
