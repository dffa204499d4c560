import Foundation
import ImageCore
import TestSupport
import Testing

import Platform

@testable import PluginHost

extension PluginHostTests {
  /// The files that loading a library reads, found without loading it.
  @Suite struct LibraryClosureTests {
    /// The files that `ldd` names, links followed.
    private func linkerFiles(_ path: String) throws -> Set<String> {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["ldd", path]
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      return Set(
        text.split(separator: "\n").compactMap { line in
          line.split(separator: " ").map { $0.trimmingCharacters(in: .whitespaces) }
            .first { $0.hasPrefix("/") }.map(resolved)
        })
    }

    private func resolved(_ path: String) -> String {
      let resolved = realpath(path, nil)
      defer { free(resolved) }
      return resolved.map { String(cString: $0) } ?? path
    }

    private func files(_ folder: String, _ isWanted: (String) -> Bool) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter(isWanted)
        .map { folder + "/" + $0 }.sorted()
    }

    /// Every plugin there is: no file too few, and none too many but for other levels of processor.
    @Test(.thorough) func theFilesAreThoseOfTheLinker() throws {
      let paths =
        files(Built.folder) { $0.hasPrefix("lib") && $0.hasSuffix("Plugin.so") }
        + files("/usr/lib/frei0r-1") { $0.hasSuffix(".so") }
        + [try Built.pluginWithLibrary().plugin + "/libmisbehavingPlugin.so"]
      try #require(paths.count > 6)
      let search = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? ""
      for path in paths {
        let found = LibraryClosure.files(loading: path, searchPath: search)
        #expect(found.first == path)
        let own = Set(found.dropFirst().filter { !$0.contains("/glibc-hwcaps/") }.map(resolved))
        let linked = try linkerFiles(path)
        #expect(linked.isSubset(of: Set(found.map(resolved))), "\(path)")
        // The linker does not know the modules that libheif loads since 1.16, nor what they need.
        let hasModules = found.contains { $0.hasSuffix("/libheif") }
        #expect(hasModules || own.isSubset(of: linked), "\(path): \(own.subtracting(linked))")
      }
    }

    @Test(arguments: [
      ("/a:b", ["/a:b"]), ("$ORIGIN/../lib", ["/here/../lib"]), ("${ORIGIN}", ["/here"]),
      ("$OTHER/x", ["$OTHER/x"]),
    ])
    func tokens(_ text: String, _ expected: [String]) {
      #expect(LibraryClosure.expanded(text, "/here") == expected)
      #expect(LibraryClosure.expanded("/usr/$LIB", "").contains("/usr/lib64"))
    }

    /// A library may say that it needs any file: only libraries are taken.
    @Test func otherFilesAreNotTaken() throws {
      let (plugin, library) = try Built.pluginWithLibrary()
      try Data("root:x:0:0".utf8).write(to: URL(fileURLWithPath: library + "/libneeded.so"))
      let path = plugin + "/libmisbehavingPlugin.so"
      let found = LibraryClosure.files(loading: path, searchPath: "")
      #expect(!found.contains { $0.hasPrefix(library) } && found.contains(path))
    }

    /// A library's modules are what it loads from the folder of its name, and what they need. A library that only the
    /// plugin's own run path names has none: the folder may be anybody's.
    @Test func modulesLieBesideTheirLibrary() throws {
      let (plugin, library) = try Built.pluginWithLibrary()
      let modules = library + "/libneeded/plugins"
      try FileManager.default.createDirectory(atPath: modules, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: library + "/libneeded.so", toPath: modules + "/module.so")
      try Data("secret".utf8).write(to: URL(fileURLWithPath: modules + "/notes"))
      let path = plugin + "/libmisbehavingPlugin.so"
      let own = [library + "/libneeded.so"]
      #expect(
        LibraryClosure.files(loading: path, searchPath: "").filter { $0.hasPrefix(library) } == own)
      #expect(
        LibraryClosure.files(loading: path, searchPath: library).filter { $0.hasPrefix(library) }
          == own + [library + "/libneeded", modules + "/module.so"])
    }

    /// A change of any byte of a library gives an answer.
    @Test func scrambledLibraries() throws {
      let folder = try Built.plugin("misbehaving")
      let path = folder + "/libmisbehavingPlugin.so"
      let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let file = try LibraryFile(file: InputFile(path: path))
      let dynamic = try #require(file.check().first { $0.type == LibraryFile.Segment.dynamic })
      let places = [64..<700, dynamic.offset..<dynamic.offset + 256].joined()
      for offset in places where offset % 3 == 0 {
        var bytes = whole
        bytes[offset] = 0xff
        bytes[offset + 1] = 0xff
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        _ = LibraryClosure.files(loading: path, searchPath: "")
      }
    }

    @Test(.thorough) func damagedLinkerCaches() throws {
      let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "/etc/ld.so.cache")))
      #expect(!LinkerCache(bytes: whole).paths("libc.so.6").isEmpty)
      #expect(LinkerCache(bytes: whole).paths("libnothing.so").isEmpty)
      for count in stride(from: 0, to: min(whole.count, 4000), by: 7) {
        _ = LinkerCache(bytes: Array(whole.prefix(count))).paths("libc.so.6")
      }
      for offset in stride(from: 0, to: min(whole.count, 2000), by: 5) {
        var bytes = whole
        bytes[offset] = 0xff
        _ = LinkerCache(bytes: bytes).paths("libc.so.6")
      }
      var old = Array("ld.so-1.7.0".utf8) + [0, 0xff, 0xff, 0xff, 0xff]
      _ = LinkerCache(bytes: old).paths("libc.so.6")
      old.replaceSubrange(12..., with: [0, 0, 0, 0])
      #expect(!LinkerCache(bytes: old + whole).paths("libc.so.6").isEmpty)
    }
  }
}
