import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// The paths of outputs: no output replaces an input or another output, and with `--confine` all outputs are in one
/// folder.
struct OutputPlaceTests {
  private static let source =
    "this would overwrite a picture that the script reads; save elsewhere"
  private static let otherName =
    "this would overwrite a picture that the script reads, under another of its names; save elsewhere"
  private static let script = "this would overwrite a file of the script itself; save elsewhere"
  private static func sameFile(_ path: String, _ line: Int) -> String {
    "this is the same file as the output '\(path)' at line \(line), by a link or another path; save " + "elsewhere"
  }

  /// A folder with pictures and with links to them.
  private func linked() throws -> Folder {
    let folder = try Folder()
    let picture = try Pixels.waves(20, 10).png()
    try folder.write("orig/a.png", picture)
    try folder.write("orig/b.png", picture)
    try folder.makeFolder("web")
    try folder.link("web/a.png", to: "../orig/a.png")
    try folder.link("web/chain.png", to: "a.png")
    try folder.link("book.pdf", to: "orig/b.png")
    try FileManager.default.linkItem(atPath: folder("orig/b.png"), toPath: folder("web/hard.png"))
    try folder.link("web/one.png", to: "new.png")
    try folder.write("helper.lua", "return 1")
    return folder
  }

  /// Runs one script after another in such a folder; existing files must not change.
  @Test(arguments: [
    (
      "img.glob(\"orig/*.png\"):map(function(p) return p:flip() end):save(\"web/{name}\")", "save: web/a.png: " + source
    ),
    ("img.open(\"orig/a.png\"):save(\"web/chain.png\")", "save: web/chain.png: " + source),
    ("img.open(\"orig/b.png\"):flip():save(\"web/hard.png\")", "save: web/hard.png: " + otherName),
    ("img.book(\"book.pdf\", img.open(\"orig/b.png\"))", "book: book.pdf: " + source),
    (
      "img.canvas(2, 2):save(\"web/new.png\") img.canvas(3, 3):save(\"web/one.png\")",
      "save: web/one.png: " + sameFile("web/new.png", 2)
    ),
    ("img.canvas(2, 2):save(\"t.lua\", { format = \"png\" })", "save: t.lua: " + script),
    (
      "require \"helper\" img.canvas(2, 2):save(\"helper.lua\", { format = \"png\" })", "save: helper.lua: " + script
    ),
  ])
  func sameFileByAnotherName(_ script: String, _ message: String) throws {
    let folder = try linked()
    let (a, b) = (folder.bytes("orig/a.png"), folder.bytes("orig/b.png"))
    for command in ["check", "run"] {
      try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
      let outcome = try folder.imghost(command, "t.lua")
      #expect(outcome.status == 3 && outcome.messages == ["t.lua:2: " + message], "\(outcome)")
    }
    #expect(folder.bytes("orig/a.png") == a && folder.bytes("orig/b.png") == b)
    #expect(!folder.exists("web/new.png") && folder.temporaries == [])
  }

  /// Outputs that are hard links of each other become two files, as each is replaced.
  @Test func outputsThatWereOneFile() throws {
    let folder = try Folder()
    try folder.write("a.png", "old")
    try FileManager.default.linkItem(atPath: folder("a.png"), toPath: folder("b.png"))
    let outcome = try folder.run("img.canvas(2, 2):save(\"a.png\") img.canvas(3, 3):save(\"b.png\")")
    outcome.expect(status: 0)
    #expect(try Pixels(file: folder("a.png")).width == 2)
    #expect(try Pixels(file: folder("b.png")).width == 3)
  }

  /// A link is written where it leads, also to what is not there yet.
  @Test func linksAreFollowed() throws {
    let folder = try Folder()
    try folder.link("a.png", to: "far/new.png")
    try folder.link("b.pdf", to: "c.pdf")
    let outcome = try folder.run("img.canvas(2, 2):save(\"a.png\") img.book(\"b.pdf\", img.canvas(30, 30))")
    outcome.expect(status: 0)
    #expect(folder.files == ["a.png", "b.pdf", "c.pdf", "far/new.png", "t.lua"])
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: folder("a.png"))
    #expect(target == "far/new.png")
  }

  @Test func pluginRunReplacesNoPicture() throws {
    let folder = try linked()
    let before = folder.bytes("orig/a.png")
    for output in ["web/a.png", "orig/a.png"] {
      let outcome = try folder.imghost("plugin", "run", "vignette", "orig/a.png", output)
      outcome.expect(status: 3)
      #expect(outcome.error.contains(Self.source), "\(outcome)")
    }
    #expect(folder.bytes("orig/a.png") == before)
  }

  @Test(arguments: ["--trace", "--timeline"])
  func drawingsReplaceNoPicture(_ option: String) throws {
    let folder = try linked()
    let before = folder.bytes("orig/a.png")
    let script = "img.open(\"orig/a.png\"):flip():save(\"x.png\")"
    let linked = try folder.run(script, option, "web/chain.png")
    linked.expect(status: 2)
    try FileManager.default.linkItem(atPath: folder("orig/a.png"), toPath: folder("same"))
    let other = try folder.run(script, option, "same")
    other.expect(status: 2)
    try FileManager.default.linkItem(atPath: folder("t.lua"), toPath: folder("t.svg"))
    let onScript = try folder.imghost("run", option, "t.svg", "t.lua")
    onScript.expect(status: 2)
    #expect(folder.bytes("orig/a.png") == before)
    #expect(folder.temporaries == [])
  }

  // MARK: - names that are not UTF-8

  /// Runs commands of bash in a folder with `imghost` and a script that makes `caf\\xe9.png`.
  private func bash(_ commands: String, in folder: Folder) throws -> Outcome {
    try folder.write("t.lua", "local img = require \"imghost\"\nimg.canvas(4, 4):save(\"caf\\xe9.png\")")
    let program = "imghost() { '\(Built.program("imghost"))' \"$@\"; }; set -e; "
    return try Command(program: "/bin/bash", arguments: ["-c", program + commands], folder: folder.path).run()
  }

  /// Such names are read and written everywhere, byte for byte, by scripts and by the command line.
  @Test(
    arguments: sampled([
      "imghost run t.lua && test -s $'caf\\xe9.png'",
      "imghost run --out $'o\\xff' t.lua && test -s $'o\\xff/caf\\xe9.png'",
      "imghost run --trace $'t\\xff' t.lua && test -s $'t\\xff'",
      "imghost run t.lua && imghost convert *.png --resize 2 -o out/ && test -s $'out/caf\\xe9.png'",
      "imghost run t.lua && imghost convert $'caf\\xe9.png' --resize 2 -o '{stem}.jpg' && test -s $'caf\\xe9.jpg'",
      "imghost run t.lua && printf 'caf\\xe9.png\\0' | imghost convert --files0-from - --resize 2 -o out/ "
        + "&& test -s $'out/caf\\xe9.png'",
      "imghost run t.lua && imghost book *.png -o $'b\\xe9.pdf' --verify && imghost verify $'b\\xe9.pdf'",
      "imghost run t.lua && imghost convert --print-script *.png --resize 3 -o y.jpg > p.lua && imghost run p.lua && test -s y.jpg",
    ]))
  func namesOfAnyBytes(_ commands: String) throws {
    let folder = try Folder()
    defer { _ = try? bash("rm -rf *", in: folder) }
    let outcome = try bash(commands, in: folder)
    outcome.expect(status: 0)
  }

  /// Messages show the byte, and JSON has it in the form of Python's "surrogateescape".
  @Test func bytesInMessagesAndJSON() throws {
    let folder = try Folder()
    defer { _ = try? bash("rm -rf *", in: folder) }
    let outcome = try bash(
      "imghost run --manifest m.json t.lua; printf junk > $'bad\\xff.png'; imghost info --json *.png || true",
      in: folder)
    #expect(outcome.error.contains("bad\\xff.png: unrecognized file format"), "\(outcome)")
    #expect(outcome.output.contains("\"path\":\"caf\\udce9.png\""), "\(outcome)")
    #expect(String(decoding: folder.bytes("m.json"), as: UTF8.self).contains("caf\\udce9.png"))
  }

  /// Manifests of shards keep them, too.
  @Test func bytesInShards() throws {
    let folder = try Folder()
    defer { _ = try? bash("rm -rf * .imghost", in: folder) }
    try folder.write(
      "b.lua",
      """
      local img = require "imghost"
      img.book("b\\xe9.pdf", { img.open("caf\\xe9.png"), img.open("caf\\xe9.png"):flip() })
      img.open("caf\\xe9.png"):save("out/{stem}.jpg")
      """)
    let outcome = try bash(
      "imghost run t.lua; imghost run --shard 0/2 b.lua; imghost run --shard 1/2 b.lua; imghost merge b.lua; "
        + "test -s $'b\\xe9.pdf' && test -s $'out/caf\\xe9.jpg'", in: folder)
    outcome.expect(status: 0)
  }

  /// A folder may have any name, as long as nobody has to write it.
  @Test func workingFolderOfAnyBytes() throws {
    let folder = try Folder()
    try folder.write("t.lua", "require \"imghost\".canvas(2, 2):save(\"o/x.png\")")
    let commands =
      "mkdir $'d\\xff' && cd $'d\\xff' && '\(Built.program("imghost"))' run ../t.lua && "
      + "test -s o/x.png && cd .. && mv $'d\\xff' plain"
    let outcome = try Command(program: "/bin/bash", arguments: ["-c", commands], folder: folder.path).run()
    outcome.expect(status: 0)
    #expect(folder.files == ["plain/o/x.png", "t.lua"])
  }

  // MARK: - --confine

  private static func outside(_ path: String) -> String {
    "\(path): lies outside 'out', and --confine allows no output there"
  }

  @Test(arguments: [
    ("img.canvas(2, 2):save(\"../x.png\")", "save: " + outside("out/../x.png")),
    ("img.canvas(2, 2):save(\"a/../../x.png\")", "save: " + outside("out/a/../../x.png")),
    ("img.canvas(2, 2):save(\"/tmp/imghost-x.png\")", "save: " + outside("/tmp/imghost-x.png")),
    ("img.canvas(2, 2):save(\"link/x.png\")", "save: " + outside("out/link/x.png")),
    ("img.canvas(2, 2):save(\"file.png\")", "save: " + outside("out/file.png")),
    ("img.canvas(2, 2):save(\"../out2/x.png\")", "save: " + outside("out/../out2/x.png")),
    ("img.book(\"../b.pdf\", img.canvas(30, 30))", "book: " + outside("out/../b.pdf")),
  ])
  func confinedOutputs(_ script: String, _ message: String) throws {
    let folder = try Folder()
    try folder.makeFolder("out/a")
    try folder.makeFolder("out2")
    try folder.link("out/link", to: "..")
    try folder.link("out/file.png", to: "../file.png")
    let files = folder.files + ["t.lua"]
    let outcome = try folder.run(script, "--confine", "--out", "out")
    #expect(outcome.status == 3 && outcome.messages == ["t.lua:2: " + message], "\(outcome)")
    #expect(folder.files == files.sorted())
  }

  /// Outputs inside the folder are written, by whatever path. Without `--confine`, a script may write anywhere else.
  @Test func allowedOutputs() throws {
    let folder = try Folder()
    try folder.makeFolder("real")
    try folder.link("out", to: "real")
    try folder.makeFolder("real/in")
    try folder.link("real/link", to: "in")
    let script = """
      img.canvas(2, 2):save("a/../a.png")
      img.canvas(2, 2):save("link/b.png")
      img.canvas(2, 2):save("../real/c.png")
      img.canvas(2, 2):save("new/d.png")
      """
    let outcome = try folder.run(script, "--confine", "--out", "out", "--trace", "out/trace.json")
    outcome.expect(status: 0)
    #expect(
      Set(["real/a.png", "real/in/b.png", "real/c.png", "real/new/d.png", "real/trace.json"])
        .isSubset(of: folder.files))
    let trace = try folder.run(script, "--confine", "--out", "out", "--trace", "trace.json")
    trace.expect(status: 2, error: "lies outside 'out'")
    let free = try folder.run("img.canvas(2, 2):save(\"../e.png\")", "--out", "out")
    #expect(free.status == 0 && folder.exists("e.png"), "\(free)")
  }

  // MARK: - many

  /// More outputs of one picture than files may be open: they are written in several passes.
  @Test func moreOutputsThanDescriptors() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local p = img.open(arg[1]):resize(64, 48):blur(1)
      for i = 1, 150 do p:save(i .. ".png") end
      for i = 1, 150 do img.book(i .. ".pdf", img.canvas(30, 30 + i)) end
      p:flip():save("last.jpg")
      """)
    let script =
      "ulimit -n 128; exec '\(Built.program("imghost"))' run --jobs 2 t.lua "
      + "'\(Built.photos)/rocket.jpg'"
    let outcome = try Command(program: "/bin/sh", arguments: ["-c", script], folder: folder.path, seconds: 120).run()
    outcome.expect(status: 0)
    #expect(folder.files.count == 302)
    let first = folder.bytes("1.png")
    #expect(!first.isEmpty && (2...150).allSatisfy { folder.bytes("\($0).png") == first })
  }
}
