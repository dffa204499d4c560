import Foundation
import TestSupport
import Testing

/// Records know files by their places and bytes, however a script spells their names.
struct RecordedPlacesTests {
  private static func folder(_ script: String) throws -> Folder {
    let folder = try Folder()
    let pictures = """
      for i, c in ipairs{ "#f00", "#0f0", "#00f" } do
        img.canvas(40 + 20 * i, 40, { background = c }):save("p/" .. i .. ".jpg")
      end
      """
    try folder.imghost("run", "-q", "-e", pictures).expect(status: 0)
    try write(script, in: folder)
    return folder
  }

  private static func write(_ script: String, _ name: String = "s.lua", in folder: Folder) throws {
    try folder.write(name, "local img = require 'imghost' " + script)
  }

  private static func run(_ folder: Folder, _ arguments: String...) throws -> Outcome {
    try folder.imghost(["run", "--only-changed", "--out", "o"] + arguments)
  }

  /// A pipe has other bytes each time.
  @Test func picturesFromPipesAreAlwaysMade() throws {
    let folder = try Self.folder("img.open(arg[1]):save('a.png')")
    var files: [[UInt8]] = []
    for number in 1...2 {
      let call = "cat p/\(number).jpg | \(Built.folder)/imghost run --only-changed --out o s.lua /dev/stdin"
      let outcome = try Command(program: "/bin/sh", arguments: ["-c", call], folder: folder.path).run()
      outcome.expect(status: 0, error: "1 file written")
      files.append(folder.bytes("o/a.png"))
    }
    #expect(files[0] != files[1])
  }

  static let spellings = ["./a.png", "x/../a.png", ".//a.png", "ABSOLUTE/o/a.png"]

  @Test(arguments: spellings) func anotherSpellingIsTheSameFile(_ spelling: String) throws {
    let folder = try Self.folder("img.open('p/1.jpg'):save('a.png')")
    let other = "img.open('p/1.jpg'):save('\(spelling.replacing("ABSOLUTE", with: folder.path))')"
    try Self.run(folder, "s.lua").expect(status: 0)
    try Self.write(other, in: folder)
    try Self.run(folder, "--prune", "s.lua").expect(status: 0, error: "1 kept")
    #expect(folder.exists("o/a.png"))
    try folder.write("o/a.png", "mine")
    try Self.run(folder, "s.lua").expect(status: 1, error: "the file was changed since imghost wrote it")
    #expect(folder.bytes("o/a.png") == Array("mine".utf8))
    // What another script makes stays.
    try Self.run(folder, "--overwrite", "s.lua").expect(status: 0)
    try Self.write(other + " img.canvas(2, 2):save('k.png')", "t.lua", in: folder)
    try Self.run(folder, "--overwrite", "t.lua").expect(status: 0)
    try Self.run(folder, "t.lua").expect(status: 0, error: "0 files written")
    try Self.write("img.canvas(3, 3):save('z.png')", in: folder)
    try Self.run(folder, "--prune", "s.lua").expect(status: 0)
    #expect(folder.exists("o/a.png") && folder.exists("o/z.png"))
  }

  /// Names that are canonically equal and differ in bytes, as an é of one scalar and of two, are two files.
  @Test func equalLookingNamesAreTwo() throws {
    let names = ["q/caf\u{e9}.jpg", "q/cafe\u{301}.jpg"]
    let folder = try Self.folder(
      """
      local all = img.glob('q/*')
      img.book('b.pdf', all)
      for i, p in ipairs(all) do p:trim(10):save(i .. '.png') end
      """)
    for swaps in [false, true] {
      for (number, name) in names.enumerated() {
        try folder.write(name, folder.bytes("p/\(swaps ? 2 - number : number + 1).jpg"))
      }
      try Self.run(folder, "s.lua").expect(status: 0)
    }
    try folder.imghost("run", "--out", "f", "s.lua").expect(status: 0)
    for file in ["b.pdf", "1.png", "2.png"] {
      #expect(folder.bytes("o/" + file) == folder.bytes("f/" + file), "\(file)")
    }
  }

  @Test func mergedBooksAreKnown() throws {
    let book = "img.book('a.pdf', img.glob('p/*'))"
    let folder = try Self.folder(book + " img.book('b.pdf', img.glob('p/*'))")
    for shard in ["0/2", "1/2"] { try folder.imghost("run", "--shard", shard, "--out", "o", "s.lua").expect(status: 0) }
    try folder.imghost("merge", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try folder.write("o/a.pdf", "mine")
    try Self.write(book, in: folder)
    try Self.run(folder, "--prune", "s.lua").expect(status: 1, error: "o/a.pdf: the file was changed since")
    #expect(folder.bytes("o/a.pdf") == Array("mine".utf8) && !folder.exists("o/b.pdf"))
  }

  /// A book whose index is lost is made again.
  @Test func aLostIndexIsNoEdit() throws {
    let folder = try Self.folder("img.book('b.pdf', img.glob('p/*'))")
    try Self.run(folder, "s.lua").expect(status: 0)
    let index = try #require(folder.files.first { $0.contains("/pages-") })
    try FileManager.default.removeItem(atPath: folder(index))
    // The file's status shows that something has changed, and without the index, its bytes cannot be compared.
    #expect(chmod(folder("o/b.pdf"), 0o600) == 0)
    try Self.run(folder, "s.lua").expect(status: 0, error: "1 file written")
  }

  @Test(arguments: ["fifo", "folder"])
  func whatIsNoRecordIsNamed(_ kind: String) throws {
    let folder = try Self.folder("img.open('p/1.jpg'):save('a.png')")
    try Self.run(folder, "s.lua").expect(status: 0)
    let record = try #require(folder.files.first { $0.contains("/record-") })
    try FileManager.default.removeItem(atPath: folder(record))
    if kind == "fifo" { mkfifo(folder(record), 0o600) } else { mkdir(folder(record), 0o700) }
    let outcome = try Self.run(folder, "s.lua")
    #expect(outcome.status != 0 && outcome.error.contains("\(record)'"), "\(outcome)")
    #expect(outcome.error.contains(kind == "fifo" ? "is no file; remove it" : "it is a folder"), "\(outcome)")
  }

  /// Records are found after the folder of outputs, or the script, has been moved: nothing is made again, and what was
  /// edited stays.
  @Test(arguments: [
    ("mkdir x && mv o x/o", "x/o", "s.lua"),
    ("mkdir -p big/store && mv o big/store && ln -s big/store/o o", "o", "s.lua"),
    ("mkdir -p x/y && mv o x/y && cp -r p x", "x/y/o", "s.lua"), ("mkdir x && cp -a o x/o", "x/o", "s.lua"),
    ("mkdir x && cp -r o x/o && rm -r o", "x/o", "s.lua"),
  ]) func areFoundAfterAMove(_ command: String, _ output: String, _ script: String) throws {
    let folder = try Self.folder("img.glob('p/*.jpg'):save('{stem}.png') img.book('b.pdf', img.glob('p/*.jpg'))")
    try Self.run(folder, "s.lua").expect(status: 0)
    try Command(program: "/bin/sh", arguments: ["-c", command], folder: folder.path).run().expect(status: 0)
    func run(_ options: String...) throws -> Outcome {
      try folder.imghost(["run", "--only-changed"] + options + ["--out", output, script])
    }
    try run("--dry-run").expect(status: 0)
    #expect(try run().error.contains("0 files written"))
    try folder.write(output + "/1.png", [1, 2, 3])
    for _ in 1...2 {
      try run().expect(status: 1, error: "the file was changed since imghost wrote it")
      #expect(folder.bytes(output + "/1.png") == [1, 2, 3])
    }
  }

  /// A script does not take the records of another one that has its name.
  @Test func areNotTakenFromAnotherScript() throws {
    let folder = try Self.folder("img.glob('p/*.jpg'):save('{stem}.png')")
    try Self.run(folder, "s.lua").expect(status: 0)
    try Self.write("img.glob('p/1.jpg'):save('other.png')", "sub/s.lua", in: folder)
    let outcome = try Self.run(folder, "--prune", "sub/s.lua")
    outcome.expect(status: 0, error: "1 file written")
    #expect(!outcome.error.contains("longer") && folder.exists("o/2.png"), "\(outcome)")
    #expect(try Self.run(folder, "s.lua").error.contains("0 files written"))
  }

  /// A script that is moved alone leaves its records to no other script.
  @Test func areNotTakenFromAMovedScript() throws {
    let folder = try Self.folder("")
    try Self.write("img.glob('p/*.jpg'):save('{stem}.png')", "a/s.lua", in: folder)
    try Self.run(folder, "a/s.lua").expect(status: 0)
    try folder.makeFolder("b")
    try FileManager.default.moveItem(atPath: folder("a/s.lua"), toPath: folder("b/s.lua"))
    try Self.run(folder, "b/s.lua").expect(status: 0, error: "3 files written")
    try Self.write("img.glob('p/1.jpg'):save('other.png')", "c/s.lua", in: folder)
    let outcome = try Self.run(folder, "--prune", "c/s.lua")
    #expect(!outcome.error.contains("longer") && folder.exists("o/2.png"), "\(outcome)")
    #expect(try Self.run(folder, "b/s.lua").error.contains("0 files written"))
  }

  /// A folder of outputs that moves into the folder of the script, where the recorded path leads to the script, too.
  @Test func outputsMoveToTheirScript() throws {
    let folder = try Self.folder("")
    try Self.write("img.glob('../p/*.jpg'):save('{stem}.png')", "project/s.lua", in: folder)
    try folder.makeFolder("build")
    func run(_ output: String) throws -> Outcome {
      try Command(
        program: Built.folder + "/imghost", arguments: ["run", "--only-changed", "--out", output, "s.lua"],
        folder: folder("project")
      ).run()
    }
    try run("../build/o").expect(status: 0)
    try FileManager.default.moveItem(atPath: folder("build/o"), toPath: folder("project/o"))
    try folder.write("project/o/1.png", [1, 2, 3])
    try run("o").expect(status: 1, error: "the file was changed since imghost wrote it")
    #expect(folder.bytes("project/o/1.png") == [1, 2, 3])
  }

  /// A run without `--only-changed` keeps moved records up to date, too.
  @Test func wholeRunsFindMovedRecords() throws {
    let folder = try Self.folder("img.glob('p/*.jpg'):save('{stem}.png')")
    try Self.run(folder, "s.lua").expect(status: 0)
    try folder.makeFolder("x")
    try FileManager.default.moveItem(atPath: folder("o"), toPath: folder("x/o"))
    try folder.write("x/o/1.png", [1, 2, 3])
    let outcome = try folder.imghost("run", "--out", "x/o", "s.lua")
    outcome.expect(status: 1, error: "the file was changed since imghost wrote it")
    #expect(folder.bytes("x/o/1.png") == [1, 2, 3])
  }
}
