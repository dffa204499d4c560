import Foundation
import Testing

/// Settings that a script declares with `img.setting`, from the command line.
struct DeclaredSettingTests {
  private static let script = """
    local img = require "imghost"
    local width = img.setting("width", {
      type = "int", minimum = 10, maximum = 900, step = 10, default = 200, unit = "px", help = "width of each picture" })
    local ink = img.setting("ink", { type = "colour", default = "white" })
    local name = img.setting("name", { type = "string", help = "name of the file" })
    img.canvas(width, 10, { background = ink }):save((name or "a") .. ".png")
    """

  private static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write("t.lua", script)
    return folder
  }

  @Test func valuesReachTheScript() throws {
    let folder = try Self.folder()
    let run = try folder.imghost("run", "--set", "width=64", "--set", "name=b", "t.lua")
    #expect(run.status == 0 && folder.exists("b.png"), "\(run)")
    #expect(try folder.imghost("info", "b.png").output.contains("64 x 10"))
  }

  @Test(arguments: [
    ("widht=64", "--set: unknown setting 'widht' (did you mean 'width'?); the script declares: width, ink, name"),
    ("width=1000", "t.lua:2: --set: 'width' is 1000; it takes a whole number from 10 to 900"),
    ("width=wide", "t.lua:2: --set: 'width' takes a whole number from 10 to 900, not 'wide'"),
    (
      "ink=reed",
      "t.lua:4: --set: 'ink' is not a colour: 'reed'; use '#rrggbb', '#rrggbbaa', a CSS name, or { r, g, b }"
    ),
  ])
  func wrongValuesWriteNothing(_ pair: String, _ message: String) throws {
    for command in ["run", "check", "plan"] {
      let folder = try Self.folder()
      let outcome = try folder.imghost(command, "--set", pair, "t.lua")
      #expect(outcome.status == 2 && outcome.errorLines == [message], "\(outcome)")
      #expect(folder.files == ["t.lua"])
    }
  }

  @Test func helpListsThem() throws {
    let folder = try Self.folder()
    let help = try folder.imghost("help", "t.lua")
    #expect(
      help.output == """
        usage: imghost run [--set NAME=VALUE]… t.lua [ARGS…]

        settings of t.lua:

          width  width of each picture (whole number from 10 to 900, px; default 200)
          ink    colour; default '#ffffff'
          name   name of the file (text)

        """, "\(help)")
    #expect(help.status == 0 && help.error == "" && folder.files == ["t.lua"])
  }

  @Test func helpOfOtherScripts() throws {
    let folder = try Folder()
    try folder.write("none.lua", "print('x')")
    #expect(try folder.imghost("help", "none.lua").output == "none.lua declares no settings\n")
    try folder.write("old.lua", "local img = require 'imghost' print(img.settings.b or img.settings.a or 1)")
    #expect(try folder.imghost("help", "./old.lua").output == "./old.lua declares no settings; it reads: a, b\n")
    try folder.write("wrong.lua", "local img = require 'imghost' img.setting('n', { type = 'int' }) error('x')")
    let wrong = try folder.imghost("help", "wrong.lua")
    #expect(wrong.output.contains("  n  whole number\n") && wrong.status == 3)
    #expect(
      wrong.errorLines == [
        "imghost help: wrong.lua has mistakes, so settings may be missing; see 'imghost check wrong.lua'"
      ])
    let missing = try folder.imghost("help", "missing.lua")
    #expect(missing.status == 2 && missing.errorLines.count == 1, "\(missing)")
  }

  @Test func checkPrintsJSON() throws {
    let folder = try Self.folder()
    let outcome = try folder.imghost("check", "--json", "--set", "width=64", "t.lua")
    let events = try outcome.outputLines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(events.map { $0["event"] as? String } == ["setting", "setting", "setting", "finished"], "\(outcome)")
    let width = events[0]
    #expect(width["name"] as? String == "width" && width["type"] as? String == "integer")
    #expect(width["minimum"] as? Int == 10 && width["maximum"] as? Int == 900 && width["step"] as? Int == 10)
    #expect(width["default"] as? Int == 200 && width["value"] as? Int == 64 && width["given"] as? Bool == true)
    #expect(width["line"] as? Int == 2 && width["script"] as? String == "t.lua")
    #expect(width["help"] as? String == "width of each picture" && width["unit"] as? String == "px")
    #expect(events[1]["value"] as? String == "#ffffff" && events[2]["value"] is NSNull)
    #expect(folder.files == ["t.lua"])
  }

  @Test func shardsAndMergeTakeThem() throws {
    let folder = try Self.folder()
    let shard = try folder.imghost("run", "--shard", "0/1", "--set", "width=64", "t.lua")
    #expect(shard.status == 0, "\(shard)")
    let other = try folder.imghost("merge", "--set", "width=70", "t.lua")
    #expect(other.status != 0, "\(other)")
    let merge = try folder.imghost("merge", "--set", "width=64", "t.lua")
    #expect(merge.status == 0 && folder.exists("a.png"), "\(merge)")
    #expect(try folder.imghost("merge", "--set", "width=5", "t.lua").status != 0)
  }
}
