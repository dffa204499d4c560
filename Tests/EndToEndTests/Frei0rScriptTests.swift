import Foundation
import Testing

/// frei0r plugins from a script, where Debian's are installed.
@Suite(
  .enabled(
    if: FileManager.default.fileExists(atPath: "/usr/lib/frei0r-1/glow.so"),
    "Debian's package frei0r-plugins is not installed"))
struct Frei0rScriptTests {
  private func run(_ script: String, in folder: Folder) throws -> Outcome {
    try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
    return try folder.imghost(
      ["run", "t.lua"], environment: ["XDG_CACHE_HOME": folder("cache")])
  }

  private func kept(in folder: Folder) -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: folder("cache/imghost/plugins")).count
  }

  @Test func allKindsRun() throws {
    let folder = try Folder()
    let outcome = try run(
      """
      local p = img.open(\"\(Built.photos)/coffee.png\")
      local pattern = img.plugin("frei0r.test_pat_b", { width = p.width, height = p.height })
      p:plugin("frei0r.glow", { blur = 0.3 }):save("filter.png")
      pattern:save("source.png")
      p:plugin("frei0r.screen", pattern):save("mixer.png")
      p:plugin("frei0r.rgb", { second = pattern, third = p }):save("mixer3.png")
      img.plugin("frei0r.plasma", 31, 17):save("small.png")
      """, in: folder)
    outcome.expect(status: 0)
    for name in ["filter", "source", "mixer", "mixer3", "small"] { #expect(folder.exists(name + ".png")) }
    // Those that were called have been described, and no other.
    #expect(kept(in: folder) == 5)
  }

  @Test func aScriptWithoutPluginsLooksForNone() throws {
    let folder = try Folder()
    #expect(try run("img.canvas(9, 9):save(\"a.png\")", in: folder).status == 0)
    #expect(!folder.exists("cache"))
  }

  @Test func mistakesSayWhatToWrite() throws {
    let folder = try Folder()
    let outcome = try run(
      """
      local p = img.canvas(64, 48)
      p:plugin("glow"):save("1.png")
      p:plugin("frei0r.plasma"):save("2.png")
      img.plugin("frei0r.glow", { width = 5 }):save("3.png")
      img.plugin("frei0r.plasma", { width = 5 }):save("4.png")
      p:plugin("frei0r.screen"):save("5.png")
      p:plugin("frei0r.glow", { Blur = 1 }):save("6.png")
      """, in: folder)
    let expected = [
      "t.lua:3: plugin: unknown plugin 'glow' (did you mean 'frei0r.glow'?); found: "
        + "film_grain, halftone, luma_sharpen, mask_blend, test_card, vignette",
      "t.lua:4: frei0r.plasma: it takes no picture; write img.plugin(\"frei0r.plasma\", "
        + "{ width = …, height = … })",
      "t.lua:5: frei0r.glow: it needs a picture; write picture:plugin(\"frei0r.glow\", { … })",
      "t.lua:6: frei0r.plasma: 'height' is missing",
      "t.lua:7: frei0r.screen: 'second' is missing",
      "t.lua:8: frei0r.glow: unknown option 'Blur' (did you mean 'blur'?); valid: blur, time",
    ]
    #expect(outcome.messages == expected, "\(outcome)")
  }

  @Test func unequalSizesAreNamed() throws {
    let folder = try Folder()
    let outcome = try run(
      "img.canvas(64, 48):plugin(\"frei0r.screen\", img.canvas(64, 47)):save(\"a.png\")", in: folder)
    outcome.expect(status: 1)
    #expect(
      outcome.error.contains(
        "needs pictures of one size; the first is 64x48, another 64x47: resize one of them"),
      "\(outcome)")
  }
}
