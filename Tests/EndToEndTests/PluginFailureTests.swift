import Foundation
import TestSupport
import Testing

/// The message about a plugin that fails, and the command that repeats the failure.
@Suite struct PluginFailureTests {
  /// Compiles a plugin with a fault into the folder `plugins`.
  private func make(in folder: Folder, _ macros: String..., source: String = "misbehaving") throws {
    try folder.write("plugins/empty", "")
    try Fixture.compile(source, macros, to: folder("plugins/liboddPlugin.so"))
  }

  @Test func theCommandRepeatsTheCall() throws {
    let folder = try Folder()
    try make(in: folder, "READ_PAST_INPUT")
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    let made = try folder.run("img.canvas(30, 20):save(\"it's one.png\")")
    made.expect(status: 0)
    let failed = try folder.run(
      "img.open(\"it's one.png\"):plugin(\"odd\", { first = 0.5, second = \"5\" }):save(\"a.png\")",
      environment: environment)
    failed.expect(status: 1)
    let expected = "odd: it's one.png: plugin 'odd' read outside its input (segmentation fault at 0x"
    #expect(failed.error.contains(expected), "\(failed)")
    let start = try #require(failed.error.range(of: "; to repeat: imghost "))
    let line = failed.error[start.upperBound...].prefix { $0 != "\n" }
    #expect(
      line
        == "plugin run odd --set first=0.5 --set 'second=\"5\"' -- 'it'\\''s one.png' repeated.png")
    let again = try folder.imghost(
      "plugin", "run", "odd", "--set", "first=0.5", "--set", "second=\"5\"", "--", "it's one.png", "repeated.png",
      environment: environment)
    again.expect(status: 1, error: expected)
    #expect(again.error.contains(line), "\(again)")
  }

  /// Returns the lines that contain the command, without the parts that differ from run to run.
  private func lines(_ outcome: Outcome) -> [String] {
    outcome.messages.filter { $0.contains("imghost plugin run") }
      .map { $0.replacing(/\(segmentation fault at 0x[0-9a-f]+\)/, with: "(…)") }.sorted()
  }

  /// The other pictures are written, and the line says so.
  @Test func theOthersAreUnaffected() throws {
    let folder = try Folder()
    try make(in: folder, "CRASHES_WHEN_TINY", source: "checked")
    let made = try folder.run(
      """
      for i = 1, 5 do img.canvas(i == 2 and 1 or 40, 9):save("in/" .. i .. ".png") end
      """)
    made.expect(status: 0)
    let script = """
      img.glob("in/*.png"):map(function(p) return p:plugin("checked") end):save("out/{stem}.png")
      """
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    let outcome = try folder.run(
      script, "--on-error", "continue", environment: environment)
    outcome.expect(status: 1)
    let start = "t.lua:2: checked: in/2.png: plugin 'checked' "
    let command = "to repeat: imghost plugin run checked -- in/2.png repeated.png"
    let line = try #require(lines(outcome).first)
    #expect(lines(outcome).count == 1 && line.hasPrefix(start), "\(outcome)")
    #expect(
      line.hasSuffix("'out/2.png' is not written; \(command)"))
    #expect(folder.files.filter { $0.hasPrefix("out/") }.count == 4)
    // Without the option the run stops, and says how to go on.
    let stopped = try folder.run(script, environment: environment)
    #expect(
      lines(stopped).first?.hasSuffix(
        "'out/2.png' is not written; --on-error continue goes on with the other 4 pictures; "
          + command) == true, "\(stopped)")
  }

  /// A picture that others take in is no one's own.
  @Test func nothingIsSaidOfOthersWhereTheyMayFailToo() throws {
    let folder = try Folder()
    try make(in: folder, "READ_PAST_INPUT")
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    let made = try folder.run("for i = 1, 3 do img.canvas(20, 20):save(i .. \".png\") end")
    made.expect(status: 0)
    let outcome = try folder.run(
      """
      local odd = img.open("1.png"):plugin("odd")
      odd:save("a.png")
      for i = 2, 3 do img.open(i .. ".png"):composite{ over = odd }:save("b" .. i .. ".png") end
      """, "--on-error", "continue", environment: environment)
    outcome.expect(status: 1)
    #expect(lines(outcome).count == 3 && !outcome.error.contains("unaffected"), "\(outcome)")
  }

  /// Jobs that come after the one that failed are cancelled.
  @Test func nothingIsSaidOfOthersThatComeAfter() throws {
    let folder = try Folder()
    try make(in: folder, "READ_PAST_INPUT")
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    let made = try folder.run("for i = 1, 2 do img.canvas(20, 20):save(i .. \".png\") end")
    made.expect(status: 0)
    let outcome = try folder.run(
      """
      local first = img.open("1.png"):plugin("odd"):save("a.png")
      img.open("2.png"):save("b.png", { after = first })
      """, "--on-error", "continue", environment: environment)
    outcome.expect(status: 1)
    #expect(lines(outcome).count == 1 && !outcome.error.contains("unaffected"), "\(outcome)")
    #expect(!folder.exists("b.png"))
  }

  @Test func mixersAndSourcesAreRepeatedToo() throws {
    let folder = try Folder()
    try make(in: folder, "INPUTS=3", "STEP=1", source: "maker")
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    let made = try folder.run("for i = 1, 3 do img.canvas(20, 20):save(i .. \".png\") end")
    made.expect(status: 0)
    let mixed = try folder.run(
      """
      local a, b, c = img.open("1.png"), img.open("2.png"), img.open("3.png")
      a:plugin("maker", { third = b, second = c }):save("a.png")
      a:plugin("maker", b:flip(), c):save("b.png")
      a:plugin("maker", img.canvas(20, 20), c):save("c.png")
      """, "--on-error", "continue", environment: environment)
    mixed.expect(status: 1)
    let found = lines(mixed)
    #expect(found.count == 2, "\(mixed)")
    #expect(
      found.first?.hasSuffix(
        "; to repeat: imghost plugin run maker -- 1.png 3.png 2.png repeated.png")
        == true, "\(mixed)")
    #expect(
      found.last?.hasSuffix(
        "; on the files themselves: imghost plugin run maker -- 1.png 2.png 3.png repeated.png")
        == true, "\(mixed)")
    let again = try folder.imghost(
      "plugin", "run", "maker", "--", "1.png", "3.png", "2.png", "repeated.png",
      environment: environment)
    #expect(
      again.status == 1 && lines(again).first?.contains("outside its input") == true, "\(again)")
  }

  @Test func sourcesAreRepeatedWithTheirSize() throws {
    let folder = try Folder()
    try make(in: folder, "FAILS", source: "maker")
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    let outcome = try folder.run(
      "img.plugin(\"maker\", { width = 20, height = 30 }):save(\"a.png\")",
      environment: environment)
    #expect(
      outcome.messages.first
        == "t.lua:2: maker: plugin 'maker' failed without saying why; 'a.png' is not written; to "
        + "repeat: imghost plugin run maker --set width=20 --set height=30 -- repeated.png",
      "\(outcome)")
  }

  @Test(
    arguments: sampled([
      (["run", "vignette", "--set", "strength=0.4", "a.png", "b.png"], 0, ""),
      (["run", "vignette", "--in-process", "a.png", "b.png"], 0, ""),
      (["run", "vignete", "a.png", "b.png"], 3, "unknown plugin 'vignete' (did you mean"),
      (["run", "vignette", "--set", "strenth=1", "a.png", "b.png"], 3, "unknown option 'strenth'"),
      (["run", "vignette", "--set", "a b=1", "a.png", "b.png"], 2, "invalid value 'a b' for --set"),
      (["run", "vignette"], 2, "missing argument OUT"),
      (
        ["run", "vignette", "a.png"], 2, "'vignette' takes 1 picture, not 0: imghost plugin run vignette IN"
      ),
      (["run", "vignette", "a.png", "b.png", "c.png"], 2, "'vignette' takes 1 picture, not 2: "),
      (["run", "test_card", "a.png", "b.png"], 2, "'test_card' takes no pictures, not 1: "),
      (["run", "mask_blend", "a.png", "b.png"], 2, "mask_blend IN1 IN2 IN3 OUT"),
      (["run", "test_card", "--set", "width=9", "--set", "height=7", "b.png"], 0, ""),
      (["run", "test_card", "b.png"], 3, "test_card: 'width' is missing"),
      (["run", "mask_blend", "--set", "softness=2", "a.png", "a.png", "a.png", "b.png"], 0, ""),
      (["rnu"], 2, "unknown command 'rnu'"), ([], 2, "missing argument SUBCOMMAND"),
    ]))
  func runningOne(_ arguments: [String], _ status: Int32, _ words: String) throws {
    let folder = try Folder()
    #expect(try folder.run("img.canvas(9, 9):save(\"a.png\")").status == 0)
    let outcome = try folder.imghost(["plugin"] + arguments)
    #expect(
      outcome.status == status && (words.isEmpty || outcome.error.contains(words)), "\(outcome)")
    #expect(folder.exists("b.png") == (status == 0))
    // Nobody has written the script that there is behind it.
    #expect(!outcome.error.contains(":14:"), "\(outcome)")
  }
}
