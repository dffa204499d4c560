import ImageCore
import Scheduling
import Testing

import Platform

@testable import ImagePipeline

/// The wait for the next of several jobs, and the jobs that it reports.
struct RunWaitingTests {
  private func withRun(_ body: (Run, Scheduler) throws -> Void) throws {
    var template = Array("/tmp/imghost-run-XXXXXX".utf8CString)
    let folder = String(cString: mkdtemp(&template))
    defer {
      for index in 0..<200 { unlink("\(folder)/\(index).rows") }
      #expect(rmdir(folder) == 0, "something was left behind")
    }
    let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1 << 30))
    scheduler.activate()
    defer { scheduler.invalidate() }
    var options = RunOptions()
    options.outputFolder = folder
    try body(
      Run(
        environment: RowsCodec.environment,
        options: options, scheduler: scheduler, cancellation: CancellationToken(),
        observer: { _ in }),
      scheduler)
  }

  private func save(_ run: Run, _ name: String) throws -> Job {
    let picture = run.graph.canvas(RawArguments(positional: [.integer(3), .integer(4)]), at: nil)
    let job = run.graph.save([picture], to: name, RawArguments(), at: nil)
    try run.settle()
    return job
  }

  /// A job may end between the look of the caller and the call.
  @Test func whatEndedSinceTheLookIsNotWaitedFor() throws {
    try withRun { run, scheduler in
      let first = try save(run, "0.rows")
      try run.wait(forNextOf: [first]) { _ in }
      let holds = Monitor(true)
      try scheduler.submit(.userInteractive) {
        _ = holds.wait(seconds: 5) { $0 ? nil : () }
      }
      let second = try save(run, "1.rows")
      try run.wait(forNextOf: [second, first], known: 0) { _ in }
      #expect(first.isFinished && !second.isFinished)
      holds.withLock { $0 = false }
      holds.notifyAll()
      var told: [Job] = []
      try run.wait(forNextOf: [second, first], known: 1) { told.append($0) }
      #expect(second.isFinished && told.count == 1 && told.first === second)
      try run.finish(onFinished: { _ in })
    }
  }

  /// Whoever sees that a job is over has been told so when the wait returns.
  @Test func whatIsOverIsTold() throws {
    try withRun { run, _ in
      for index in 0..<200 {
        let job = try save(run, "\(index).rows")
        if index % 2 == 0 { while !job.isFinished {} }
        var told: [Job] = []
        try run.wait(forNextOf: [job]) { told.append($0) }
        #expect(told.count == 1 && told.first === job)
      }
      try run.finish(onFinished: { _ in })
    }
  }
}
