import ImageCore
import Scheduling
import Testing

import Platform

@testable import ImagePipeline

/// Pictures that several tasks read are made by a step of their own.
@Suite struct SharedFrameTests {
  /// Gives its picture on, once more urgent work has run.
  private final class Patient: PictureOperation {
    let began = Monitor(false)
    let isUrgentDone = Monitor(false)

    func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }
    func workingByteCount(for inputs: [PictureLayout]) -> Int { 1000 }
    func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
      throws(PictureError) -> any RowSource
    {
      began.withLock { $0 = true }
      began.notifyAll()
      while !isUrgentDone.withLock({ $0 }) { try context.checkCancellation() }
      return inputs[0]
    }
  }

  /// Two minutes, which only what hangs needs.
  private static let patience = 120.0

  @Test(arguments: [0, 300]) func urgentWorkInterruptsThem(depth: Int) throws {
    let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1 << 30))
    scheduler.activate()
    defer { scheduler.invalidate() }
    let layout = PictureLayout(width: 20, height: 20, format: .rgb8)
    let none = try Arguments(RawArguments(), parameters: [], positionalCount: 0)
    let operation = Patient()
    func apply(_ operation: any PictureOperation, _ picture: Picture) -> Picture {
      Picture(.operation(name: "fake", operation, none), inputs: [picture], position: nil)
    }
    var picture = apply(operation, Picture(.canvas(layout, Colour.black), position: nil))
    for _ in 0..<depth { picture = apply(FakeOperation(), picture) }
    let cancellation = CancellationToken()
    let frame = SharedFrame(
      picture, opening: Fake.opening(),
      cancellation: cancellation, colours: NoColourConverter(),
      scheduler: scheduler, note: { _, _ in })
    _ = try frame.item(scheduler, qos: .default)
    #expect(operation.began.wait(seconds: Self.patience) { $0 ? () : nil } != nil)
    #expect(!frame.isComputed)
    try scheduler.submit(.userInteractive) {
      operation.isUrgentDone.withLock { $0 = true }
    }
    for _ in 0..<12_000 where !frame.isComputed { usleep(10_000) }
    #expect(frame.isComputed && operation.isUrgentDone.withLock { $0 })
    // Ends the operation even if nothing interrupted it and the test has failed.
    cancellation.cancel(CancellationReason("the test ends"))
  }
}
