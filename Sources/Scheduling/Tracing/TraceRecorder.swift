/// What happened in a run, for a drawing of it. From any thread.
public final class TraceRecorder: Sendable {
  /// One thing that happened. Times are nanoseconds of `CLOCK_MONOTONIC`.
  public enum Event: Sendable {
    /// A worker did a step of some work.
    case step(worker: Int, name: String, qos: QualityOfService, began: Int, ended: Int)
    /// Within a step, a part of it: an operation on some rows.
    case span(worker: Int, name: String, began: Int, ended: Int)
    /// How many items could run and how much memory is admitted.
    case levels(time: Int, ready: Int, bytes: Int)
    /// Something that takes no time: a job was cancelled.
    case mark(time: Int, name: String, detail: String)
  }

  private let log = Monitor<[Event]>([])
  /// When recording began.
  public let origin = monotonicNanoseconds()

  public init() {}

  /// What was recorded, each worker's in order.
  public var events: [Event] { log.withLock { $0 } }

  func step(worker: Int, name: String, qos: QualityOfService, began: Int, ended: Int) {
    add(.step(worker: worker, name: name, qos: qos, began: began, ended: ended))
  }

  func levels(ready: Int, bytes: Int) {
    add(.levels(time: monotonicNanoseconds(), ready: ready, bytes: bytes))
  }

  /// Runs a part of a step on the calling worker, and notes how long it took.
  public func span<Result, Failure: Error>(
    _ name: @autoclosure () -> String, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let worker = Worker.current else { return try body() }
    let began = monotonicNanoseconds()
    defer {
      add(
        .span(worker: worker.index, name: name(), began: began, ended: monotonicNanoseconds()))
    }
    return try body()
  }

  public func mark(_ name: String, _ detail: String) {
    add(.mark(time: monotonicNanoseconds(), name: name, detail: detail))
  }

  private func add(_ event: Event) { log.withLock { $0.append(event) } }
}
