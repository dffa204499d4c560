import Foundation
import PictureTestSupport
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

          width  width of each picture (whole number from 10 to 900, px, in steps of 10; default 200)
          ink    colour; default '#ffffff'
          name   name of the file (text)

        """, "\(help)")
    #expect(help.status == 0 && help.error == "" && folder.files == ["t.lua"])
  }

  /// `--set` for the parameters of plugins, in a script that declares settings and in one that does not.
  @Test func parametersOfPlugins() throws {
    let folder = try Folder()
    try folder.write(
      "plugins/frame.lua",
      """
      local img = require "imghost"
      return img.plugin{ name = "frame", parameters = {
        width = { type = "int", minimum = 0, maximum = 90, default = 5, step = 5, label = "Edge", group = "Size" },
        ink = { type = "colour", default = "black", help = "colour of the frame" } },
        apply = function(picture, options)
          return picture:extend{ left = options.width, right = options.width, background = options.ink }
        end }
      """)
    let script = """
      local img = require "imghost"
      for i = 1, 2 do img.canvas(10, 10):plugin("frame"):save("a" .. i .. ".png") end
      img.canvas(10, 10):plugin("frame", { width = 20 }):save("b.png")
      """
    try folder.write("t.lua", script)
    let run = try folder.imghost("run", "--set", "frame.width=1", "--set", "frame.2.ink=red", "t.lua")
    run.expect(status: 0)
    #expect(try folder.imghost("info", "a1.png", "a2.png", "b.png").output.matches(of: /12 x 10/).count == 2)
    let pixels = try Pixels(file: folder("b.png"))
    #expect(pixels.width == 50 && Array(pixels[0, 0].prefix(3)) == [255, 0, 0])

    let wrong = try folder.imghost("check", "--set", "frame.width=100", "t.lua")
    wrong.expect(status: 2)
    #expect(
      wrong.errorLines == ["t.lua:2: --set: 'width' is 100; it takes a whole number from 0 to 90"], "\(wrong)")
    let slips = [
      ("frame.3.width", "t.lua", " (did you mean 'frame.2.width'?)"),
      ("frame.wdith", "t.lua", " (did you mean 'frame.width'?)"),
      ("other.speed", "t.lua", ""), ("frame.wdith", "u.lua", " (did you mean 'frame.width'?)"),
    ]
    try folder.write("u.lua", script + "\nimg.setting(\"x\", { type = \"int\", default = 1 })")
    for (name, file, hint) in slips {
      let slip = try folder.imghost("check", "--set", name + "=1", file)
      #expect(
        slip.status == 2
          && slip.errorLines == ["--set: unknown setting '\(name)'\(hint); see 'imghost help SCRIPT'"], "\(slip)")
    }
    // A callback may call a plugin when everything else has ended.
    try folder.write(
      "late.lua",
      script
        + "\nimg.canvas(9, 9):save(\"c.png\"):on_done(function() img.canvas(9, 9):plugin(\"frame\"):save(\"d.png\") end)"
    )
    let late = try folder.imghost("run", "--set", "frame.3.width=7", "late.lua")
    #expect(late.status == 0 && late.errorLines.allSatisfy { !$0.contains("frame.3") }, "\(late)")
    #expect(try Pixels(file: folder("d.png")).width == 23)
    let never = try folder.imghost("run", "--set", "frame.4.width=7", "late.lua")
    never.expect(status: 0, error: "unused setting 'frame.4.width'")

    let help = try folder.imghost("help", "t.lua").output
    #expect(help.contains("parameters of its plugins:"), "\(help)")
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("frame, t.lua:2, Size: frame.width Edge"), "\(help)")
    #expect(words.contains("frame.2.width Edge (whole number from 0 to 90, in steps of 5; default 20)"), "\(help)")
    // A heading ends with its colon, and a label that repeats the name says nothing.
    #expect(help.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") }, "\(help)")
    #expect(words.contains("frame.ink colour of the frame (colour"), "\(help)")
    #expect(try folder.imghost("run", "--set", "frame.width=1", "--set", "x=2", "u.lua").status == 0)
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
    shard.expect(status: 0)
    let other = try folder.imghost("merge", "--set", "width=70", "t.lua")
    #expect(other.status != 0, "\(other)")
    let merge = try folder.imghost("merge", "--set", "width=64", "t.lua")
    #expect(merge.status == 0 && folder.exists("a.png"), "\(merge)")
    #expect(try folder.imghost("merge", "--set", "width=5", "t.lua").status != 0)
  }
}
