import Foundation
import ImageCore
import PluginHost
import Testing

extension PluginHostTests {
  /// Descriptions are kept from run to run, and nothing that happens to them does harm.
  @Suite struct DescriptionCacheTests {
    /// A worker that writes down each start.
    private struct CountingWorker {
      let path: String
      private let log: String

      init() throws {
        let folder = Built.newFolder()
        (path, log) = (folder + "/worker", folder + "/log")
        let script = "#!/bin/sh\necho \"$1\" >> '\(log)'\nexec '\(Built.worker)' \"$@\"\n"
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      }

      /// How often a library was described.
      var descriptions: Int {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count { $0 == "describe" }
      }
    }

    private func plugins(_ folder: String, _ worker: CountingWorker, _ cache: String) -> PluginHost
    {
      PluginHost(
        searchPath: [PluginFolder(path: folder)], worker: worker.path, deadline: .seconds(5),
        cacheFolder: cache)
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
      // What was kept is what the worker that serves says: the plugin runs.
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

    @Test func damageAndStrangersAreIgnored() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      let cache = Built.newFolder()
      let whole = plugins(folder, worker, cache).discover()
      let file = files(cache)[0]
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      var damaged: [Data] = [Data(), Data("IMGHDSC1".utf8), bytes.dropLast(1), bytes + [0]]
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
      for _ in 0..<2 {
        #expect(plugins(folder, worker, blocked + "/plugins").names() == ["echo"])
      }
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

    @Test func theOldestFilesGo() throws {
      let (folder, worker) = (try Built.plugin("echo"), try CountingWorker())
      let cache = Built.newFolder()
      for index in 0..<600 {
        let path = "\(cache)/\(index)"
        try Data([1]).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000 + Double(index) * 60)],
          ofItemAtPath: path)
      }
      #expect(plugins(folder, worker, cache).names() == ["echo"])
      let left = Set(files(cache))
      #expect(left.count == 513)
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
