import Foundation
import ImageCore
import Platform
import TestSupport
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// Descriptions of plugins are kept from run to run, and damage to them does no harm.
  @Suite struct DescriptionCacheTests {
    /// A worker that records each start, and waits until a number of workers have started.
    private struct CountingWorker {
      let path: String
      private let log: String

      init(waitingFor count: Int = 0) throws {
        let folder = Built.newFolder()
        (path, log) = (folder + "/worker", folder + "/log")
        let waits = "while [ $(wc -l < '\(log)') -lt \(count) ]; do sleep 0.05; done"
        let script =
          "#!/bin/sh\necho \"$1\" >> '\(log)'\n\(waits)\nexec '\(Built.worker)' \"$@\"\n"
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      }

      /// How often a library was described.
      var descriptions: Int {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count { $0 == "describe" }
      }
    }

    private func plugins(
      _ folders: String..., worker: CountingWorker, cache: String, describeDeadline: Duration = patience
    ) -> PluginHost {
      host(folders.map { PluginFolder(path: $0) }) {
        $0.worker = worker.path
        $0.describeDeadline = describeDeadline
        $0.cacheFolder = cache
      }
    }

    private func plugins(_ folder: String, _ worker: CountingWorker, _ cache: String) -> PluginHost {
      plugins(folder, worker: worker, cache: cache)
    }

    /// A plugin whose constructor never ends, and one that works, in folders of their own.
    private func hangingAndEcho() throws -> (hanging: String, echo: String) {
      (try Built.plugin("misbehaving", ["CONSTRUCTOR=({ for (;;) pause(); 0; })"]), try Built.plugin("echo"))
    }

    /// A file that is not needed is not asked, wherever it lies.
    @Test func nobodyWaitsForWhatIsNotNeeded() throws {
      let (hanging, echo) = try hangingAndEcho()
      let (worker, cache) = (try CountingWorker(), Built.newFolder())
      let both = plugins(hanging, echo, worker: worker, cache: cache)
      #expect(both.definition(named: "echo") != nil)
      #expect(both.path(ofPlugin: "echo", before: "/zzz") != nil)
      #expect(both.path(ofPlugin: "other", before: "/zzz") == nil)
      #expect(worker.descriptions == 1)
    }

    /// Names that differ only in bytes that are not UTF-8 are different files.
    @Test func foldersThatAreNotUTF8() throws {
      let (worker, cache, folder) = (try CountingWorker(), Built.newFolder(), Built.newFolder())
      let places = try zip(["echo", "maker"], [0xfe, 0xff] as [UInt8]).map { name, byte in
        let place = folder + "/p" + PathBytes.text(bytes: [byte])
        let made = try Built.plugin(name)
        #expect(rename(made, place) == 0)
        #expect(rename("\(place)/lib\(name)Plugin.so", place + "/libsamePlugin.so") == 0)
        return place
      }
      for _ in 0..<2 {
        let plugins = plugins(places[0], places[1], worker: worker, cache: cache)
        #expect(plugins.names().sorted() == ["echo", "maker"])
        #expect(plugins.definition(named: "echo")?.failure()?.hasPrefix("plugin 'echo' got 7: ") == true)
      }
      #expect(worker.descriptions == 2)
    }

    /// That a file could not be described is found out once, and told from then on.
    @Test func failuresAreRemembered() throws {
      let (hanging, _) = try hangingAndEcho()
      let (worker, cache) = (try CountingWorker(), Built.newFolder())
      func refusal() -> String? {
        let plugins = plugins(hanging, worker: worker, cache: cache, describeDeadline: .milliseconds(100))
        #expect(plugins.definition(named: "odd") == nil)
        let refusals = plugins.refusals(ofPlugin: "odd").compactMap(\.refusal)
        #expect(refusals == plugins.discover().compactMap(\.refusal))
        return refusals.first
      }
      let path = hanging + "/libmisbehavingPlugin.so"
      let words = "it did not answer within 0.1 s of waiting and was stopped"
      #expect(refusal() == "\(path) could not be described: \(words)")
      #expect(worker.descriptions == 1)
      #expect(
        refusal()
          == "\(path) could not be described in an earlier run: \(words); to try again: imghost "
          + "plugin check")
      #expect(worker.descriptions == 1)
      // Trying it out begins anew.
      #expect(throws: PluginRefusal.self) {
        try PluginCheck(file: path, worker: worker.path, deadline: .milliseconds(100), cacheFolder: cache)
      }
      #expect(refusal()?.hasPrefix("\(path) could not be described: it did not") == true)
    }

    /// A worker that was killed, or that a lack of memory or descriptors may have ended, says nothing about its library.
    @Test(arguments: [
      "kill(getpid(), SIGKILL)", "raise(SIGBUS)", "(abort(), 0)", "(_exit(3), 0)", "*(volatile char *)code",
    ])
    func failuresOfTheSystemAreNotRemembered(_ constructor: String) throws {
      let folder = try Built.plugin("misbehaving", ["CONSTRUCTOR=\(constructor)"])
      let (worker, cache) = (try CountingWorker(), Built.newFolder())
      for count in 1...2 {
        let plugins = plugins(folder, worker, cache)
        #expect(plugins.definition(named: "odd") == nil)
        #expect(plugins.refusals(ofPlugin: "odd").first?.refusal?.contains("could not be described: it ") == true)
        #expect(worker.descriptions == count)
      }
      #expect(files(cache).isEmpty)
    }

    @Test(arguments: ["*(volatile char *)0x123456789000", "syscall(SYS_ptrace, 0, 0, 0, 0)"])
    func faultsOfTheLibraryAreRemembered(_ constructor: String) throws {
      let folder = try Built.plugin("misbehaving", ["CONSTRUCTOR=\(constructor)"])
      let (worker, cache) = (try CountingWorker(), Built.newFolder())
      for _ in 0..<2 { #expect(plugins(folder, worker, cache).definition(named: "odd") == nil) }
      #expect(worker.descriptions == 1)
    }

    @Test func failuresAreForgottenAfterADay() {
      var cache = DescriptionCache(folder: Built.newFolder(), worker: "/nowhere")
      cache.keep(failure: "hung\u{1b}", "key", now: 1_000_000)
      #expect(cache.failure("key", now: 1_000_001) == "hung ")
      #expect(cache.failure("key", now: 1_000_000 + 24 * 3600) == nil)
      #expect(cache.failure("key", now: 999_999) == nil)
      #expect(cache.description("key") == nil && cache.failure("other") == nil)
    }

    /// A file that is mended is asked again, and what is kept of a file counts for links to it.
    @Test func keysGoByTheFile() throws {
      let (folder, links) = (Built.newFolder(), Built.newFolder())
      let (file, other) = (folder + "/a.so", folder + "/b.so")
      for path in [file, other] { try Data([1]).write(to: URL(fileURLWithPath: path)) }
      try FileManager.default.createSymbolicLink(atPath: links + "/a.so", withDestinationPath: file)
      try FileManager.default.createSymbolicLink(atPath: links + "/folder", withDestinationPath: folder)
      let cache = DescriptionCache(folder: Built.newFolder(), worker: "/nowhere")
      let key = cache.key(library: file)
      for path in ["\(folder)/./a.so", links + "/a.so", links + "/folder/a.so"] {
        #expect(cache.key(library: path) == key)
      }
      #expect(cache.key(library: other) != key)
      try Data([1, 2]).write(to: URL(fileURLWithPath: file))
      #expect(cache.key(library: file) != key)
    }

    /// Other bytes of the same size, with the time of the old ones: only the system's own time tells.
    @Test func keysChangeWithTheBytes() throws {
      let file = Built.newFolder() + "/a.so"
      try Data([1]).write(to: URL(fileURLWithPath: file))
      let cache = DescriptionCache(folder: Built.newFolder(), worker: "/nowhere")
      let (key, before) = (cache.key(library: file), try status(file))
      var after = before
      // The system's clock moves on every few milliseconds.
      while (after.st_ctim.tv_sec, after.st_ctim.tv_nsec) == (before.st_ctim.tv_sec, before.st_ctim.tv_nsec) {
        try Data([2]).write(to: URL(fileURLWithPath: file))
        let times = [before.st_mtim, before.st_mtim]
        #expect(utimensat(AT_FDCWD, file, times, 0) == 0)
        after = try status(file)
      }
      #expect(after.st_size == before.st_size)
      #expect(after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
      #expect(cache.key(library: file) != key)
    }

    private func status(_ path: String) throws -> stat {
      var status = stat()
      try #require(stat(path, &status) == 0)
      return status
    }

    /// A verdict belongs to bytes. The digest of a file that has not changed is kept: a run would take longer to read
    /// all libraries than to make a small picture.
    @Test func unchangedLibrariesAreNotHashed() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      let (descriptions, verdicts) = (Built.newFolder(), VerdictCache(folder: Built.newFolder()))
      let library = folder + "/libechoPlugin.so"
      func verdict() -> PluginVerdict? {
        let plugins = host([PluginFolder(path: folder)]) {
          $0.worker = worker.path
          $0.cacheFolder = descriptions
          $0.verdicts = verdicts
        }
        return plugins.discover().first?.verdict
      }
      let good = PluginVerdict(plugin: "echo", rows: [PluginVerdict.Row(.crash, .good, "")])
      #expect(verdict() == nil)
      #expect(verdicts.keep(good, ofFile: library))
      #expect(verdict() == good)
      // What is kept of a file says which bytes it has.
      var cache = DescriptionCache(folder: descriptions, worker: worker.path)
      let key = cache.key(library: library)
      let found = cache.description(key)
      let kept = try #require(found)
      let other = DescriptionCache.Kept(digest: SHA256.digest(of: [1]), body: kept.body)
      cache.keep(other, libraries: [], key)
      #expect(verdict() == nil && worker.descriptions == 1)
    }

    /// Eight files, of whose workers none answers before eight have started.
    @Test func filesAreDescribedSeveralAtOnce() throws {
      let folder = Built.newFolder()
      let built = try Built.plugin("echo") + "/libechoPlugin.so"
      for index in 0..<8 { try FileManager.default.copyItem(atPath: built, toPath: "\(folder)/\(index).so") }
      let worker = try CountingWorker(waitingFor: 8)
      let listings = plugins(folder, worker, Built.newFolder()).discover()
      #expect(listings.first?.name == "echo" && worker.descriptions == 8)
      #expect(
        listings.dropFirst().allSatisfy { $0.refusal?.contains("already defined by") == true })
    }

    private func files(_ cache: String) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? []).map { cache + "/" + $0 }
    }

    @Test func aSecondRunAsksNoWorker() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      let cache = Built.newFolder() + "/deep/er"
      let first = plugins(folder, worker, cache).discover()
      #expect(worker.descriptions == 1)
      #expect(files(cache).count == 1)
      let later = plugins(folder, worker, cache)
      #expect(later.discover() == first)
      #expect(worker.descriptions == 1)
      // The kept description equals that of the worker: the plugin runs.
      let echo = try #require(later.definition(named: "echo"))
      #expect(echo.failure()?.hasPrefix("plugin 'echo' got 7: ") == true)
      // Another library by the same name is another file.
      try FileManager.default.removeItem(atPath: folder + "/libechoPlugin.so")
      try FileManager.default.copyItem(
        atPath: try Built.plugin("maker") + "/libmakerPlugin.so",
        toPath: folder + "/libechoPlugin.so")
      #expect(plugins(folder, worker, cache).names() == ["maker"])
      #expect(worker.descriptions == 2)
    }

    /// A library of the system is upgraded: the plugin's file stays, and gives another version, or more. The next run
    /// is checked against what the plugin says now.
    @Test(arguments: [[], ["LIBRARY_SUMMARY"]])
    func aNewerLibraryRenewsTheDescription(_ macros: [String]) throws {
      let (folder, library) = try Built.pluginWithLibrary { _ in macros }
      let (worker, cache) = (try CountingWorker(), Built.newFolder())
      #expect(plugins(folder, worker, cache).description(named: "odd")?.version == "1")
      #expect(plugins(folder, worker, cache).description(named: "odd")?.version == "1")
      #expect(worker.descriptions == 1)
      try Built.upgradeLibrary(in: library, to: "2")
      let later = plugins(folder, worker, cache)
      #expect(later.description(named: "odd")?.version == "2")
      #expect(try #require(later.definition(named: "odd")).failure() == nil)
      #expect(plugins(folder, worker, cache).description(named: "odd")?.version == "2")
      #expect(worker.descriptions == 2)
    }

    /// The library changes in the middle of a run, before the plugin is needed.
    @Test func aLibraryThatChangesWhileTheScriptRuns() throws {
      for (macros, words) in [
        ([], nil), (["LIBRARY_SUMMARY"], "plugin 'odd' changed on disk while the script ran; run it again"),
      ] {
        let (folder, library) = try Built.pluginWithLibrary { _ in macros }
        let (worker, cache) = (try CountingWorker(), Built.newFolder())
        _ = plugins(folder, worker, cache).discover()
        let run = plugins(folder, worker, cache)
        let odd = try #require(run.definition(named: "odd"))
        try Built.upgradeLibrary(in: library, to: "2")
        #expect(odd.failure() == words)
        #expect(plugins(folder, worker, cache).description(named: "odd")?.version == "2")
      }
    }

    /// Two versions of a plugin never work in one run, and a plugin that became another is not taken for it.
    @Test func descriptionsAreRenewedOnce() throws {
      func body(_ version: String, summary: String = "Does wrong") throws -> WireReader {
        let plugins = try Built.plugin("misbehaving", ["SUMMARY=\"\(summary)\"", "LIBRARY=\"\(version)\""])
        let launcher = WorkerLauncher(
          program: Built.worker, library: plugins + "/libmisbehavingPlugin.so", deadline: patience,
          describeDeadline: patience)
        return try launcher.describe { false }.body
      }
      let (first, second, third) = (try body("1"), try body("2"), try body("3"))
      let kept = ExpectedDescription(first, isKept: true)
      #expect(kept.compare(second) == .renewed && kept.version == "2")
      #expect(kept.compare(second) == .same && kept.compare(third) == .other && kept.compare(first) == .other)
      let used = ExpectedDescription(first, isKept: true)
      #expect(used.compare(first) == .same && used.compare(second) == .other)
      #expect(ExpectedDescription(first, isKept: false).compare(second) == .other)
      let other = try body("2", summary: "Does well")
      #expect(ExpectedDescription(first, isKept: true).compare(other) == .other)
    }

    @Test func damageAndStrangersAreIgnored() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      let cache = Built.newFolder()
      let whole = plugins(folder, worker, cache).discover()
      let file = files(cache)[0]
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      var damaged: [Data] = [Data(), Data("IMGHDSC3".utf8), bytes.dropLast(1), bytes + [0]]
      damaged += stride(from: 0, to: bytes.count, by: 37).map { index in
        var copy = bytes
        copy[index] ^= 0x20
        return copy
      }
      damaged.append(Data(repeating: 7, count: 300_000))
      for (count, data) in damaged.enumerated() {
        try data.write(to: URL(fileURLWithPath: file))
        #expect(plugins(folder, worker, cache).discover() == whole)
        #expect(worker.descriptions == count + 2)
        // The damaged file has been replaced.
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
      }
    }

    @Test func aFolderThatCannotBeUsedIsDoneWithout() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      // A file where the folder should be: not even root can write there.
      let blocked = Built.newFolder() + "/file"
      try Data([1]).write(to: URL(fileURLWithPath: blocked))
      for _ in 0..<2 { #expect(plugins(folder, worker, blocked + "/plugins").names() == ["echo"]) }
      #expect(worker.descriptions == 2)
    }

    @Test func refusalsAreNotKept() throws {
      let (folder, worker) = (try Built.plugin("misbehaving", ["KIND=4"]), try CountingWorker())
      let cache = Built.newFolder()
      for _ in 0..<2 { #expect(plugins(folder, worker, cache).names() == []) }
      #expect(worker.descriptions == 2)
      #expect(files(cache).isEmpty)
    }

    /// A terabyte of nothing behind a library: it works, and nobody reads all of it.
    @Test func hugeFilesAreNotHashed() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      let cache = Built.newFolder()
      let file = try #require(FileHandle(forWritingAtPath: folder + "/libechoPlugin.so"))
      try file.truncate(atOffset: 1 << 40)
      try file.close()
      for _ in 0..<2 { #expect(plugins(folder, worker, cache).names() == ["echo"]) }
      #expect(worker.descriptions == 2 && files(cache).isEmpty)
      let verdicts = VerdictCache(folder: cache)
      #expect(verdicts.verdict(ofFile: folder + "/libechoPlugin.so") == nil)
    }

    @Test(.wholeRuns) func theOldestFilesGo() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      let cache = Built.newFolder()
      defer { try? FileManager.default.removeItem(atPath: cache) }
      for index in 0..<2136 {
        let path = "\(cache)/\(index)"
        try writeFile([1], to: path)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000 + Double(index) * 60)],
          ofItemAtPath: path)
      }
      #expect(plugins(folder, worker, cache).names() == ["echo"])
      let left = Set(files(cache))
      #expect(left.count == 2049)
      #expect(!left.contains(cache + "/87") && left.contains(cache + "/88"))
    }

    @Test func theUsersFolder() {
      typealias Row = (cacheHome: String?, home: String?, expected: String?)
      let rows: [Row] = [
        ("/x", "/home/a", "/x/imghost/plugins"),
        (nil, "/home/a", "/home/a/.cache/imghost/plugins"),
        ("relative", "/home/a", "/home/a/.cache/imghost/plugins"),
        ("", nil, nil), (nil, "", nil),
      ]
      for row in rows {
        #expect(
          PluginHost.standardCacheFolder(cacheHome: row.cacheHome, home: row.home) == row.expected)
      }
    }
  }
}
