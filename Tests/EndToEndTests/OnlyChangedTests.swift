import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// `--only-changed`: a run makes the outputs that are missing or have changed, and all files are the same as those of a
/// run in an empty folder.
struct OnlyChangedTests {
  private static let script = """
    local img = require "imghost"
    for _, photo in ipairs(img.glob("in/*.png")) do
      photo:resize(12):save("web/{stem}.webp", { quality = 80 })
      photo:resize(20):save("web/{stem}.jpg")
    end
    img.book("book.pdf", img.glob("in/*.png"), { layout = "grid", columns = 2, rows = 1 })
    img.animation("all.webp", img.glob("in/*.png"))
    img.multipage("all.tif", img.glob("in/*.png"))
    img.glob("in/a.png")[1]:tiles("zoom/a", { size = 16 })

    """
  static func folder(_ script: String = script) throws -> Folder {
    let folder = try Folder()
    try folder.write("s.lua", script)
    try draw("a", 1, in: folder)
    try draw("b", 2, in: folder)
    return folder
  }

  /// Draws a picture that depends on a number.
  static func draw(_ name: String, _ number: Int, in folder: Folder) throws {
    let pixels = Pixels(40, 40) { x, y in (0..<3).map { UInt8(truncatingIfNeeded: x * number * 3 + y + $0 * 40) } }
    try folder.write("in/\(name).png", pixels.png())
  }

  /// Returns the outputs that have to be made, as a dry run with `--explain` prints them.
  static func due(_ folder: Folder, _ options: String...) throws -> [String: String] {
    let outcome = try folder.imghost(
      ["run", "--only-changed", "--dry-run", "--explain", "--quiet", "--out", "o"] + options + ["s.lua"])
    outcome.expect(status: 0)
    var reasons: [String: String] = [:]
    for line in outcome.output.split(separator: "\n") {
      guard let colon = line.firstRange(of: ": "), line.hasPrefix("o/") else { continue }
      let reason = String(line[colon.upperBound...])
      if reason != "kept" { reasons[String(line[..<colon.lowerBound].dropFirst(2))] = reason }
    }
    return reasons
  }

  /// Runs the script, and compares all outputs with those of a run in an empty folder.
  static func run(_ folder: Folder, _ options: String..., status: Int32 = 0, written: Int? = nil) throws {
    let outcome = try folder.imghost(["run", "--only-changed", "--out", "o"] + options + ["s.lua"])
    outcome.expect(status: status)
    if let written { #expect(outcome.error.contains("\(written) file\(written == 1 ? "" : "s") written")) }
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    let fresh = folder.files.filter { $0.hasPrefix("fresh/") }.map { String($0.dropFirst(6)) }
    if status == 0 {
      for file in fresh { #expect(folder.bytes("o/" + file) == folder.bytes("fresh/" + file), "\(file)") }
    }
    #expect(folder.temporaries == [])
    try FileManager.default.removeItem(atPath: folder("fresh"))
  }

  @Test func makesOnlyWhatHasChanged() throws {
    let folder = try Self.folder()
    try Self.run(folder, written: 8)
    #expect(try Self.due(folder) == [:])
    try Self.run(folder, written: 0)
    try Self.draw("b", 5, in: folder)
    #expect(try Set(Self.due(folder).keys) == ["web/b.webp", "web/b.jpg", "book.pdf", "all.webp", "all.tif"])
    #expect(try Self.due(folder)["web/b.jpg"] == "'in/b.png' has changed")
    try Self.run(folder, written: 5)
    try folder.write("s.lua", Self.script.replacingOccurrences(of: "quality = 80", with: "quality = 85"))
    #expect(try Self.due(folder) == ["web/a.webp": "quality 80 → 85", "web/b.webp": "quality 80 → 85"])
    try Self.run(folder, written: 2)
    try FileManager.default.removeItem(atPath: folder("o/web/a.webp"))
    #expect(try Self.due(folder) == ["web/a.webp": "the file is missing"])
    try Self.run(folder, written: 1)
  }

  /// A change of one step, option or source makes exactly the outputs due that it can change.
  @Test(
    arguments: sampled([
      ("resize(12)", "resize(13)", ["web/a.webp", "web/b.webp"]),
      ("resize(20):", "resize(20):invert():", ["web/a.jpg", "web/b.jpg"]),
      ("columns = 2", "columns = 1", ["book.pdf"]),
      ("rows = 1 }", "rows = 1, title = \"T\" }", ["book.pdf"]),
      ("size = 16", "size = 32", ["zoom/a.dzi"]),
      ("*.png\"))\nimg.multi", "*.png\"), { delay = 0.5 })\nimg.multi", ["all.webp"]),
      ("quality = 80 }", "quality = 80, qos = \"utility\", note = \"n\" }", []),
      ("local img", "-- another line\nlocal img", []),
    ]))
  func noticesEveryOption(_ old: String, _ new: String, _ expected: [String]) throws {
    let folder = try Self.folder()
    try Self.run(folder)
    let script = Self.script.replacingOccurrences(of: old, with: new)
    #expect(script != Self.script)
    try folder.write("s.lua", script)
    #expect(try Set(Self.due(folder).keys) == Set(expected))
    try Self.run(folder, written: expected.count)
  }

  /// Equal bytes with other times, names that were swapped, and bytes that were changed with their time kept.
  @Test func knowsSourcesByTheirBytes() throws {
    let folder = try Self.folder()
    try Self.run(folder)
    try folder.write("in/a.png", folder.bytes("in/a.png"))
    #expect(try Self.due(folder) == [:])
    try Self.run(folder, written: 0)
    let (a, b) = (folder.bytes("in/a.png"), folder.bytes("in/b.png"))
    let times = try FileManager.default.attributesOfItem(atPath: folder("in/a.png"))
    try folder.write("in/a.png", b)
    try FileManager.default.setAttributes(
      [.modificationDate: times[.modificationDate]!], ofItemAtPath: folder("in/a.png"))
    #expect(try Self.due(folder).count == 6)
    try folder.write("in/b.png", a)
    #expect(try Self.due(folder).count == 8)
    try Self.run(folder, written: 8)
  }

  private static let books = """
    local img = require "imghost"
    local photos = img.glob("in/*.png")
    local small = {}
    for i, photo in ipairs(photos) do small[i] = photo:resize(24) end
    img.book("grid.pdf", small, { layout = "grid", columns = 2, rows = 1, caption = "{stem}", verify = true })
    img.book("whole.pdf", photos)
    img.book("cut.pdf", photos, { paper = "a7", fit = "cover", position = "attention", title = "T" })

    """

  /// Pages that are unchanged are taken from the book that is there, wherever they are in the new one.
  @Test(
    arguments: sampled([
      ("nothing but a title", 0), ("a picture is changed", 1), ("a picture is added in front", 1),
      ("a picture is removed", 0), ("all are renamed", 0), ("two are swapped", 0), ("the books are renamed", 0),
      ("options of the document", 0),
    ]))
  func takesPagesOfTheBookThatIsThere(_ change: String, _ made: Int) throws {
    let folder = try Self.folder(Self.books)
    for (number, name) in ["c", "d", "e"].enumerated() { try Self.draw(name, number + 3, in: folder) }
    try Self.run(folder, written: 3)
    let files = FileManager.default
    switch change {
    case "nothing but a title":
      try folder.write("s.lua", Self.books.replacingOccurrences(of: "title = \"T\"", with: "title = \"U\""))
    case "options of the document":
      let options =
        "title = \"T\", lang = \"de\", outline = \"{stem}\", link = \"https://example.org\", "
        + "viewer_layout = \"single\", reading_direction = \"right-to-left\", page_labels = \"1:r\", min_dpi = 1"
      try folder.write("s.lua", Self.books.replacingOccurrences(of: "title = \"T\"", with: options))
    case "the books are renamed":
      try folder.write("s.lua", Self.books.replacingOccurrences(of: ".pdf", with: ".new.pdf"))
    case "a picture is changed": try Self.draw("c", 9, in: folder)
    case "a picture is added in front": try Self.draw("0", 9, in: folder)
    case "a picture is removed": try files.removeItem(atPath: folder("in/b.png"))
    case "all are renamed": try files.moveItem(atPath: folder("in/a.png"), toPath: folder("in/f.png"))
    default:
      let (a, b) = (folder.bytes("in/a.png"), folder.bytes("in/b.png"))
      try folder.write("in/a.png", b)
      try folder.write("in/b.png", a)
    }
    try files.copyItem(atPath: folder("o"), toPath: folder("p"))
    let outcome = try folder.imghost("run", "--only-changed", "--json", "--out", "o", "s.lua")
    outcome.expect(status: 0)
    #expect(outcome.output.contains("\"pictures\":\(made)}"), "\(outcome)")
    try files.removeItem(atPath: folder("o"))
    try files.moveItem(atPath: folder("p"), toPath: folder("o"))
    try Self.run(folder)
    try Self.run(folder, written: 0)
  }

  /// An index that does not belong to the book is not used.
  @Test(arguments: sampled([0, 60, -1])) func ignoresDamagedIndices(_ place: Int) throws {
    let folder = try Self.folder(Self.books)
    try Self.run(folder)
    for index in folder.files where index.contains("/pages-") {
      var bytes = folder.bytes(index)
      bytes[place < 0 ? bytes.count + place : place] ^= 1
      try folder.write(index, bytes)
    }
    try Self.draw("a", 8, in: folder)
    try Self.run(folder, written: 3)
  }

  /// A file that was changed by hand stays, is named, and does not keep the others from being made.
  @Test func neverReplacesWhatSomebodyChanged() throws {
    let folder = try Self.folder()
    try Self.run(folder)
    try folder.write("o/web/a.jpg", "mine")
    try Self.draw("a", 7, in: folder)
    let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    outcome.expect(status: 1)
    #expect(outcome.error.contains("o/web/a.jpg: the file was changed since imghost wrote it, and stays"))
    #expect(outcome.error.contains("5 files written") && outcome.error.contains("1 failed"))
    #expect(folder.bytes("o/web/a.jpg") == Array("mine".utf8))
    // It stays so in further runs, also without the option.
    try folder.imghost("run", "--out", "o", "s.lua").expect(status: 1)
    #expect(folder.bytes("o/web/a.jpg") == Array("mine".utf8))
    try Self.run(folder, "--overwrite", written: 1)
  }

  @Test func removesOnlyItsOwn() throws {
    let folder = try Self.folder()
    try Self.run(folder)
    try folder.write("o/web/notes.txt", "mine")
    try folder.write("o/web/b.jpg", "mine")
    try FileManager.default.removeItem(atPath: folder("in/b.png"))
    let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    outcome.expect(status: 0)
    #expect(outcome.error.contains("no longer makes 'o/web/b.webp'; --prune removes such files"))
    #expect(outcome.error.contains("no longer makes 'o/web/b.jpg', which was changed by hand"))
    try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua").expect(status: 0)
    #expect(!folder.exists("o/web/b.webp") && folder.exists("o/web/b.jpg") && folder.exists("o/web/notes.txt"))
    #expect(folder.exists("o/web/a.jpg"))
  }

  /// Records that cannot be used are as good as none.
  @Test(arguments: sampled(["", "IMGHREC3", "IMGHREC2 of an older version"]))
  func ignoresDamagedRecords(_ content: String) throws {
    let folder = try Self.folder()
    try Self.run(folder)
    let record = try #require(folder.files.first { $0.contains("/record-") })
    try folder.write(record, content)
    try Self.run(folder, written: 8)
    var bytes = folder.bytes(record)
    bytes[bytes.count / 2] ^= 1
    try folder.write(record, bytes)
    try Self.run(folder, written: 8)
    try Self.run(folder, written: 0)
  }

  /// A folder of outputs that was copied with its records is known by its bytes.
  /// A script that measures decodes only pictures that are new or have changed.
  @Test func remembersMeasurements() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      for _, photo in ipairs(img.glob("in/*.png")) do
        local stats = photo:stats()
        print(photo.name, stats.mean[1], stats.minimum[1], stats.is_opaque, photo:placeholder().text)
        photo:trim():save("{stem}.png", { note = { first = photo:dominant_colours(2)[1].colour } })
      end

      """)
    func output() throws -> String {
      let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
      outcome.expect(status: 0)
      return outcome.output
    }
    let first = try output()
    #expect(try output() == first)
    #expect(try folder.imghost("run", "--out", "p", "s.lua").output == first)
    try Self.draw("a", 5, in: folder)
    let second = try output()
    let fresh = try folder.imghost("run", "--out", "p", "s.lua").output
    #expect(second != first && second == fresh)
    #expect(second.split(separator: "\n")[1] == first.split(separator: "\n")[1])
    try Self.run(folder, written: 0)
    try folder.imghost("run", "--only-changed", "--hash", "--out", "o", "s.lua").expect(status: 0)
  }

  @Test(.wholeRuns) func survivesCopies() throws {
    let folder = try Self.folder(Self.script.replacingOccurrences(of: "zoom/a", with: "../zoom/a"))
    try folder.imghost("run", "--only-changed", "--out", "x/o", "s.lua").expect(status: 0)
    try FileManager.default.copyItem(atPath: folder("x/o"), toPath: folder("x/p"))
    let outcome = try folder.imghost("run", "--only-changed", "--out", "x/p", "s.lua")
    outcome.expect(status: 0)
    #expect(outcome.error.contains("0 files written"))
  }

  /// Scripts of one name that write into one folder keep records of their own.
  @Test func scriptsDoNotMeet() throws {
    let folder = try Self.folder()
    for name in ["1", "2"] {
      try folder.write(
        "\(name)/s.lua", "require('imghost').open('in/a.png'):resize(\(name)0):save('\(name).png')")
      let outcome = try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "\(name)/s.lua")
      outcome.expect(status: 0)
      #expect(outcome.error.contains("1 file written"))
    }
    #expect(folder.exists("o/1.png") && folder.exists("o/2.png"))
  }

  /// Programs are told what was kept.
  @Test func tellsPrograms() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      local job = img.open("in/a.png"):save("a.jpg", { note = "n" })
      local result = job:await()
      print(result.ok, result.written, result.kept, result.files[1])
      """)
    for kept in [0, 1] {
      let outcome = try folder.imghost(
        "run", "--only-changed", "--json", "--explain", "--manifest", "m.json", "--out", "o", "s.lua")
      outcome.expect(status: 0)
      #expect(outcome.output.contains("true\\t\(1 - kept)\\t\(kept)\\to/a.jpg"), "\(outcome.output)")
      #expect(outcome.output.contains(#""event":"kept""#) == (kept == 1))
      #expect(outcome.output.contains(#""event":"explained""#) == (kept == 0))
      #expect(outcome.output.contains(#""written":\#(1 - kept),"kept":\#(kept)"#))
      let manifest = try #require(JSONReader.value(of: String(decoding: folder.bytes("m.json"), as: UTF8.self)))
      #expect(manifest["outputs"]?.items.first?["state"]?.textValue == (kept == 1 ? "kept" : "written"))
    }
  }

  @Test func waitsForAnotherRun() throws {
    let folder = try Self.folder()
    try Self.run(folder)
    let journal = try #require(folder.files.first { $0.contains("/journal-") })
    let descriptor = open(folder(journal), O_RDWR)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let outcome = try folder.imghost("run", "--only-changed", "--no-wait", "--out", "o", "s.lua")
    outcome.expect(status: 2)
    #expect(outcome.error.contains("another run of 's.lua' writes into this folder"))
  }

  @Test(
    arguments: sampled([
      (["--prune"], "--prune needs --only-changed"), (["--explain"], "--explain needs --only-changed"),
      (["--only-changed", "--prune", "--shard", "0/2"], "--prune is for a whole run"),
    ]))
  func refusesWhatMeansNothing(_ options: [String], _ message: String) throws {
    let folder = try Self.folder()
    let outcome = try folder.imghost(["run"] + options + ["s.lua"])
    outcome.expect(status: 2)
    #expect(outcome.error.contains(message))
  }

  /// `--prune` removes no file that the script reads or writes, by whatever name, and follows no link.
  @Test func prunesNothingInUse() throws {
    let folder = try Self.folder("require('imghost').open('in/a.png'):save('./x/y.png')")
    func run(_ script: String, _ options: String...) throws -> Outcome {
      try folder.write("s.lua", script)
      return try folder.imghost(["run", "--only-changed", "--out", "o"] + options + ["s.lua"])
    }
    try run("require('imghost').open('in/a.png'):save('./x/y.png')").expect(status: 0)
    try run("require('imghost').open('in/a.png'):save('x/y.png')", "--prune").expect(status: 0)
    #expect(folder.exists("o/x/y.png"))
    try run("require('imghost').open('o/x/y.png'):save('z.png')", "--prune").expect(status: 0)
    #expect(folder.exists("o/x/y.png") && folder.exists("o/z.png"))
    try FileManager.default.moveItem(atPath: folder("o/z.png"), toPath: folder("mine.png"))
    try folder.link("o/z.png", to: folder("mine.png"))
    try run("require('imghost').open('in/a.png'):save('b.png')", "--prune").expect(status: 0)
    #expect(folder.exists("mine.png"))
    let absolute = folder("p/q.png")
    try run("require('imghost').open('in/a.png'):save('\(absolute)')").expect(status: 0)
    try run("require('imghost').open('in/a.png'):save('b.png')", "--prune").expect(status: 0)
    #expect(folder.exists("p/q.png"))
    let outcome = try folder.imghost(
      "convert", "in/a.png", "--only-changed", "--prune", "-o", "c/")
    outcome.expect(status: 2, error: "--prune needs a script in a file")
  }

  /// A name with a digest changes with the file, and the earlier file is no longer made.
  @Test(.wholeRuns) func removesOldNamesWithDigests() throws {
    let folder = try Self.folder("require('imghost').open('in/a.png'):save('{stem}-{hash:8}.png')")
    try Self.run(folder, written: 1)
    try Self.draw("a", 5, in: folder)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    #expect(folder.files.filter { $0.hasPrefix("o/a-") }.count == 2)
    try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua").expect(status: 0)
    #expect(folder.files.filter { $0.hasPrefix("o/a-") }.count == 1)
    try Self.run(folder, written: 0)
  }

  /// The spine of a cover follows the pages of its book.
  @Test(.wholeRuns) func coversFollowTheirBooks() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      local book = img.book("b.pdf", img.glob("in/*.png"), { paper = "a6", paper_thickness = "1mm" })
      img.book("c.pdf", { img.open("in/a.png") }, { layout = "cover", cover_of = book })
      """)
    try Self.run(folder, written: 2)
    for name in ["c", "d", "e"] { try Self.draw(name, 3, in: folder) }
    try Self.run(folder, written: 2)
  }

  /// A book that lacks pages is made again, and is not taken for one that somebody has changed.
  @Test func incompleteBooksAreMadeAgain() throws {
    let folder = try Self.folder(
      "local img = require 'imghost' img.book('b.pdf', { img.open('in/a.png'), img.open('in/b.jpg'):rotate(2) })")
    let whole = try Pixels.waves(90, 60).jpeg()
    try folder.write("in/b.jpg", Array(whole.prefix(whole.count / 2)))
    let first = try folder.imghost("run", "--only-changed", "--on-error", "continue", "--out", "o", "s.lua")
    first.expect(status: 1)
    try folder.write("in/b.jpg", whole)
    try Self.run(folder, written: 1)
    try Self.run(folder, written: 0)
  }

  /// What a killed run has left of a pyramid of tiles protects no file of somebody else, and an output that was edited
  /// after a kill stays edited.
  @Test(.wholeRuns) func editsAfterAKillStay() throws {
    let folder = try Self.folderOfKilledRun()
    let tile = try #require(folder.files.first { $0.hasPrefix("o/zoom/a_files/") })
    for name in ["o/web/a.jpg", tile] { try folder.write(name, "mine") }
    for _ in 0..<2 {
      let outcome = try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua")
      outcome.expect(status: 1)
      for name in ["o/web/a.jpg", tile] { #expect(folder.bytes(name) == Array("mine".utf8), "\(outcome)") }
    }
    try Self.run(folder, "--overwrite")
  }

  /// The journal of a killed run has no digests, so copies of its outputs cannot be compared. They are made again, unless
  /// their times show that they were changed.
  @Test(.wholeRuns) func copiesAfterAKillAreMadeAgain() throws {
    let folder = try Self.folderOfKilledRun()
    let copied = try Command(program: "/bin/cp", arguments: ["-a", "o", "copy"], folder: folder.path, seconds: 20).run()
    copied.expect(status: 0)
    try FileManager.default.removeItem(atPath: folder("o"))
    try FileManager.default.moveItem(atPath: folder("copy"), toPath: folder("o"))
    try folder.write("o/web/b.jpg", "mine")
    let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    outcome.expect(status: 1, error: "o/web/b.jpg: the file was changed since imghost wrote it")
    #expect(folder.bytes("o/web/b.jpg") == Array("mine".utf8))
    try FileManager.default.removeItem(atPath: folder("o/web/b.jpg"))
    try Self.run(folder)
    try Self.run(folder, written: 0)
  }

  @Test(.wholeRuns) func editedDescriptionsOfTilesStayAfterAKill() throws {
    let folder = try Self.folderOfKilledRun()
    try folder.write("o/zoom/a.dzi", "mine")
    let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    outcome.expect(status: 1, error: "o/zoom/a.dzi: the file was changed")
    #expect(folder.bytes("o/zoom/a.dzi") == Array("mine".utf8))
  }

  /// Returns a folder with the outputs of a run that has left only a journal, as if it had been killed: the record is
  /// written after the journal.
  private static func folderOfKilledRun() throws -> Folder {
    let folder = try folder()
    try run(folder)
    try draw("a", 9, in: folder)
    let record = try #require(folder.files.first { $0.contains("/record-") })
    let old = folder.bytes(record)
    try FileManager.default.removeItem(atPath: folder(record))
    try folder.makeFolder(record + "/x")
    _ = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    try FileManager.default.removeItem(atPath: folder(record))
    try folder.write(record, old)
    return folder
  }
}
