import Foundation
import ImageCore
import TestSupport
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// `imghost plugin check` finds each fault, and only that.
  @Suite struct CheckTests {
    typealias Property = PluginVerdict.Property

    private func verdict(_ source: String, _ macros: [String], deadline: Duration = patience) throws -> PluginVerdict {
      let file = try Built.plugin(source, macros) + "/lib\(source)Plugin.so"
      return try PluginCheck(
        file: file, worker: Built.worker, deadline: deadline, describeDeadline: patience, hugeSize: (600, 400)
      ).run()
    }

    @Test(
      .thorough,
      arguments: [
        ([], []),
        (["LEAKS"], [.leak]),
        (["CRASHES_AT_THE_END"], [.crash, .parameters]),
        (["CRASHES_WHEN_TINY"], [.crash, .sizes]),
        (["LOOKS_BEYOND"], [.strips]),
        (["SHARES_STATE"], [.threads]),
        (["SHARES_STATE", "THREADS=1"], [.threads]),
        (["SHARES_STATE", "THREADS=0"], []),
        (["COUNTS_CALLS", "EXTENT=1", "THREADS=0"], [.repeatable]),
        (["COUNTS_CALLS", "EXTENT=1", "THREADS=0", "FLAGS=0"], []),
      ] as [([String], [Property])])
    func faults(_ macros: [String], _ expected: [Property]) throws {
      let verdict = try verdict("checked", macros)
      #expect(
        verdict.rows.filter { $0.state == .bad }.map(\.property) == expected, "\(verdict.rows)")
      let ofCodecs: [Property] = [.regions, .pages, .truncated, .flipped, .falseSizes, .roundTrip, .rewriting]
      #expect(verdict.rows.map(\.property) == Property.allCases.filter { !ofCodecs.contains($0) })
      #expect(verdict.isGood == expected.isEmpty)
    }

    @Test(
      arguments: sampled(
        [
          (["CRASH"], .crash), (["HANG"], .hang), (["WRITE_INPUT"], .input),
          (["READ_PAST_INPUT"], .bounds), (["WRITE_PAST_OUTPUT"], .bounds), (["EXIT"], .crash),
        ] as [([String], Property)]))
    func kindsOfCrash(_ macros: [String], _ expected: Property) throws {
      let verdict = try verdict("misbehaving", macros, deadline: macros == ["HANG"] ? .milliseconds(100) : patience)
      let kinds: [Property] = [.crash, .hang, .input, .bounds]
      #expect(
        verdict.rows.filter { $0.state == .bad && kinds.contains($0.property) }.map(\.property)
          == [expected], "\(verdict.rows)")
      #expect(verdict.wantsOneAtATime)
      #expect(verdict.rows.last?.state == (expected == .hang ? .notTried : .bad))
    }

    @Test func whatIsNotClaimedIsNotTried() throws {
      let verdict = try verdict("checked", ["EXTENT=1", "THREADS=0", "FLAGS=0"])
      #expect(
        verdict.rows.filter { $0.state == .notDeclared }.map(\.property)
          == [.repeatable, .unset, .strips, .threads])
    }

    @Test func verdictsAreKeptByTheFilesBytes() throws {
      let file = Built.newFolder() + "/plugin.so"
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
      let cache = VerdictCache(folder: Built.newFolder() + "/a/b")
      #expect(cache.verdict(ofFile: file) == nil)
      let verdict = PluginVerdict(
        plugin: "x", rows: [.init(.crash, .bad, "it crashed"), .init(.strips, .notDeclared), .init(.leak, .good)])
      #expect(cache.keep(verdict, ofFile: file))
      #expect(cache.verdict(ofFile: file) == verdict)
      try Data([1, 2, 4]).write(to: URL(fileURLWithPath: file))
      #expect(cache.verdict(ofFile: file) == nil)
      #expect(!VerdictCache(folder: nil).keep(verdict, ofFile: file))
      #expect(!VerdictCache(folder: "/proc/none").keep(verdict, ofFile: file))
    }

    @Test(arguments: [
      "", "\n", "imghost plugin verdict 1\nx\n", "imghost plugin verdict 2\nx\ncrash\tgood\t\n",
      "imghost plugin verdict 1\nx\ncrash\tgood\n", "imghost plugin verdict 1\nx\ncrash\tfine\t\n",
      "imghost plugin verdict 1\nx\ncrash\tgood\t",
    ])
    func damagedVerdictsCountAsNone(_ text: String) { #expect(VerdictCache.read(text) == nil) }

    @Test func aBadVerdictMeansOneAtATime() throws {
      let folder = try Built.plugin("misbehaving", ["WRITE_CALLS"])
      let cache = VerdictCache(folder: Built.newFolder())
      let bad = PluginVerdict(plugin: "odd", rows: [.init(.crash, .good), .init(.threads, .bad), .init(.leak, .good)])
      func mostAtOnce() throws -> Int {
        let plugins = host([PluginFolder(path: folder)]) { $0.verdicts = cache }
        defer { plugins.invalidate() }
        let odd = try #require(plugins.definition(named: "odd"))
        // A worker writes how many calls it has had: with one worker, the last of 12 writes 12.
        let results = Counts()
        DispatchQueue.concurrentPerform(iterations: 12) { _ in
          if let result = try? odd.run(Picture(400, 300, .gray8, all: 0)) { results.add(result[0, 0, 0]) }
        }
        return results.values.sorted() == Array(1...12) ? 1 : 2
      }
      cache.keep(bad, ofFile: folder + "/libmisbehavingPlugin.so")
      #expect(try mostAtOnce() == 1)
    }

    private final class Counts: @unchecked Sendable {
      private let lock = NSLock()
      private var all: [Int] = []
      func add(_ value: Int) { lock.withLock { all.append(value) } }
      var values: [Int] { lock.withLock { all } }
    }
  }
}
