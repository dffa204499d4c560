import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Runs with `--only-changed` after changes of metadata and names. No picture is decoded, and the files are the same as
/// those of a run in an empty folder.
struct MetadataOnlyTests {
  private static let script = """
    local img = require "imghost"
    for _, photo in ipairs(img.glob("in/*")) do
      photo:resize(12):save("web/{stem}.webp", { quality = 80 })
      photo:resize(20):save("web/{stem}.jpg")
      photo:resize(20):save("web/{stem}.png")
      photo:resize(9):save("web/{stem}-palette.png", { palette = 8 })
      photo:resize(20):save("web/{stem}.tif", { compression = "lzw" })
      photo:resize(9):with_metadata { creator = "A" }:save("web/{stem}-small.jpg", { progressive = true })
    end

    """

  private static func folder(_ formats: [String], _ script: String = script) throws -> Folder {
    let folder = try Folder()
    try folder.write("s.lua", script)
    for (number, format) in formats.enumerated() { try source("p\(number)", format, "first", in: folder) }
    return folder
  }

  /// Makes a picture whose pixels depend on its name, and its metadata on a title.
  private static func source(_ name: String, _ format: String, _ title: String, in folder: Folder) throws {
    let number = Int(name.utf8.last ?? 0)
    let pixels = Pixels(40, 30) { x, y in (0..<3).map { UInt8(truncatingIfNeeded: x * number + y * 3 + $0 * 40) } }
    try folder.write("plain.png", pixels.png())
    try folder.run(
      "img.open('plain.png'):with_metadata { title = '\(title)', date = '2026-07-31' }:save('in/\(name).\(format)')"
    ).expect(status: 0)
  }

  /// Runs the script. Returns the paths of the outputs that were made, and the names of the work that workers did.
  private static func run(_ folder: Folder, _ options: String...) throws -> (
    made: Set<String>, reasons: Set<String>, work: Set<String>
  ) {
    let outcome = try folder.imghost(
      ["run", "--only-changed", "--explain", "--json", "--trace", "t.json", "--out", "o"] + options + ["s.lua"])
    outcome.expect(status: 0)
    let events = outcome.output.split(separator: "\n").compactMap { JSONReader.value(of: String($0)) }
    func texts(_ event: String, _ field: String) -> Set<String> {
      Set(events.filter { $0["event"]?.textValue == event }.compactMap { $0[field]?.textValue })
    }
    let trace = try JSONSerialization.jsonObject(with: Data(folder.bytes("t.json"))) as? [String: Any]
    let work = try #require(trace?["traceEvents"] as? [[String: Any]]).compactMap { $0["name"] as? String }
    try compare(folder)
    return (Set(texts("wrote", "path").map { String($0.dropFirst(2)) }), texts("explained", "reason"), Set(work))
  }

  /// Compares all outputs with those of a run in an empty folder.
  private static func compare(_ folder: Folder) throws {
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    for file in folder.files where file.hasPrefix("fresh/") {
      #expect(folder.bytes("o/" + file.dropFirst(6)) == folder.bytes(file), "\(file)")
    }
    #expect(folder.temporaries == [])
    try FileManager.default.removeItem(atPath: folder("fresh"))
  }

  /// Whether the workers decoded or encoded a picture.
  private static func touchesPixels(_ work: Set<String>) -> Bool {
    work.contains { name in ["encode", "decode", "open", "resize"].contains { name.hasPrefix($0) } }
  }

  /// Outputs without metadata are kept, in formats whose metadata cannot be replaced as well.
  @Test func outputsWithoutMetadata() throws {
    let script = """
      local img = require "imghost"
      for _, photo in ipairs(img.glob("in/*")) do
        photo:resize(20):save("web/{stem}.avif", { metadata = "none" })
        photo:resize(20):save("web/{stem}.jpg", { metadata = "none", max_bytes = 2000 })
        photo:resize(20):text { text = "{title}" }:save("web/{stem}-titled.png", { metadata = "none" })
        photo:resize(20):save("web/{stem}-all.png")
        for _, format in ipairs { "ppm", "pam", "bmp", "ico" } do photo:resize(20):save("web/{stem}." .. format) end
        photo:tiles("zoom/{stem}", { size = 16 })
      end
      img.multipage("all.tif", img.glob("in/*"), { metadata = "none" })
      img.animation("all.webp", img.glob("in/*"), { metadata = "none" })

      """
    let folder = try Self.folder(["jpg", "png"], script)
    _ = try Self.run(folder)
    try Self.source("p0", "jpg", "second", in: folder)
    try Self.source("p1", "png", "another", in: folder)
    let again = try Self.run(folder)
    let expected = ["p0", "p1"].flatMap { ["web/\($0)-all.png", "web/\($0)-titled.png"] }
    #expect(again.made == Set(expected), "\(again.made)")
    #expect(try Self.run(folder, "--hash").made == [])
  }

  @Test(arguments: sampled(["jpg", "png", "webp", "tif"])) func metadataOfSources(_ format: String) throws {
    let folder = try Self.folder([format, format])
    let first = try Self.run(folder)
    #expect(first.made.count == 12 && Self.touchesPixels(first.work), "\(first.work)")
    for title in ["second, and longer than the first " + String(repeating: "very ", count: 40), "", "third"] {
      try Self.source("p1", format, title, in: folder)
      let again = try Self.run(folder)
      #expect(again.made.count == 6 && again.made.allSatisfy { $0.contains("p1") })
      #expect(again.reasons == ["the metadata of 'in/p1.\(format)' has changed"])
      #expect(!Self.touchesPixels(again.work), "\(again.work)")
      #expect(try Self.run(folder).made == [])
    }
  }

  /// What pixels depend on is no metadata: the output is made of its picture.
  @Test(arguments: sampled(["jpg", "png", "tif"])) func orientationIsNoMetadata(_ format: String) throws {
    let folder = try Self.folder([format])
    _ = try Self.run(folder)
    let done = try #require(
      try SecondOpinions.run(
        "exiftool", ["-q", "-overwrite_original", "-EXIF:Orientation#=6", folder("in/p0.\(format)")]),
      "ExifTool is not installed")
    #expect(done.status == 0)
    let again = try Self.run(folder)
    #expect(again.made.count == 6 && Self.touchesPixels(again.work))
    // A decoder may reduce a picture that stands upright by another factor.
    #expect(again.reasons.contains("'in/p0.\(format)' has changed"))
  }

  /// Programs that edit metadata move all parts of a TIFF.
  @Test(.wholeRuns) func editedTIFF() throws {
    let folder = try Self.folder(["tif"])
    _ = try Self.run(folder)
    for title in ["second, and longer", "third"] {
      let done = try #require(
        try SecondOpinions.run(
          "exiftool",
          ["-q", "-overwrite_original", "-XMP-dc:Title=" + title, "-EXIF:Artist=A. Person", folder("in/p0.tif")]),
        "ExifTool is not installed")
      #expect(done.status == 0)
      let again = try Self.run(folder)
      #expect(again.made.count == 6 && !Self.touchesPixels(again.work), "\(again)")
    }
  }

  /// Options and steps that change only metadata.
  @Test(
    arguments: sampled([
      ("creator = \"A\" }", "creator = \"B\", copyright = \"C\" }", 1),
      (":with_metadata { creator = \"A\" }", "", 1), ("quality = 80", "quality = 80, metadata = \"public\"", 1),
      ("save(\"web/{stem}.png\")", "save(\"web/{stem}.png\", { metadata = \"none\" })", 1),
      ("save(\"web/{stem}.jpg\")", "save(\"web/{stem}.jpg\", { metadata = { keep = { \"title\" } } })", 1),
      ("palette = 8", "palette = 8, metadata = \"none\"", 1),
      ("compression = \"lzw\"", "compression = \"lzw\", metadata = \"none\"", 1),
      (
        "photo:resize(20):save(\"web/{stem}.tif",
        "photo:resize(20):with_metadata { creator = \"A\" }:save(\"web/{stem}.tif", 1
      ),
    ]))
  func metadataOfOutputs(_ old: String, _ new: String, _ count: Int) throws {
    let folder = try Self.folder(["jpg"])
    _ = try Self.run(folder)
    let script = Self.script.replacingOccurrences(of: old, with: new)
    #expect(script != Self.script)
    for script in [script, Self.script] {
      try folder.write("s.lua", script)
      let again = try Self.run(folder)
      #expect(again.made.count == count && !Self.touchesPixels(again.work), "\(again)")
    }
  }

  /// An output of other pixels is not taken for one of other metadata.
  @Test(.wholeRuns) func bothChanged() throws {
    let folder = try Self.folder(["jpg"])
    _ = try Self.run(folder)
    let script = Self.script.replacingOccurrences(of: "quality = 80", with: "quality = 70, metadata = \"none\"")
    try folder.write("s.lua", script)
    let again = try Self.run(folder)
    #expect(again.made == ["web/p0.webp"] && Self.touchesPixels(again.work))
    // A goal for the size counts all bytes of a file.
    let goal = script.replacingOccurrences(of: "quality = 70, metadata = \"none\"", with: "max_bytes = 2000")
    try folder.write("s.lua", goal)
    _ = try Self.run(folder)
    try Self.source("p0", "jpg", "a longer title than before", in: folder)
    let third = try Self.run(folder)
    #expect(third.made.count == 6 && third.work.contains("encode webp"))
  }

  /// Files whose names have changed are copies of those that are there.
  @Test func names() throws {
    let folder = try Self.folder(["jpg", "png", "webp"])
    _ = try Self.run(folder)
    let files = FileManager.default
    try files.moveItem(atPath: folder("in/p0.jpg"), toPath: folder("in/z.jpg"))
    let renamed = try Self.run(folder, "--prune")
    #expect(renamed.made.count == 6 && renamed.made.allSatisfy { $0.hasPrefix("web/z") })
    #expect(renamed.reasons.contains("renamed from 'o/web/p0.jpg'"), "\(renamed.reasons)")
    #expect(!Self.touchesPixels(renamed.work), "\(renamed.work)")
    #expect(!folder.exists("o/web/p0.jpg") && folder.exists("o/web/z.jpg"))
    // Other folders of outputs, and numbers that move by one.
    let script = Self.script.replacingOccurrences(of: "for _,", with: "for i,")
      .replacingOccurrences(of: "\"web/{stem}", with: "\"new/\" .. i .. \"")
    try folder.write("s.lua", script)
    let moved = try Self.run(folder, "--prune")
    #expect(moved.made.count == 18 && !Self.touchesPixels(moved.work), "\(moved.made)")
    try Self.source("a", "png", "new", in: folder)
    let shifted = try Self.run(folder, "--jobs", "1")
    #expect(shifted.made.count == 24)
    #expect(!shifted.reasons.contains { $0.hasPrefix("'in/") && !$0.contains("has changed") })
  }

  /// Animations and files of several pages that have other names are copies of those that are there.
  @Test(arguments: [("'{a}.webp'", "'{b}.webp'"), ("'{a}.tif'", "'{b}.tif'"), ("'{a}.{hash}.tif'", "'{b}.{hash}.tif'")])
  func namesOfDocuments(_ old: String, _ new: String) throws {
    func script(_ pictures: [String]) -> String {
      """
      local img = require "imghost"
      for name, file in pairs { \(pictures.joined(separator: ", ")) } do
        local photo = img.open("in/" .. file)
        img.\(old.contains("webp") ? "animation" : "multipage")(name, { photo:resize(20), photo:resize(20):flip() })
      end

      """
    }
    func name(_ template: String, _ letters: String) -> String {
      "[" + template.replacingOccurrences(of: "{\(template.contains("{a}") ? "a" : "b")}", with: letters) + "]"
    }
    let first = ["\(name(old, "x")) = 'p0.jpg'", "\(name(old, "y")) = 'p1.png'"]
    let folder = try Self.folder(["jpg", "png"], script(first))
    _ = try Self.run(folder)
    // Other names, and then exchanged ones.
    for names in [["z", "y"], ["y", "z"]] {
      try folder.write("s.lua", script(zip(names, ["p0.jpg", "p1.png"]).map { "\(name(new, $0)) = '\($1)'" }))
      let again = try Self.run(folder, "--prune")
      #expect(again.made.count == (names == ["z", "y"] ? 1 : 2) && !Self.touchesPixels(again.work), "\(again)")
      #expect(again.reasons.contains { $0.hasPrefix("renamed from") || $0.contains(" instead of ") }, "\(again)")
      #expect(try Self.run(folder).made == [])
    }
    // A file that somebody has changed is not copied.
    let changed = try #require(folder.files.first { $0.hasPrefix("o/z") })
    try folder.write(changed, "mine")
    try folder.write("s.lua", script(["\(name(new, "y")) = 'p0.jpg'", "\(name(new, "k")) = 'p1.png'"]))
    let last = try Self.run(folder)
    #expect(last.made.count == 1 && Self.touchesPixels(last.work), "\(last)")
  }

  /// A file that somebody has changed is not copied, nor given other metadata.
  @Test func filesOfOthers() throws {
    let folder = try Self.folder(["jpg"])
    _ = try Self.run(folder)
    try folder.write("o/web/p0.jpg", "mine")
    try FileManager.default.moveItem(atPath: folder("in/p0.jpg"), toPath: folder("in/z.jpg"))
    let again = try Self.run(folder)
    #expect(again.made.count == 6 && again.work.contains("encode jpeg") && !again.work.contains("encode png"))
    #expect(folder.bytes("o/web/p0.jpg") == Array("mine".utf8))
  }

  /// Sidecars are metadata, whether they are changed, made or removed.
  @Test func sidecars() throws {
    let folder = try Self.folder(
      ["jpg"], "require('imghost').open('in/p0.jpg', { sidecar = true }):resize(10):save('a.jpg')")
    _ = try Self.run(folder)
    for title in ["one", "two", nil] {
      if let title {
        try folder.write(
          "in/p0.xmp",
          "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
            + "<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title><rdf:Alt>"
            + "<rdf:li xml:lang='x-default'>\(title)</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"
        )
      } else {
        try FileManager.default.removeItem(atPath: folder("in/p0.xmp"))
      }
      let again = try Self.run(folder)
      #expect(again.made == ["a.jpg"] && !Self.touchesPixels(again.work), "\(again)")
    }
  }

  /// Pages whose pictures have other metadata are taken from the book that is there. Captions follow the metadata.
  @Test func pagesOfBooks() throws {
    let folder = try Self.folder(
      ["jpg", "png", "jpg", "tif"],
      """
      local img = require "imghost"
      local small = {}
      for i, photo in ipairs(img.glob("in/*")) do small[i] = photo:resize(24) end
      img.book("grid.pdf", small, { layout = "grid", columns = 2, rows = 1, caption = "{title}", verify = true })
      img.book("one.pdf", small, { author = "A" })

      """)
    _ = try Self.run(folder)
    try Self.source("p0", "jpg", "second", in: folder)
    try Self.source("p1", "png", "second", in: folder)
    try Self.source("p3", "tif", "second", in: folder)
    let again = try Self.run(folder)
    #expect(again.made == ["grid.pdf", "one.pdf"] && !Self.touchesPixels(again.work), "\(again)")
    #expect(try Self.run(folder).made == [])
  }
}
