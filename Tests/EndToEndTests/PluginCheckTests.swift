import Foundation
import TestSupport
import Testing

/// `imghost plugin check`: the table, the JSON, the exit status, and the use of its verdict.
struct PluginCheckTests {
  private func folder() throws -> Folder {
    let folder = try Folder()
    try folder.makeFolder("cache")
    return folder
  }

  private func check(_ folder: Folder, _ arguments: String...) throws -> Outcome {
    try folder.imghost(["plugin", "check"] + arguments, environment: ["XDG_CACHE_HOME": folder("cache")], seconds: 90)
  }

  @Test(.unsanitized) func aGoodPlugin() throws {
    let folder = try folder()
    let outcome = try check(folder, "vignette")
    #expect(outcome.status == 0 && outcome.error == "", "\(outcome)")
    #expect(outcome.output.contains("vignette: no faults"))
    #expect(outcome.output.contains("  strips           good"))
    let list = try folder.imghost(
      ["plugins"], environment: ["XDG_CACHE_HOME": folder("cache")])
    #expect(list.output.contains("libVignettePlugin.so; checked: no faults"), "\(list)")
  }

  @Test(.thorough) func json() throws {
    let outcome = try check(folder(), "--json", Built.folder + "/libVignettePlugin.so")
    outcome.expect(status: 0)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["good"] as? Bool == true && object["name"] as? String == "vignette")
    #expect((object["checks"] as? [[String: Any]])?.count == 13)
  }

  /// Whoever reads the report goes away: that is no fault of a plugin that prints.
  @Test(.thorough) func aBrokenPipeIsNotThePluginsFault() throws {
    let folder = try folder()
    try Fixture.compile("misbehaving", ["PRINTS=50"], to: folder("libodd.so"))
    let shell = Command(
      program: "/bin/sh",
      arguments: ["-c", "'\(Built.program("imghost"))' plugin check ./libodd.so 2>&1 | head -n 2 >/dev/null"],
      folder: folder.path, environment: ["XDG_CACHE_HOME": folder("cache")], seconds: 90)
    _ = try shell.run()
    let list = try folder.imghost(
      ["plugins"],
      environment: [
        "XDG_CACHE_HOME": folder("cache"), "IMGHOST_PLUGIN_PATH": folder.path,
      ])
    #expect(list.output.contains("/libodd.so; checked: no faults"), "\(list)")
  }

  /// A plugin that lacks a library, asked for by its name, in a script and on the command line.
  @Test(.wholeRuns) func whatAPluginLacksIsTold() throws {
    let folder = try folder()
    try folder.makeFolder("lib")
    try Fixture.compile("needed", [], to: folder("lib/libneeded.so"))
    try Fixture.compile(
      "misbehaving", ["NEEDED"], to: folder("libodd.so"),
      options: ["-L" + folder("lib"), "-Wl,--no-as-needed", "-lneeded"])
    let environment = [
      "XDG_CACHE_HOME": folder("cache"), "IMGHOST_PLUGIN_PATH": folder.path,
    ]
    let words =
      "plugin 'odd' cannot be used: \(folder.path)/libodd.so cannot be loaded: libneeded.so: cannot "
      + "open shared object file: No such file or directory"
    let check = try folder.imghost(["plugin", "check", "odd"], environment: environment)
    #expect(check.status == 2 && check.error == "imghost plugin check: \(words)\n", "\(check)")
    try folder.write(
      "t.lua", "require('imghost').canvas(6, 4):plugin('odd'):save('a.png')")
    for command in ["run", "check"] {
      let outcome = try folder.imghost([command, "t.lua"], environment: environment)
      outcome.expect(status: 3, error: "plugin: \(words)")
    }
  }

  @Test func filesThatAreNone() throws {
    let folder = try folder()
    try folder.write("x.so", "text")
    let outcome = try check(folder, "x.so")
    outcome.expect(status: 1)
    #expect(
      outcome.error
        == "x.so is not an imghost plugin: it is not a shared library (no ELF header)\n")
    #expect(try check(folder, "none.so").status == 1)
    let json = try check(folder, "--json", "x.so")
    #expect(json.status == 1 && json.output.contains("\"good\":false"), "\(json)")
  }

  @Test(.thorough) func pluginsInLua() throws {
    let folder = try folder()
    try folder.write("good.lua", "return { name = \"good\", apply = function(p) return p:flip() end }")
    try folder.write(
      "bad.lua",
      """
      return { name = "bad", parameters = { n = { type = "float", minimum = 0, maximum = 9,
        default = 1 } }, apply = function(p, o) local b = p:blur(o.n) return b end }
      """)
    try folder.write("endless.lua", "while true do end")
    let good = try check(folder, "good.lua")
    #expect(good.status == 0 && good.output.contains("good: no faults"), "\(good)")
    let bad = try check(folder, "bad.lua")
    bad.expect(status: 1)
    #expect(bad.output.contains("blur: 'sigma' is 0; it takes a number from 0.3 to 1000"), "\(bad)")
    let endless = try check(folder, "endless.lua")
    endless.expect(status: 1, error: "out of time")
  }
}
