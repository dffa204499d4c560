import Foundation
import ImageCore
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// Files that are kept for the user are the user's alone.
  @Suite struct CacheFolderTests {
    private func permissions(_ path: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func whatIsKeptIsPrivate() throws {
      let folder = CacheFolder(path: Built.newFolder() + "/a/b")
      #expect(folder.read("x", atMost: 9) == nil)
      #expect(folder.keep([1, 2, 3], "x") && folder.keep([4, 5], "x"))
      #expect(folder.read("x", atMost: 2) == [4, 5])
      #expect(folder.read("x", atMost: 1) == nil)
      #expect(try permissions(folder.path + "/x") == 0o600)
      #expect(try permissions(folder.path) == 0o700)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
      folder.remove("x")
      #expect(folder.read("x", atMost: 9) == nil)
    }

    /// Other users who may write there could change a plugin's description.
    @Test func strangersFilesCountAsNone() throws {
      let folder = CacheFolder(path: Built.newFolder())
      folder.keep([7], "x")
      let path = folder.path + "/x"
      for mode in [0o620, 0o602] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(folder.read("x", atMost: 9) == nil)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      #expect(folder.read("x", atMost: 9) == [7])
      // Only root can give files away.
      guard geteuid() == 0 else { return }
      try FileManager.default.setAttributes([.ownerAccountID: 12345], ofItemAtPath: path)
      #expect(folder.read("x", atMost: 9) == nil)
    }

    @Test func linksCountAsNone() throws {
      let folder = CacheFolder(path: Built.newFolder())
      folder.keep([7], "x")
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/link", withDestinationPath: folder.path + "/x")
      #expect(folder.read("link", atMost: 9) == nil)
      // What is kept takes the place of the link, not of the file behind it.
      #expect(folder.keep([8], "link"))
      #expect(folder.read("link", atMost: 9) == [8])
      #expect(folder.read("x", atMost: 9) == [7])
    }

    @Test func theOldestGo() throws {
      let folder = CacheFolder(path: Built.newFolder())
      for index in 0..<6 {
        folder.keep([UInt8(index)], "\(index)")
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000 - Double(index) * 60)],
          ofItemAtPath: "\(folder.path)/\(index)")
      }
      folder.prune(keeping: 4)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.sorted() == ["0", "1", "2", "3"])
    }

    /// A verdict that another may have written decides nothing.
    @Test func verdictsAreLookedAtInTheSameWay() throws {
      let (file, cache) = (Built.newFolder() + "/plugin.so", Built.newFolder())
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
      let verdicts = VerdictCache(folder: cache)
      let verdict = PluginVerdict(
        plugin: "x", rows: [.init(.crash, .good), .init(.strips, .good), .init(.leak, .good)])
      #expect(verdicts.keep(verdict, ofFile: file))
      #expect(verdicts.verdict(ofFile: file) == verdict)
      let kept = try FileManager.default.contentsOfDirectory(atPath: cache)
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: cache + "/" + kept[0])
      #expect(verdicts.verdict(ofFile: file) == nil)
      for index in 0..<520 { try Data([1]).write(to: URL(fileURLWithPath: "\(cache)/\(index)")) }
      #expect(verdicts.keep(verdict, ofFile: file))
      #expect(verdicts.verdict(ofFile: file) == verdict)
      #expect(try FileManager.default.contentsOfDirectory(atPath: cache).count <= 513)
    }
  }
}
