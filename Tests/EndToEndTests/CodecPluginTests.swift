import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Codec plugins in the built program: pages, animations, isolation, and files that are not what they seem.
struct CodecPluginTests {
  private func pictures(_ folder: Folder) throws {
    try folder.write("a.png", try Pixels.waves(60, 40).png())
    try folder.write("b.png", try Pixels.waves(30, 20).png())
  }

  @Test func animationsKeepTheirDelays() throws {
    let folder = try Folder()
    try pictures(folder)
    let written = try folder.run(
      """
      local a = img.open("a.png")
      img.animation("film.webp", { a, a:rotate(180), a:flop() }, { delay = 0.25, lossless = true })
      """)
    written.expect(status: 0)
    let read = try folder.run(
      """
      local frames = img.pages("film.webp")
      assert(#frames == 3 and frames[2].width == 60)
      frames:map(function(p) return p:resize(20, 20) end):animation("small.webp")
      frames:save("{index}.png")
      """)
    read.expect(status: 0)
    #expect(try Pixels(file: folder("1.png")) == Pixels(file: folder("a.png")))
    let info = try folder.imghost(["info", "--json", "small.webp"])
    #expect(info.output.contains("\"pages\":3") && info.output.contains("\"delay\":0.25"), "\(info)")
  }

  /// The number of runs is that of the file, unless the script says another.
  @Test func animationsKeepTheirRuns() throws {
    let folder = try Folder()
    try pictures(folder)
    let written = try folder.run(
      "local a = img.open(\"a.png\") img.animation(\"film.webp\", { a, a:flop() }, { loop = 5 })")
    written.expect(status: 0)
    let read = try folder.run(
      """
      local frames = img.pages("film.webp")
      img.animation("kept.jxl", frames:map(function(p) return p:resize(20) end))
      img.animation("forever.webp", frames, { loop = 0 })
      img.animation("mixed.webp", { frames[1], img.open("a.png") })
      """)
    read.expect(status: 0)
    for (file, count) in [("film.webp", 5), ("kept.jxl", 5), ("forever.webp", 0), ("mixed.webp", 0)] {
      let info = try folder.imghost(["info", "--json", file])
      #expect(info.output.contains("\"loop_count\":\(count)"), "\(file): \(info)")
    }
  }

  /// Some encoders state another subsampling in `av1C` than the pixels have: libavif and browsers go by the pixels.
  @Test func statedSubsamplingOfAVIFDoesNotCount() throws {
    let folder = try Folder()
    try folder.copy(Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/avif/lossy.avif", to: "right.avif")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("right.avif"))))
    let at = try #require((4..<bytes.count - 8).first { bytes[$0 - 4..<$0].elementsEqual("av1C".utf8) })
    #expect(bytes[at + 2] == 0x0c)
    bytes[at + 2] = 0
    try folder.write("wrong.avif", bytes)
    let outcome = try folder.run("for _, p in ipairs(img.glob('*.avif')) do p:save('{stem}.png') end")
    outcome.expect(status: 0)
    #expect(try Pixels(file: folder("wrong.png")) == Pixels(file: folder("right.png")))
  }

  @Test func pagesOfATIFFBecomeAPDF() throws {
    let folder = try Folder()
    try pictures(folder)
    let written = try folder.run("img.multipage(\"scans.tif\", { img.open(\"a.png\"), img.open(\"b.png\") })")
    written.expect(status: 0)
    let read = try folder.run(
      """
      img.book("scans.pdf", img.pages("scans.tif"), { verify = true })
      img.open("scans.tif", { page = 2 }):save("second.png")
      """)
    read.expect(status: 0, error: "2 pages, verified")
    #expect(try Pixels(file: folder("second.png")) == Pixels(file: folder("b.png")))
  }

  static let mistakes: [(script: String, message: String)] = [
    ("img.open(\"t.tif\", { page = 3 }):save(\"x.png\")", "open: t.tif: has 2 pages, not 3"),
    ("img.open(\"a.png\", { page = 2 }):save(\"x.png\")", "open: a.png: there is no page 2: the file has one page"),
    ("img.open(\"t.tif\", { dpi = 72 }):save(\"x.png\")", "open: t.tif: unknown option 'dpi'"),
    (
      "img.open(\"a.png\"):save(\"x.gif\")", "save: file ending '.gif': imghost reads GIF files, but writes none; use "
    ),
    ("img.animation(\"x.png\", { img.open(\"a.png\") })", "animation: imghost does not write animations as PNG"),
    ("img.multipage(\"x.jpg\", { img.open(\"a.png\") })", "multipage: imghost does not write several pages as JPEG"),
    (
      "img.animation(\"x.webp\", { img.open(\"a.png\"), img.open(\"b.png\") })",
      "animation: b.png: frame 2 is 30x20 and the first is 60x40"
    ),
  ]

  @Test func mistakesHaveOneLine() throws {
    let folder = try Folder()
    try pictures(folder)
    _ = try folder.run("img.multipage(\"t.tif\", { img.open(\"a.png\"), img.open(\"b.png\") })")
    for (script, message) in Self.mistakes {
      let outcome = try folder.run(script)
      #expect(outcome.status != 0 && outcome.messages.count == 1, "\(outcome)")
      #expect(outcome.error.contains("t.lua:2: " + message), "\(outcome)")
      #expect(!folder.files.contains { $0.hasPrefix("x.") })
    }
  }

  /// `--isolate all` gives the same bytes and the same messages.
  @Test func isolationChangesNothing() throws {
    let folder = try Folder()
    try pictures(folder)
    try folder.write("cut.png", Array(try Pixels.waves(200, 200).png().prefix(2_000)))
    let script = """
      local all = img.glob("{a,b,cut}.png")
      all:save(arg[1] .. "/{stem}.jpg")
      all:map(function(p) return p:crop(3, 4, 10, 10):resize(5, 5) end):save(arg[1] .. "/{stem}-small.png")
      img.open(arg[1] .. "0/a.jpg"):resize(20, 10):save(arg[1] .. "/again.png")
      """
    try folder.write("x0/a.jpg", Pixels.waves(160, 90).jpeg(90))
    _ = try folder.run(script, "--on-error", "continue", arguments: ["x"])
    let plain = Built.files(in: folder("x"))
    try FileManager.default.moveItem(atPath: folder("x"), toPath: folder("plain"))
    let isolated = try folder.run(script, "--isolate", "all", "--on-error", "continue", arguments: ["x"])
    #expect(isolated.error.contains("cut.png: truncated file"), "\(isolated)")
    #expect(Built.files(in: folder("x")) == plain && plain.count == 5)
    for name in plain { #expect(folder.bytes("x/" + name) == folder.bytes("plain/" + name), "\(name)") }
  }

  /// Without their plugins nothing is decoded in this process instead.
  @Test func isolationNeedsItsPlugins() throws {
    let folder = try Folder()
    try pictures(folder)
    try folder.makeFolder("bin")
    for name in ["imghost", "imghost-plugin-worker"] {
      try folder.copy(Built.program(name), to: "bin/" + name)
    }
    try folder.write("t.lua", "require('imghost').open('a.png'):save('x.jpg')")
    var command = Command(
      arguments: ["run", "--isolate", "all", "t.lua"], folder: folder.path, environment: [:], input: "", seconds: 20)
    command.program = folder("bin/imghost")
    let outcome = try command.run()
    outcome.expect(status: 2, error: "--isolate all needs the plugin 'jpeg'")
    #expect(!folder.files.contains("x.jpg"))
  }

  /// Runs a script with a copy of the program that has only the named plugins beside it.
  private func runAlone(_ folder: Folder, _ script: String, libraries: [String: String] = [:]) throws -> Outcome {
    try folder.makeFolder("bin")
    for name in ["imghost", "imghost-plugin-worker"] where !folder.exists("bin/" + name) {
      try folder.copy(Built.program(name), to: "bin/" + name)
    }
    try folder.write("t.lua", "local img = require 'imghost'\n" + script)
    var command = Command(
      arguments: ["run", "t.lua"], folder: folder.path, environment: ["IMGHOST_PLUGIN_PATH": nil], input: "",
      seconds: 20)
    command.program = folder("bin/imghost")
    return try command.run()
  }

  static let missing: [(script: String, message: String)] = [
    (
      "img.open('a.png'):save('x.webp')",
      "save: file ending '.webp': the plugin that writes this format is missing; install the package imghost, or libWebPPlugin.so beside imghost"
    ),
    (
      "img.open('a.heic'):save('x.png')",
      "open: a.heic: unsupported file format (a HEIC picture); install the package imghost-codecs-gpl (imghost-gpl of the portable files), or libHEIFPlugin.so beside imghost"
    ),
    (
      "img.open('a.jp2'):save('x.png')", "decoding JPEG 2000 needs libJPEG2000Plugin.so, of the package imghost"
    ),
    ("img.open('a.png'):save('x.svg')", "save: cannot tell the format: file ending '.svg'"),
  ]

  /// Without its plugin, a format is told with what to install.
  @Test func missingPluginsAreNamed() throws {
    let folder = try Folder()
    try pictures(folder)
    let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/"
    try folder.copy(fixtures + "heif/still.heic", to: "a.heic")
    try folder.copy(fixtures + "jpeg2000/alpha.jp2", to: "a.jp2")
    for (script, message) in Self.missing {
      let outcome = try runAlone(folder, script)
      #expect(outcome.status != 0 && outcome.messages.count == 1, "\(outcome)")
      #expect(outcome.error.contains(message), "\(outcome)")
    }
    // In a folder with other files, too.
    try folder.copy(fixtures + "heif/still.heic", to: "mix/a.heic")
    try folder.write("mix/a.txt", "no picture")
    let mixed = try runAlone(folder, "img.glob('mix/*') img.open('a.png'):save('b.png')")
    let place = mixed.errorLines.first { $0.contains("mix/a.txt") } ?? ""
    #expect(place.hasSuffix("glob: note: left out, no pictures that imghost reads: mix/a.txt"), "\(mixed)")
    #expect(
      mixed.error.contains(
        "left out, a HEIC picture, whose plugin is missing (install the package imghost-codecs-gpl "),
      "\(mixed)")
    // Also where there is a plugin for files that begin alike.
    try folder.copy(Built.program("libAVIFPlugin.so"), to: "bin/libAVIFPlugin.so")
    let alike = try runAlone(folder, Self.missing[1].script)
    #expect(alike.error.contains(Self.missing[1].message), "\(alike)")
    // A plugin whose library is missing says so.
    try Fixture.compile("needed", [], to: folder("libheif.so.9"))
    try Fixture.compile(
      "misbehaving", [], to: folder("bin/libHEIFPlugin.so"), options: ["-Wl,--no-as-needed", folder("libheif.so.9")])
    try FileManager.default.removeItem(atPath: folder("libheif.so.9"))
    let outcome = try runAlone(folder, Self.missing[1].script)
    #expect(outcome.error.contains("libheif.so.9: cannot open shared object file"), "\(outcome)")
    #expect(
      outcome.error.contains("; the package imghost-codecs-gpl brings the libraries that it needs"), "\(outcome)")
  }

  /// A damaged file whose plugin is there: installing it would not help.
  @Test func damagedBeginningsAskForNoInstallation() throws {
    let folder = try Folder()
    try folder.write("a.tif", [0x49, 0x49, 43, 0])
    let outcome = try folder.imghost(["info", "a.tif"])
    #expect(
      outcome.error.contains("a.tif: unsupported file format (a BigTIFF picture); no installed plugin reads it"),
      "\(outcome)")
  }

  /// An option that another format takes.
  @Test func optionsOfOtherFormatsAreTold() throws {
    let folder = try Folder()
    try pictures(folder)
    let outcome = try folder.run("img.open(\"a.png\"):save(\"x.webp\", { compression = 5 })")
    #expect(
      outcome.error.contains("unknown option 'compression', which save of .png and .tif files takes"),
      "\(outcome)")
  }

  /// Content decides, never the name.
  @Test func namesDoNotMatter() throws {
    let folder = try Folder()
    try pictures(folder)
    _ = try folder.run("img.open(\"a.png\"):save(\"a.webp\", { lossless = true })")
    try FileManager.default.moveItem(atPath: folder("a.webp"), toPath: folder("photo.jpg"))
    let outcome = try folder.run("img.open(\"photo.jpg\"):save(\"again.png\")")
    outcome.expect(status: 0)
    #expect(try Pixels(file: folder("again.png")) == Pixels(file: folder("a.png")))
  }

  @Test(.wholeRuns) func aCodecIsChecked() throws {
    let outcome = try Folder().imghost(["plugin", "check", "webp"], seconds: 60)
    #expect(outcome.status == 0 && outcome.output.contains("webp: no faults"), "\(outcome)")
  }
}
