import Foundation
import ImageCore
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// Plugin calls that fail: only the picture fails, with a message, and nothing is left behind.
  @Suite struct CallTests {
    private func odd(
      _ macros: [String], worker: String = Built.worker, deadline: Duration = patience,
      onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }
    ) throws -> OperationDefinition {
      let plugins = host(try Built.plugin("misbehaving", macros), worker: worker, deadline: deadline, onEvent: onEvent)
      return try #require(plugins.definition(named: "odd"))
    }

    @Test(
      arguments: sampled(
        [
          ([], nil),
          (["CRASH"], "crashed (segmentation fault at 0x8)"),
          (["HANG"], "did not answer within 0.1 s of waiting in either of two tries and was stopped"),
          (["SPIN"], "did not answer within 0.1 s of processor time in either of two tries and was stopped"),
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
        ] as [([String], String?)]))
    func words(_ macros: [String], _ expected: String?) throws {
      let deadline = [["HANG"], ["SPIN"]].contains(macros) ? Duration.milliseconds(100) : patience
      let failure = try odd(macros, deadline: deadline).failure()?.withoutAddresses
      #expect(failure == expected.map { "plugin 'odd' " + $0 })
    }

    /// A worker that gets a tenth of a processor, as on a busy machine, has its time: it is stopped for most of the call,
    /// which takes four times the limit.
    @Test func aWorkerThatIsHeldUpIsNotLate() throws {
      let folder = try Built.plugin("misbehaving", ["COMPUTE=0.2"])
      let plugins = host(folder, deadline: .milliseconds(500))
      let odd = try #require(plugins.definition(named: "odd"))
      let isOver = Mutex(false)
      let holding = Thread {
        while !isOver.withLock({ $0 }) {
          let workers = Self.workers(of: folder)
          for worker in workers { kill(worker, SIGSTOP) }
          usleep(40_000)
          for worker in workers { kill(worker, SIGCONT) }
          usleep(4_000)
        }
      }
      holding.start()
      let start = ContinuousClock.now
      #expect(odd.failure() == nil)
      isOver.withLock { $0 = true }
      #expect(ContinuousClock.now - start > .milliseconds(500))
    }

    /// Returns the workers that run a plugin of this folder.
    private static func workers(of folder: String) -> [pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { pid_t($0) }.filter { process in
        let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
        return line.contains("serve\0" + folder)
      }
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

    /// An error in a worker that has worked on another picture may be that picture's fault.
    @Test func anErrorOfAUsedWorkerIsTriedInAFreshOne() throws {
      let odd = try odd(["ONLY_ONCE"])
      for _ in 0..<3 { #expect(odd.failure() == nil) }
    }

    @Test func aWorkerServesManyPictures() throws {
      let odd = try odd(["WRITE_CALLS"])
      for count in 1...5 { #expect(try odd.run(Picture(count * 40, 30, .gray8, all: 0))[0, 0, 0] == count) }
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
          == "plugin 'odd' sent an invalid answer and was stopped")
    }

    /// A plugin that asks ends by itself and serves on; one that does not is stopped after the grace.
    @Test(arguments: [(["WAIT_FOR_CANCEL"], 1), (["HANG"], 0)])
    func cancellingEndsTheWait(_ macros: [String], _ workersLeft: Int) throws {
      let plugins = host(try Built.plugin("misbehaving", macros))
      let odd = try #require(plugins.definition(named: "odd"))
      let isAsked = Mutex(0)
      // Not at once: the plugin is at work by then.
      let context = OperationContext(
        parallelism: 1, parallelFor: { _, _ in },
        isCancelled: {
          isAsked.withLock { count in
            count += 1
            return count > 20
          }
        })
      #expect(odd.failure(Picture(8, 8, .rgb8, all: 1), context) == "cancelled")
      // A machine that gives the plugin no processor within the grace has it stopped, too.
      #expect(LeakTests.workers() <= workersLeft)
      plugins.invalidate()
      #expect(LeakTests.workers() == 0 && LeakTests.openThings() == 0)
    }

    /// While a plugin computes, more urgent work has the call's place, and may want the same plugin, of which there may
    /// be one worker at a time.
    @Test func anUrgentCallOfTheSamePluginInterruptsOne() throws {
      let plugins = host(
        try Built.plugin("misbehaving", ["BY_FIRST_SAMPLE"]), workersPerPlugin: 1)
      let odd = try #require(plugins.definition(named: "odd"))
      let urgent = Mutex<[String?]>([])
      let context = OperationContext(
        parallelism: 1, parallelFor: { _, _ in },
        isCancelled: { urgent.withLock { $0.count == 4 } },
        allowPreemption: { onPause in
          guard urgent.withLock({ $0.count < 4 }) else { return }
          onPause(true)
          let failure = odd.failure(Picture(8, 8, .rgb8, all: 9))
          urgent.withLock { $0.append(failure) }
          onPause(false)
        })
      // Hangs.
      #expect(odd.failure(Picture(8, 8, .rgb8, all: 2), context) == "cancelled")
      #expect(urgent.withLock { $0 } == [nil, nil, nil, nil])
      plugins.invalidate()
      #expect(LeakTests.workers() == 0 && LeakTests.openThings() == 0)
    }

    @Test(arguments: [
      ("WRONG_NUMBER", "sent an invalid answer and was stopped"),
      ("LATE", "did not answer within 0.1 s of waiting in either of two tries and was stopped"),
      ("CLOSES", "closed its connection without an answer and was stopped"),
      ("LONG_ERROR", "sent an invalid answer and was stopped"),
      ("FLOODS", "sent an invalid answer and was stopped"),
      ("CHANGES", "is not an imghost plugin: no symbol imghost_plugin_entry"),
    ])
    func hostileWorkers(_ macro: String, _ expected: String) throws {
      let odd = try odd(
        [], worker: try Built.program("hostile", [macro]),
        deadline: macro == "LATE" ? .milliseconds(100) : patience)
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
        throws: OperationError.unsuitable("it works on gray pictures only; call grayscale() before it")
      ) {
        try grayOnly.run(rgb)
      }
    }

    @Test(arguments: [
      (1, 1, 30), (10_000, 10_000, 30), (10_001, 10_000, 60), (60_000, 60_000, 36 * 30),
      (1_000_000, 4000, 40 * 30),
    ])
    func largePicturesHaveMoreTime(_ width: Int, _ height: Int, _ seconds: Int) {
      #expect(WorkerPool.timeLimit(.seconds(30), pixels: width * height) == .seconds(seconds))
    }
  }
}
