import BookDesign
import ImageCore
import PictureTraits
import Scheduling
import Testing

@testable import BookComposing
@testable import ImagePipeline

/// Hints for pictures in books.
struct PictureHintsTests {
  private func with(_ body: (Run) throws -> Void) rethrows {
    let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1 << 30))
    scheduler.activate()
    defer { scheduler.invalidate() }
    try body(
      Run(
        environment: .books(.letters(.document(.cancelled))), options: RunOptions(), scheduler: scheduler,
        cancellation: CancellationToken(), observer: { _ in }))
  }

  private func canvas(_ run: Run, _ colour: String) -> Picture {
    run.graph.canvas(
      RawArguments(positional: [.integer(60), .integer(60)], named: [("background", .text(colour))]), at: nil)
  }

  @Test func laterHintsChangeWhatTheyName() {
    with { run in
      let books = BookRequests(run)
      let picture = canvas(run, "white")
      #expect(books.hints.hint(for: picture) == nil)
      books.hint([picture], RawArguments(named: [("hero", .boolean(true)), ("caption", .text("a"))]), at: nil)
      let part = ["x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4].mapValues { ParameterValue.number($0) }
      books.hint([picture], RawArguments(named: [("keep", .fields(part)), ("score", .integer(1))]), at: nil)
      books.hint([picture], RawArguments(named: [("caption", .text("b")), ("page", .text("new"))]), at: nil)
      let keep = UnitRectangle(left: 0.1, top: 0.2, width: 0.3, height: 0.4)
      #expect(
        books.hints.hint(for: picture)
          == DesignHint(hero: true, keep: keep, caption: "b", startsPage: true, score: 1))
      #expect(run.graph.mistakes.isEmpty)
      #expect(books.hints.hint(for: canvas(run, "white")) == nil, "another picture that looks alike")
    }
  }

  @Test func aHintHoldsForWhatIsMadeOfAPicture() {
    with { run in
      let books = BookRequests(run)
      let picture = canvas(run, "white")
      let made = Picture(.invalid, inputs: [Picture(.invalid, inputs: [picture], position: nil)], position: nil)
      let keep = ParameterValue.list([0, 0, 0.5, 0.5].map { .number($0) })
      books.hint([picture], RawArguments(named: [("skip", .boolean(true)), ("keep", keep)]), at: nil)
      #expect(books.hints.hint(for: made) == DesignHint(skip: true), "an operation may have moved the part")
      books.hint([made], RawArguments(named: [("hero", .boolean(true))]), at: nil)
      #expect(books.hints.hint(for: made) == DesignHint(hero: true), "the nearest counts")
    }
  }
}
