import Foundation
import TestSupport
import Testing

/// `imghost plugin install`, `remove` and `list`, and `img.require_plugin`.
struct PluginInstallTests {
  private let folder: Folder
  private var plugins: String { folder("data/imghost/plugins") }

  init() throws { folder = try Folder() }

  private func imghost(_ arguments: String...) throws -> Outcome {
    try folder.imghost(arguments, environment: ["XDG_DATA_HOME": folder("data")])
  }

  private func writeGlow(_ version: String, to name: String = "glow.lua") throws {
    try folder.write(
      name,
      "return { name = 'glow', version = '\(version)', summary = 'Glows', "
        + "apply = function(picture) return picture:blur(2) end }")
  }

  @Test func installsListsReplacesAndRemoves() throws {
    try writeGlow("1.1")
    let first = try imghost("plugin", "install", "glow.lua")
    #expect(first.status == 0 && first.error == "", "\(first)")
    #expect(first.output == "installed glow 1.1 in \(plugins)/glow\n")
    let list = try imghost("plugin", "list")
    #expect(
      list.outputLines.contains { $0.hasPrefix("glow ") && $0.contains(" 1.1 ") && $0.hasSuffix("  Glows") }, "\(list)")
    #expect(list.outputLines.contains { $0.hasPrefix("vignette ") && $0.contains("filter") })
    let one = try imghost("plugin", "list", "glow")
    #expect(one.output.hasPrefix("glow: Glows, version 1.1\n  \(plugins)/glow/glow.lua\n"), "\(one)")
    try writeGlow("1.2")
    let second = try imghost("plugin", "install", "glow.lua")
    #expect(second.output == "installed glow 1.2 in \(plugins)/glow, replacing glow 1.1\n", "\(second)")
    let removed = try imghost("plugin", "remove", "glow")
    #expect(removed.output == "removed glow 1.2 from \(plugins)\n" && removed.status == 0, "\(removed)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: plugins) == [])
    let again = try imghost("plugin", "remove", "glow")
    #expect(again.status == 1 && again.error == "imghost plugin remove: no plugin 'glow' in \(plugins)\n", "\(again)")
  }

  @Test(.wholeRuns) func installsALibraryWithItsFiles() throws {
    try folder.makeFolder("echo/tables/small")
    try folder.makeFolder("echo/.git")
    try Fixture.compile("echo", [], to: folder("echo/libEchoPlugin.so"))
    try folder.write("echo/tables/small/one.cube", "1")
    try folder.write("echo/.git/config", "x")
    let outcome = try imghost("plugin", "install", "echo/")
    outcome.expect(status: 0)
    let name = try #require(outcome.output.split(separator: " ").dropFirst().first)
    #expect(folder.exists("data/imghost/plugins/\(name)/tables/small/one.cube"))
    #expect(!folder.exists("data/imghost/plugins/\(name)/.git"))
    let list = try imghost("plugin", "list", String(name))
    #expect(list.output.contains("\(plugins)/\(name)/libEchoPlugin.so"), "\(list)")
  }

  @Test(.wholeRuns) func hidesAPluginThatShips() throws {
    try folder.copy(Built.folder + "/libVignettePlugin.so", to: "libVignettePlugin.so")
    let outcome = try imghost("plugin", "install", "libVignettePlugin.so")
    outcome.expect(status: 0)
    #expect(
      outcome.error.contains("note: \(Built.folder)/libVignettePlugin.so is not used: 'vignette' is already"),
      "\(outcome)")
    #expect(try imghost("plugin", "list", "vignette").output.contains("\(plugins)/vignette/libVignettePlugin.so"))
    #expect(try imghost("plugin", "remove", "vignette").status == 0)
    let ships = try imghost("plugin", "remove", "vignette")
    ships.expect(status: 1, error: "'vignette' is not in \(plugins) but in \(Built.folder)/")
    #expect(try imghost("plugin", "list", "vignette").output.contains("\(Built.folder)/libVignettePlugin.so"))
  }

  @Test(arguments: [
    ("none.so", "none.so: the file does not exist"),
    ("text.txt", "text.txt: not a plugin file; expected a name that ends in .so or .lua, or a folder"),
    ("text.so", "text.so is not an imghost plugin: it is not a shared library (no ELF header)"),
    ("bad.lua", "bad.lua is not used: "),
    ("empty", "empty: no plugin in this folder, neither *.so nor *.lua"),
    ("project", "project: no plugin in this folder, neither *.so nor *.lua (did you mean 'project/build'?)"),
    ("made", "made/example.lua is not used: made/example.lua:1: nothing (did you mean 'made/plugins'?)"),
    ("linked", "linked/data: neither a file nor a folder; a plugin's folder may hold no links"),
    ("many", "many/glow.lua: a plugin may have at most 1000 files and folders, and 1 GiB"),
    ("two", "two: it has several plugins (a.lua, b.lua); install each file by itself"),
  ])
  func refusesWhatIsNoPlugin(_ source: String, _ message: String) throws {
    for name in ["empty", "project/build", "linked", "two"] { try folder.makeFolder(name) }
    try folder.write("text.txt", "text")
    try folder.write("text.so", "text, and no library at all, however long it may be, is in this file: it is text")
    try folder.write("bad.lua", "return { name = 'bad' }")
    try writeGlow("1", to: "project/build/glow.lua")
    try folder.write("made/example.lua", "error('nothing')")
    try writeGlow("1", to: "made/plugins/glow.lua")
    try writeGlow("1", to: "linked/glow.lua")
    try folder.link("linked/data", to: "/etc/passwd")
    for name in ["a", "b"] {
      try folder.write("two/\(name).lua", "return { name = '\(name)', apply = function(picture) return picture end }")
    }
    if source == "many" {
      try writeGlow("1", to: "many/glow.lua")
      for number in 0..<1_000 { try folder.makeFolder("many/data\(number)") }
    }
    let outcome = try imghost("plugin", "install", source)
    #expect(outcome.status == 1 && outcome.output == "", "\(outcome)")
    #expect(outcome.error.hasPrefix("imghost plugin install: " + message), "\(outcome)")
    let left = (try? FileManager.default.contentsOfDirectory(atPath: plugins)) ?? []
    #expect(left == [])
  }

  @Test func followsNoLinks() throws {
    try writeGlow("1")
    try folder.makeFolder("elsewhere/keep")
    try folder.write("elsewhere/keep/file", "x")
    try folder.makeFolder("data/imghost/plugins")
    // In place of a plugin's folder.
    try folder.link("data/imghost/plugins/glow", to: folder("elsewhere/keep"))
    #expect(try imghost("plugin", "install", "glow.lua").status == 0)
    #expect(folder.exists("elsewhere/keep/file") && folder.exists("data/imghost/plugins/glow/glow.lua"))
    #expect(!folder.exists("elsewhere/keep/glow.lua"))
    // Within it.
    try folder.link("data/imghost/plugins/glow/link", to: folder("elsewhere/keep"))
    #expect(try imghost("plugin", "remove", "glow").status == 0)
    #expect(folder.exists("elsewhere/keep/file") && !folder.exists("data/imghost/plugins/glow"))
    // The folder itself.
    try FileManager.default.removeItem(atPath: plugins)
    try folder.link("data/imghost/plugins", to: folder("elsewhere"))
    let outcome = try imghost("plugin", "install", "glow.lua")
    outcome.expect(status: 1, error: "imghost does not follow it")
    #expect(!folder.exists("elsewhere/glow"))
  }

  @Test func severalPluginsOfOneFileGoTogether() throws {
    try folder.write(
      "wipes.lua",
      "local img = require 'imghost' for _, name in ipairs{ 'wipe', 'fade' } do "
        + "img.plugin{ name = name, apply = function(picture) return picture end } end")
    #expect(try imghost("plugin", "install", "wipes.lua").status == 0)
    let one = try imghost("plugin", "remove", "fade")
    #expect(
      one.status == 1 && one.error.hasSuffix("to remove them together: imghost plugin remove wipe fade\n"), "\(one)")
    let both = try imghost("plugin", "remove", "fade", "wipe")
    #expect(both.status == 0 && both.output == "removed wipe, fade from \(plugins)\n", "\(both)")
  }

  @Test(.wholeRuns) func brokenFilesCanBeRemoved() throws {
    try folder.makeFolder("data/imghost/plugins")
    try folder.write("data/imghost/plugins/broken.so", "x")
    let outcome = try imghost("plugin", "remove", "broken.so")
    #expect(outcome.status == 0 && !folder.exists("data/imghost/plugins/broken.so"), "\(outcome)")
    for name in ["..", "../../..", "/", ""] {
      let outcome = try imghost("plugin", "remove", name)
      #expect(outcome.status != 0, "\(name): \(outcome)")
    }
    #expect(folder.exists("data/imghost/plugins"))
  }

  @Test func scriptsRequireVersions() throws {
    try writeGlow("1.1")
    #expect(try imghost("plugin", "install", "glow.lua").status == 0)
    try folder.write(
      "s.lua",
      """
      local img = require "imghost"
      print(img.require_plugin("glow", ">= 1.1"), img.require_plugin("vignette", ">= 1, < 2"))
      img.require_plugin("glow", ">= 1.2")
      img.require_plugin("webp", ">= 99")
      img.require_plugin("vignete")
      img.require_plugin("glow", "1.1")
      img.require_plugin(5)
      """)
    let outcome = try imghost("check", "s.lua")
    #expect(outcome.status == 3 || outcome.status == 1, "\(outcome)")
    #expect(outcome.output == "1.1\t1.0\n" || outcome.output.hasPrefix("1.1\t"), "\(outcome)")
    let expected = [
      "s.lua:3: require_plugin: plugin 'glow' is version 1.1, but the script needs >= 1.2; it comes from \(plugins)/glow/glow.lua",
      "s.lua:4: require_plugin: plugin 'webp' is version 1",
      "s.lua:5: require_plugin: unknown plugin 'vignete' (did you mean 'vignette'?)",
      "s.lua:6: require_plugin: invalid requirement '1.1'",
      "s.lua:7: require_plugin takes a name and a requirement",
    ]
    #expect(outcome.errorLines.count == expected.count, "\(outcome)")
    for (line, text) in zip(outcome.errorLines, expected) { #expect(line.hasPrefix(text)) }
  }
}
