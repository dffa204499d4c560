import ImageCore
import PluginHost
import Synchronization
import Testing

extension PluginHostTests {
  /// Plugins in the host's own process, for trusted code. Plugins in Swift are not tested here, because their copy of
  /// Swift's library would conflict with that of the test program.
  @Suite struct InProcessTests {
    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.u16, .rgb)])
    func resultsAreTheSame(_ format: PixelFormat) throws {
      let picture = Picture(61, 47, format) { x, y, band in (x * 3 + y * 5 + band * 50) % 256 }
      for (folder, name) in [(Built.folder, "halftone"), (try Built.plugin("misbehaving"), "odd")] {
        let isolated = try #require(host(folder).definition(named: name))
        let here = try #require(host(folder, inProcess: true).definition(named: name))
        #expect(try here.run(picture) == isolated.run(picture))
      }
    }

    @Test func noWorkerIsLeftForCalls() throws {
      let plugins = host(try Built.plugin("misbehaving"), inProcess: true)
      let odd = try #require(plugins.definition(named: "odd"))
      _ = try odd.run(Picture(20, 20, .rgb8, all: 3))
      #expect(LeakTests.workers() == 0 && LeakTests.openThings() == 0)
      plugins.invalidate()
      #expect(odd.failure() == "cancelled")
    }

    @Test(arguments: [
      (["ERROR_TEXT=\"a\\n\\x1b[2Jb\""], "plugin 'odd' a  [2Jb"),
      (["CREATE_FAILS"], "plugin 'odd' needs a lens"),
      (["SILENT"], "plugin 'odd' failed without saying why"),
    ])
    func words(_ macros: [String], _ expected: String) throws {
      let plugins = host(try Built.plugin("misbehaving", macros), inProcess: true)
      #expect(try #require(plugins.definition(named: "odd")).failure() == expected)
    }

    @Test func logsAndCancellation() throws {
      let events = Mutex<[PluginEvent]>([])
      let plugins = host(
        try Built.plugin("misbehaving", ["LOGS=1"]), inProcess: true,
        onEvent: { event in events.withLock { $0.append(event) } })
      let odd = try #require(plugins.definition(named: "odd"))
      #expect(odd.failure() == nil)
      #expect(
        events.withLock { $0 } == [
          .log(plugin: "odd", isWarning: true, text: "line and  [31mmore"),
          .progress(plugin: "odd", fraction: 0.5),
        ])
      let waiting = host(try Built.plugin("misbehaving", ["WAIT_FOR_CANCEL"]), inProcess: true)
      let asks = Mutex(0)
      let context = OperationContext(
        parallelism: 1, parallelFor: { _, _ in },
        isCancelled: {
          asks.withLock {
            $0 += 1
            return $0 > 20
          }
        })
      let failure = try #require(waiting.definition(named: "odd")).failure(Picture(8, 8, .rgb8, all: 1), context)
      #expect(failure == "cancelled")
    }
  }
}
