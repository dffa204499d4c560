import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// The files that a run reads, as listed by `--depfile` and observed by `--watch`.
struct DependencyTests {
  private func names(_ name: String, in folder: Folder) throws {
    try OnlyChangedTests.draw(name, 3, in: folder)
  }

  /// Names with every character that make and ninja can read after a backslash or a dollar sign.
  private static let strange = [
    "a b", "c#d", "e$f", "g:h", "i\\j", "k\\ l", "m  n", "$o", "(p)", "ü", "-q", "r'\"&!?", "s%t", "u[v]", "w~",
    "x,y@{z}",
  ]

  /// Make finds all outputs up to date, and each source makes its own output due.
  @Test func makeReadsTheRule() throws {
    let folder = try Folder()
    for name in Self.strange { try names(name, in: folder) }
    try folder.write(
      "s.lua",
      "local img = require 'imghost' for i, p in ipairs(img.glob('in/*.png')) do p:save('web/' .. i .. '.jpg') end")
    for _ in 0..<2 {
      try folder.imghost("run", "--only-changed", "--depfile", "s.d", "--out", "o", "s.lua").expect(status: 0)
    }
    try folder.write("Makefile", "all: o/web/1.jpg\ninclude s.d\n")
    func explained() throws -> String {
      try Command(program: "/usr/bin/make", arguments: ["-n", "--debug=v", "all"], folder: folder.path).run().output
    }
    #expect(try !explained().contains("Must remake target 'o/web"))
    for name in Self.strange {
      let source = "in/\(name).png"
      let times = try FileManager.default.attributesOfItem(atPath: folder(source))[.modificationDate]
      func set(_ date: Any?) throws {
        try FileManager.default.setAttributes([.modificationDate: date as Any], ofItemAtPath: folder(source))
      }
      try set(Date(timeIntervalSinceNow: 3600))
      #expect(try explained().contains("Prerequisite '\(source)' is newer than target"), "\(name)")
      try set(times)
    }
    let rule = String(decoding: folder.bytes("s.d"), as: UTF8.self)
    #expect(rule.contains(" s.lua\n") && rule.contains("in/a\\ b.png"), "\(rule)")
    try FileManager.default.removeItem(atPath: folder("in/k\\ l.png"))
    #expect(try explained().contains("Must remake target 'o/web/1.jpg'"))
    // A file that is no such rule stays.
    try folder.write("s.d", "all: mine")
    try folder.imghost("run", "--depfile", "s.d", "s.lua").expect(status: 2)
    #expect(folder.bytes("s.d") == Array("all: mine".utf8))
  }

  /// The rule of an earlier run would name outputs that are no longer made.
  @Test func aScriptWithoutOutputsHasNoRule() throws {
    let folder = try OnlyChangedTests.folder("local img = require 'imghost' img.open('in/a.png'):save('a.jpg')")
    let run = { try folder.imghost("run", "--depfile", "s.d", "s.lua") }
    try run().expect(status: 0)
    let rule = folder.bytes("s.d")
    try folder.write("s.lua", "local img = require 'imghost' img.open('in/missing.png'):save('a.jpg')")
    try run().expect(status: 1)
    #expect(!rule.isEmpty && folder.bytes("s.d") == rule)
    try folder.write("s.lua", "print(1)")
    try run().expect(status: 0)
    #expect(folder.bytes("s.d").isEmpty)
    try folder.write("s.lua", "local img = require 'imghost' img.open('in/a.png'):save('a.jpg')")
    try run().expect(status: 0)
    #expect(folder.bytes("s.d") == rule)
  }

  /// Pictures that a script only measures are prerequisites, and outputs that it reads are not.
  @Test(arguments: ["a:stats().mean[1]", "a.width", "#a:dominant_colours()"]) func measuredPictures(_ measured: String)
    throws
  {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      local a = img.open("in/a.png")
      local size = 5 + \(measured) // 9
      local job = img.open("in/b.png"):resize(size // 1):save("b.png"):await()
      img.open(job.files[1]):flip():save("c.png")
      """)
    try folder.imghost("run", "--depfile", "s.d", "--out", "o", "s.lua").expect(status: 0)
    let words = String(decoding: folder.bytes("s.d"), as: UTF8.self).split { " \n\\".contains($0) }
    #expect(words.contains("in/a.png") && words.contains("in/b.png"), "\(words)")
    #expect(words.count { $0.hasPrefix("o/b.png") } == 1, "\(words)")
  }

  private static let ninja = ["/usr/bin/ninja", "/usr/local/bin/ninja"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Ninja keeps the names in its log as it has read them.
  @Test(.enabled(if: ninja != nil, "ninja is not installed"))
  func ninjaReadsTheRule() throws {
    let folder = try Folder()
    for name in Self.strange { try names(name, in: folder) }
    try folder.write("s.lua", "local img = require 'imghost' img.multipage('all.tif', img.glob('in/*.png'))")
    try folder.write(
      "build.ninja",
      """
      rule site
        command = \(Built.program("imghost")) run --only-changed --out o --depfile s.d s.lua
        deps = gcc
        depfile = s.d
      build o/all.tif: site s.lua

      """)
    func ninja(_ words: String...) throws -> Outcome {
      try Command(program: Self.ninja!, arguments: words, folder: folder.path).run()
    }
    try ninja().expect(status: 0)
    let known = try ninja("-t", "deps").output
    for name in Self.strange { #expect(known.contains("    in/\(name).png\n"), "\(known)") }
    #expect(try ninja().output.contains("no work to do"))
  }

  /// What one of the two would read as something else is named.
  @Test(arguments: [
    ("a\tb", "a tab"), ("a\nb", "a line break"), ("a\\#b", "a backslash before '#'"),
    ("a\\$b", "a backslash before '$'"),
    ("a\u{1}b", "a control character"), ("a;b", "';'"), ("a=b", "'='"),
    ("a|b", "'|'"), ("a<b", "'<'"), ("a*b", "'*'"), ("a`b", "'`'"), ("a^b", "'^'"),
  ])
  func refusesNamesThatNoRuleCanHave(_ name: String, _ reason: String) throws {
    let folder = try Folder()
    try names(name, in: folder)
    try folder.write("s.lua", "local img = require 'imghost' img.glob('in/*.png')[1]:save('a.jpg')")
    let outcome = try folder.imghost("run", "--depfile", "s.d", "s.lua")
    outcome.expect(status: 1, error: "--depfile: make and ninja cannot both read the name 'in/")
    #expect(outcome.error.contains("with \(reason); rename it") && outcome.errorLines.count == 2, "\(outcome)")
    #expect(folder.exists("a.jpg") && !folder.exists("s.d") && folder.temporaries == [])
  }

  /// Make reads brackets and question marks as patterns, unless no file matches.
  @Test(arguments: [("a[1]", "a1", "["), ("a?b", "acb", "?")])
  func refusesNamesThatMatchOthers(_ name: String, _ other: String, _ sign: String) throws {
    let folder = try Folder()
    for name in [name, other] { try names(name, in: folder) }
    try folder.write("s.lua", "local img = require 'imghost' img.open('in/\(name).png'):save('a.jpg')")
    let outcome = try folder.imghost("run", "--depfile", "s.d", "s.lua")
    outcome.expect(status: 1, error: "with '\(sign)', a wildcard that matches another file, too; rename it")
    try FileManager.default.removeItem(atPath: folder("in/\(other).png"))
    try folder.imghost("run", "--depfile", "s.d", "s.lua").expect(status: 0)
  }

  private static let profile = "/usr/share/color/icc/compatibleWithAdobeRGB1998.icc"

  /// Sidecars, profiles, pictures that are put on others, plugins and modules are in the rule.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: profile), "Debian's package icc-profiles-free is missing"))
  func theRuleHasAllFiles() throws {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      local size = require "size"
      img.open("in/a.png", { sidecar = true }):to_profile("own.icc"):resize(size):plugin("vignette")
        :composite(img.open("in/b.png")):save("a.jpg")
      """)
    try folder.write("size.lua", "return 20")
    try folder.write(
      "in/a.xmp",
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/></x:xmpmeta>"
    )
    try folder.write("own.icc", Array(try Data(contentsOf: URL(fileURLWithPath: Self.profile))))
    try folder.imghost("run", "--depfile", "s.d", "--out", "o", "s.lua").expect(status: 0)
    let rule = String(decoding: folder.bytes("s.d"), as: UTF8.self)
    let files = ["s.lua", "size.lua", "in/a.png", "in/b.png", "in/a.xmp", "own.icc"]
    for file in files { #expect(rule.contains("\n\(file):\n") || rule.contains("/\(file):\n"), "\(file): \(rule)") }
    for plugin in ["libVignettePlugin.so", "libColourPlugin.so"] {
      #expect(rule.contains("/\(plugin):\n"), "\(plugin): \(rule)")
    }
    // A sidecar that is not there would have to be made.
    #expect(!rule.contains("in/b.xmp") && !rule.contains("a.png.xmp"))
  }
}
