import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// `imghost new plugin`: each project builds, passes its own test, and draws the same picture.
struct NewPluginTests {
  @Test(.thorough, arguments: ["c", "swift", "lua"])
  func passesItsOwnTest(_ language: String) throws {
    let folder = try Folder()
    // A name that is a type of Swift's and a word of C's once it is capitalised or cut.
    let made = try folder.imghost("new", "plugin", "float", "--lang", language)
    #expect(made.status == 0 && made.error == "", "\(made)")
    try runTest(of: "float", in: folder)
    let pixels = try Pixels(file: folder("float/example.png"))
    #expect(pixels.width == 240 && pixels.height == 120)
    // Orange (255, 165, 0) and its negative, four fifths of it: what every language makes of it.
    let picture = try folder.run(
      "img.canvas(160, 120, { background = \"orange\" })"
        + ":extend{ left = 40, right = 40, background = \"navy\" }:linear(-0.6, 204):save(\"e.png\")"
    )
    picture.expect(status: 0)
    #expect(folder.bytes("float/example.png") == folder.bytes("e.png"))
    if language != "lua" { #expect(try folder.bytes("float/imghost_plugin.h") == header()) }
  }

  @Test(.thorough, arguments: [("soft-glow", "SoftGlow", "softglow"), ("q", "Q", "q")])
  func aCodecPassesItsOwnTest(_ name: String, _ type: String, _ ending: String) throws {
    let folder = try Folder()
    let made = try folder.imghost("new", "plugin", name, "--lang", "c", "--kind", "codec")
    #expect(made.status == 0 && made.error == "", "\(made)")
    #expect(try folder.bytes("\(name)/imghost_plugin.h") == header())
    try runTest(of: name, in: folder)
    #expect(try Pixels(file: folder("\(name)/example.png")).width == 240)
    // Scripts have the codec write and read each kind of picture, and a region.
    let path = ["IMGHOST_PLUGIN_PATH": folder("\(name)/build")]
    let kinds = ["", ":grayscale()", ":ensure_alpha()", ":grayscale():ensure_alpha()"]
    let pictures = kinds.map { "img.open(photo)\($0)" }
    let photo = "local photo = \"\(Built.root)/Scripts/photos/coffee.png\" "
    let saves = pictures.enumerated().map { index, picture in
      "\(picture):save(\"\(index).\(ending)\") \(picture):crop(30, 20, 101, 50):save(\"\(index)-a.png\", { metadata = \"none\" }) "
    }
    let saved = try folder.run(photo + saves.joined(), environment: path)
    saved.expect(status: 0)
    let opens = pictures.indices.map { index in
      "img.open(\"\(index).\(ending)\"):crop(30, 20, 101, 50):save(\"\(index)-b.png\", { metadata = \"none\" }) "
    }
    let opened = try folder.run(opens.joined(), environment: path)
    opened.expect(status: 0)
    for index in pictures.indices {
      // The format holds no resolution, so the files differ.
      #expect(try Pixels(file: folder("\(index)-a.png")) == Pixels(file: folder("\(index)-b.png")))
    }
  }

  /// Builds a project and runs its test.
  private func runTest(of name: String, in folder: Folder) throws {
    let test = Process()
    test.executableURL = URL(fileURLWithPath: "/bin/sh")
    test.arguments = [folder("\(name)/test.sh")]
    test.environment = ProcessInfo.processInfo.environment.merging([
      "IMGHOST": Built.program("imghost"), "XDG_CACHE_HOME": folder("cache"),
    ]) { $1 }
    let output = Pipe()
    test.standardOutput = output
    test.standardError = output
    try test.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    test.waitUntilExit()
    #expect(test.terminationStatus == 0, "\(text)")
    #expect(text.contains("\(name): no faults"), "\(text)")
  }

  private func header() throws -> [UInt8] {
    let path = Built.root + "/Sources/Engine/CPluginABI/include/imghost_plugin.h"
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(
    arguments: sampled([
      (["plugin"], "imghost new: missing argument NAME; see 'imghost new --help'"),
      (["plugin", "x"], "imghost new: missing option --lang c|swift|lua"),
      (
        ["plugin", "x", "--lang", "rust"], "imghost new: invalid value 'rust' for --lang: expected one of c, swift, lua"
      ),
      (
        ["plugin", "taken", "--lang", "c"],
        "imghost new: 'taken' already exists; choose another name"
      ),
      (
        ["plugin", "X y", "--lang", "c"],
        "imghost new: invalid value 'X y' for NAME: expected a lower-case letter, then lower-case "
          + "letters, digits, '_' and '-'"
      ),
      (
        ["x", "--lang", "c"], "imghost new: --lang is for plugins only: imghost new plugin NAME --lang c"
      ),
      (["x", "--kind", "codec"], "imghost new: --kind is for plugins only: imghost new plugin NAME --lang c"),
      (["plugin", "x", "--kind", "codec"], "imghost new: --kind codec needs --lang c"),
      (["plugin", "x", "--lang", "swift", "--kind", "codec"], "imghost new: --kind codec needs --lang c"),
      (
        ["plugin", "tif", "--lang", "c", "--kind", "codec"],
        "imghost new: '.tif' is an extension of TIFF files; choose another name"
      ),
      (
        ["plugin", "x", "y", "--lang", "c"], "imghost new: unexpected argument 'y'; see 'imghost new --help'"
      ),
    ]))
  func mistakes(_ arguments: [String], _ expected: String) throws {
    let folder = try Folder()
    try folder.makeFolder("taken")
    let outcome = try folder.imghost(["new"] + arguments)
    #expect(outcome.status == 2 && outcome.error == expected + "\n", "\(outcome)")
    #expect(folder.files == [])
  }

  @Test(.wholeRuns) func aNameThatIsTaken() throws {
    let outcome = try Folder().imghost("new", "plugin", "halftone", "--lang", "c")
    outcome.expect(status: 2)
    #expect(outcome.error.contains("plugin 'halftone' already exists in /"), "\(outcome)")
  }
}
