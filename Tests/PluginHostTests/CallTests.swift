import Foundation
import ImageCore
import Synchronization
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// Calls of plugins that go wrong: only the picture fails, with words, and nothing is left behind.
  @Suite struct CallTests {
    private func odd(
      _ macros: [String], worker: String = Built.worker, deadline: Duration = .seconds(60),
      onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }
    ) throws -> OperationDefinition {
      let plugins = host(
        try Built.plugin("misbehaving", macros), worker: worker, deadline: deadline,
        onEvent: onEvent)
      return try #require(plugins.definition(named: "odd"))
    }

    @Test(
      arguments: [
        ([], nil),
        (["CRASH"], "crashed (segmentation fault at 0x8)"),
        (["HANG"], "did not answer within 2 s and was stopped"),
        (["WRITE_INPUT"], "wrote to its input (segmentation fault at 0x…)"),
        (["READ_PAST_INPUT"], "read outside its input (segmentation fault at 0x…)"),
        (["WRITE_PAST_OUTPUT"], "wrote outside its output (segmentation fault at 0x…)"),
        (["EXIT"], "ended its process with status 3 in the middle of its work"),
        (["ERROR_TEXT=\"needs more light\""], "needs more light"),
        (["ERROR_TEXT=\"a\\n\\x1b[2Jb\""], "a  [2Jb"),
        (["CREATE_FAILS"], "needs a lens"),
        (["SILENT"], "failed without saying why"),
        (["PRINTS=1"], nil),
        (["OPENS_FILES"], nil),
        (["CRASH_ON_WHITE"], nil),
      ] as [([String], String?)])
    func words(_ macros: [String], _ expected: String?) throws {
      let deadline = macros == ["HANG"] ? shortDeadline : .seconds(60)
      let failure = try odd(macros, deadline: deadline).failure()?.withoutAddresses
      #expect(failure == expected.map { "plugin 'odd' " + $0 })
    }

    @Test func onlyThePictureThatCrashesItFails() throws {
      let odd = try odd(["CRASH_ON_WHITE"])
      let (good, bad) = (Picture(9, 9, .rgb8, all: 7), Picture(9, 9, .rgb8, all: 255))
      for picture in [good, bad, good, good, bad, good] {
        #expect(
          odd.failure(picture)
            == (picture == bad ? "plugin 'odd' crashed (it aborted itself)" : nil))
      }
      #expect(try odd.run(good) == good)
    }

    @Test func aCrashThatDoesNotComeAgainIsForgiven() throws {
      #expect(try odd(["CRASH_ONCE"]).failure() == nil)
    }

    @Test func aWorkerServesManyPictures() throws {
      let odd = try odd(["WRITE_CALLS"])
      for count in 1...5 {
        #expect(try odd.run(Picture(count * 40, 30, .gray8, all: 0))[0, 0, 0] == count)
      }
    }

    @Test func sharedMemoryIsSealed() throws {
      let plugins = host(try Built.plugin("thief"))
      let thief = try #require(plugins.definition(named: "thief"))
      #expect(thief.failure() == "plugin 'thief' may do nothing")
    }

    @Test func logsAndProgressReachTheHost() throws {
      let events = Mutex<[PluginEvent]>([])
      let odd = try odd(["LOGS=2"]) { event in events.withLock { $0.append(event) } }
      #expect(odd.failure() == nil)
      let line = PluginEvent.log(plugin: "odd", isWarning: true, text: "line and  [31mmore")
      #expect(
        events.withLock { $0 } == [line, line, .progress(plugin: "odd", fraction: 0.5)])
      #expect(
        try self.odd(["LOGS=5000"]).failure()
          == "plugin 'odd' gave an answer that makes no sense and was stopped")
    }

    /// A plugin that asks ends by itself, one that does not is ended; nobody waits for the deadline.
    @Test(arguments: ["WAIT_FOR_CANCEL", "HANG"])
    func cancellingEndsTheWait(_ macro: String) throws {
      let plugins = host(try Built.plugin("misbehaving", [macro]), deadline: .seconds(600))
      let odd = try #require(plugins.definition(named: "odd"))
      let start = ContinuousClock.now
      for _ in 0..<3 {
        let end = ContinuousClock.now + .milliseconds(100)
        let context = OperationContext(
          parallelism: 1, parallelFor: { _, _ in }, isCancelled: { ContinuousClock.now > end })
        #expect(odd.failure(Picture(8, 8, .rgb8, all: 1), context) == "cancelled")
      }
      #expect(ContinuousClock.now - start < .seconds(300))
    }

    @Test(arguments: [
      ("WRONG_NUMBER", "gave an answer that makes no sense and was stopped"),
      ("LATE", "did not answer within 2 s and was stopped"),
      ("CLOSES", "closed its connection without an answer and was stopped"),
      ("LONG_ERROR", "gave an answer that makes no sense and was stopped"),
      ("FLOODS", "gave an answer that makes no sense and was stopped"),
      ("CHANGES", "is not an imghost plugin: no symbol imghost_plugin_entry"),
    ])
    func hostileWorkers(_ macro: String, _ expected: String) throws {
      let odd = try odd(
        [], worker: try Built.program("hostile", [macro]),
        deadline: macro == "LATE" ? shortDeadline : .seconds(60))
      #expect(odd.failure() == "plugin 'odd' \(expected)")
    }

    @Test func anAnswerTooManyIsNotTakenForTheNext() throws {
      let odd = try odd([], worker: try Built.program("hostile", ["TWICE"]))
      for _ in 0..<3 { #expect(odd.failure() == nil) }
    }

    @Test func pluginsOfOtherFormatsAreConvertedFor() throws {
      // Takes premultiplied 16-bit RGB with alpha only, and copies it.
      let odd = try odd(["SAMPLES=4", "BANDS=16", "ALPHA=2"])
      let gray = Picture(20, 10, .gray8) { x, y, _ in x * 12 + y }
      let rgb = Picture(20, 10, .rgb8) { x, _, _ in gray[x, 0, 0] }
      #expect(try odd.run(Picture(20, 10, .gray8) { x, _, _ in gray[x, 0, 0] }) == rgb)
      let clear = Picture(20, 10, .rgba8) { x, _, band in band == 3 ? 128 + x : x * 12 }
      #expect(try odd.run(clear) == clear)
      let grayOnly = try self.odd(["BANDS=2"])
      #expect(
        try grayOnly.run(Picture(20, 10, .gray8.with(alpha: true)) { x, y, b in x + y + b })
          == Picture(20, 10, .gray8.with(alpha: true)) { x, y, b in x + y + b })
      #expect(
        throws: OperationError.unsuitable(
          "it works on gray pictures only; call grayscale() before it")
      ) {
        try grayOnly.run(rgb)
      }
    }

    @Test(arguments: [
      (1, 1, 30), (10_000, 10_000, 30), (10_001, 10_000, 60), (60_000, 60_000, 36 * 30),
      (1_000_000, 4000, 40 * 30),
    ])
    func largePicturesHaveMoreTime(_ width: UInt32, _ height: UInt32, _ seconds: Int) {
      let picture = WirePicture(
        width: width, height: height, sample: 1, bands: 3, alpha: 0, stride: UInt64(width) * 3)
      #expect(WorkerPool.limit(.seconds(30), for: picture) == .seconds(seconds))
    }
  }
}
