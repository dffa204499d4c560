import ImageCore
import Platform
import Scheduling
import Synchronization
import Testing

@testable import ImagePipeline

/// Measurements that an earlier run has recorded.
struct RecordedMeasurementTests {
  /// Records that keep measurements alone.
  private final class Records: OutputRecords {
    let values = Mutex([String: ParameterValue]())

    func verdicts(on outputs: PlannedOutputs, digest _: @escaping @Sendable (String) -> PictureDigest?)
      -> [OutputVerdict]
    { outputs.map { _ in .make } }
    func pageJournal(of key: String, for file: OutputFile) -> PageJournal? { nil }
    func read(_ path: String, _ version: FileVersion, _ digest: SHA256Digest) {}
    func note(key: String?, path: String, at place: InternedPath, _ file: stat) throws(PictureError) -> Int32? { nil }
    func hasShown(_ place: InternedPath) {}
    func measurement(_ recipe: OutputRecipe, digest _: @escaping @Sendable (String) -> PictureDigest?)
      -> ParameterValue?
    { values.withLock { $0[recipe.text + "\(recipe.sources)"] } }
    func keep(_ value: ParameterValue, of recipe: OutputRecipe) {
      values.withLock { $0[recipe.text + "\(recipe.sources)"] = value }
    }
    func checkName(_ place: InternedPath) {}
    func willShow(_ place: InternedPath, _ file: stat) throws(PictureError) {}
    func keeps(_ place: InternedPath, _ path: String) -> Bool { false }
  }

  private final class Counter: Sendable {
    let value = Mutex(0)
  }

  private let records = Records()

  /// Measures a canvas in a run of its own, and returns how often pixels were read.
  private func readings(_ colour: String, _ arguments: RawArguments = RawArguments(), records: Records?) throws -> Int {
    let counter = Counter()
    let definition = MeasurementDefinition(
      OperationDescriptor(
        name: "height", family: "script", summary: "Count rows",
        parameters: [ParameterDescriptor("scale", .integer(1...9), default: .integer(1), help: "a factor")]),
      gives: .table("imghost.Test")
    ) { source, arguments, _, _ throws(PictureError) in
      counter.value.withLock { $0 += 1 }
      return .number(Double(source.layout.height) * Double(arguments.integer("scale")))
    }
    let scheduler = Scheduler(.init(workers: 2, memoryBudget: 1 << 30))
    scheduler.activate()
    defer { scheduler.invalidate() }
    var options = RunOptions()
    options.records = records
    let run = Run(
      environment: RowsCodec.environment, options: options, scheduler: scheduler, cancellation: CancellationToken(),
      observer: { _ in })
    let picture = run.graph.canvas(
      RawArguments(positional: [.integer(4), .integer(4)], named: [("background", .text(colour))]), at: nil)
    for _ in 0..<2 { #expect(try run.measure(picture, definition, arguments, at: nil) == .number(4)) }
    return counter.value.withLock { $0 }
  }

  @Test func areNotMadeAgain() throws {
    #expect(try readings("white", records: records) == 1, "two equal calls of one run are one measurement")
    #expect(try readings("white", records: records) == 0)
    #expect(try readings("black", records: records) == 1)
    #expect(try readings("white", RawArguments(named: [("scale", .integer(1))]), records: records) == 1)
    #expect(try readings("white", records: nil) == 1)
  }
}
