import ImageCore
import PictureTraits
import Scheduling
import Testing

@testable import ImagePipeline

/// Traits of many pictures at a time.
struct RunTraitsTests {
  private func with(workers: Int = 2, _ body: (Run) throws -> Void) rethrows {
    let scheduler = Scheduler(.init(workers: workers, memoryBudget: 1 << 30))
    scheduler.activate()
    defer { scheduler.invalidate() }
    try body(
      Run(
        environment: RowsCodec.environment, options: RunOptions(), scheduler: scheduler,
        cancellation: CancellationToken(), observer: { _ in }))
  }

  private func canvas(_ run: Run, _ colour: String, side: Int = 60) -> Picture {
    run.graph.canvas(
      RawArguments(
        positional: [.integer(side), .integer(side)], named: [("background", .text(colour))]), at: nil)
  }

  @Test(arguments: [1, 2, 5]) func manyAtATime(workers: Int) {
    with(workers: workers) { run in
      var pictures = (0..<40).map { canvas(run, $0 % 2 == 0 ? "white" : "#808080", side: $0 + 1) }
      pictures[7] = run.graph.invalid(at: nil)
      pictures[8] = pictures[9]
      let traits = run.facts.traits(of: pictures)
      #expect(traits.count == 40 && traits[7] == nil)
      #expect(traits.enumerated().allSatisfy { $0.offset == 7 || $0.element != nil })
      #expect(traits[8] == traits[9] && traits[0]?.exposure == 0 && traits[1]?.exposure == 1)
      #expect(run.facts.traits(of: pictures) == traits, "asked for again")
      #expect(run.facts.traits(of: [Picture]()).isEmpty)
    }
  }

  @Test func aCancelledRunGivesNone() {
    with { run in
      let picture = canvas(run, "white")
      run.cancellation.cancel(CancellationReason("the test says so"))
      #expect(run.facts.traits(of: [picture, picture]) == [nil, nil])
    }
  }

  @Test func oneThatCannotBeMadeThrows() {
    with { run in
      #expect(throws: Picture.Problem.self) { try run.traits(of: run.graph.invalid(at: nil)) as PictureTraits }
    }
  }
}
