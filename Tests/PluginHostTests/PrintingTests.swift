import CProcesses
import Foundation
import ImageCore
import Synchronization
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// The output of plugins, and the parts of the host that they can see.
  @Suite struct PrintingTests {
    private final class Lines: Sendable {
      let all = Mutex<[String]>([])

      func add(_ event: PluginEvent) {
        guard case .log(let plugin, _, let text) = event else { return }
        all.withLock { $0.append("\(plugin): \(text)") }
      }
    }

    private func lines(_ macros: [String], calls: Int = 1) throws -> [String] {
      let lines = Lines()
      let plugins = host(
        try Built.plugin("misbehaving", macros), onEvent: { lines.add($0) })
      let odd = try #require(plugins.definition(named: "odd"))
      for _ in 0..<calls { #expect(odd.failure() == nil) }
      plugins.invalidate()
      return lines.all.withLock { $0 }
    }

    @Test func linesAreCleanedAndLabelled() throws {
      #expect(try lines(["PRINTS=2"]) == ["odd: chatter  0", "odd: chatter  1"])
    }

    /// Megabytes of it: the plugin goes on, the host hears a hundred lines, in all calls together.
    @Test func floodsAreCut() throws {
      let lines = try lines(["PRINTS=200000"], calls: 3)
      #expect(lines.count == PrintedOutput.maximumLines + 1)
      #expect(lines.last == "odd: printed more than is shown; the rest is left out")
    }

    /// What libjxl prints for its authors is left out.
    @Test func constructorsAreLabelledByTheirFile() throws {
      let lines = Lines()
      let plugins = host(
        try Built.plugin(
          "misbehaving", ["CONSTRUCTOR=dprintf(2, \"./lib/jxl/decode.cc:1182: frame processing failed\\nbegins\")"]),
        onEvent: { lines.add($0) })
      #expect(plugins.names() == ["odd"])
      #expect(lines.all.withLock { $0 } == ["libmisbehavingPlugin.so: begins"])
    }

    @Test(arguments: [
      ("plain", "plain"), ("\u{1b}[1;31mred\u{1b}[0m", "red"), ("a\u{1b}]0;title\u{7}b", "ab"),
      ("a\u{1b}]8;;http://x\u{1b}\\b", "ab"), ("a\u{1b}(Bb\u{1b}cd", "abd"), ("a\u{1b}", "a"),
      ("a\u{1b}[12", "a"), ("a\u{1b}]never ends", "a"), ("\u{1b}\u{1b}[2Jx", "[2Jx"),
    ])
    func escapeSequences(_ text: String, _ expected: String) {
      let bytes = EscapeSequences.removed(from: Array(text.utf8)[...])
      #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    /// While workers live nobody else can look into this process; afterwards all is as it was.
    @Test func theHostIsHiddenWhileWorkersLive() throws {
      try #require(shim_dumpable() == 1)
      let plugins = host()
      let vignette = try #require(plugins.definition(named: "vignette"))
      _ = try vignette.run(Picture(20, 20, .rgb8, all: 9))
      #expect(shim_dumpable() == 0)
      // The host itself can still read /proc.
      #expect(FileManager.default.isReadableFile(atPath: "/proc/self/statm"))
      #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) != nil)
      plugins.invalidate()
      #expect(shim_dumpable() == 1)
      #expect(host(worker: "/nowhere/worker").isolation().enforced.isEmpty)
      #expect(shim_dumpable() == 1)
    }
  }
}
