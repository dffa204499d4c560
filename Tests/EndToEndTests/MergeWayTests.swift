import Foundation
import TestSupport
import Testing

/// Merges that have to run the script, and merges that need not.
@Suite(.wholeRuns) struct MergeWayTests {
  private static let head = """
    local img = require "imghost"
    local photos = img.glob(arg[1] .. "/*.{jpg,png}")
    local small = photos:map(function(p) return p:resize{ width = 90, height = 90, fit = "inside" } end)

    """

  /// Scripts whose merge only needs manifests and packs.
  static let ofPacks: [String] = [
    "img.book('a.pdf', photos)",
    "small:save('t/{stem}-{ext}.jpg')\nprint(#photos, 'photos')\nprint('é\\t')",
    """
    img.book("a.pdf", photos, { caption = "{name}", verify = true, title_page = "All", paper = "a5", margin = "10mm" })
    img.book("back.pdf", small:sort_by(function(p) return -p.width end), { reencode = true, page_multiple = 4 })
    """,
    """
    img.book("a.pdf", small, {
      paper = "a6", header = "{stem}", footer = { text = "{name}", size = 7 }, page_number = "{page:3} / {pages}",
      outline = "{folder} > {stem}", link = "https://example.org/{name}", alt = "A picture of {stem}",
      captions = { "one", "two é", [[three]] }, lossless = true, dpi = 150.5, background = "#eeeedd",
      title = "Titel", lang = "de" })
    """,
    """
    img.book("a.pdf", photos:group_by(function(p) return p.width > 500 and "wide" or "narrow" end), {
      paper = "a6", section_heading = "{section}", max_dpi = 100, fit = "cover" })
    small:take(3):save("s/{stem}.png")
    """,
  ]

  /// Scripts that the merge has to run, with the reason in the manifests.
  static let ofScripts: [(String, String)] = [
    ("img.book('a.pdf', small, { layout = 'grid', rows = 2, columns = 2 })", "a book with planned pages in s.lua:4"),
    ("img.book('a.pdf', small):on_done(function(r) print(r.pages) end)", "'on_done' in s.lua:4"),
    ("img.book('a.pdf', small):await()", "'await' in s.lua:4"),
    ("img.all{ img.book('a.pdf', small) }:await()", "'await' in s.lua:4"),
    ("local a = img.book('a.pdf', small)\nsmall:take(1):save('b.jpg', { after = a })", "'after' in s.lua:5"),
    ("img.book('a-{hash:8}.pdf', small)", "a book with {hash} in its name in s.lua:4"),
    ("img.book('a.pdf', small, { colophon = true })", "a book with planned pages in s.lua:4"),
    ("img.book('a.pdf', small)\nsmall:save('t/{stem}-{ext}.png'):cancel()", "'cancel' in s.lua:5"),
  ]

  private static func run(_ script: String, _ shards: Int) throws -> (
    Folder, whole: Outcome, merge: Outcome, ways: [[String: Any]]
  ) {
    let folder = try Folder()
    try folder.write("s.lua", head + script)
    let whole = try folder.imghost(["run", "--out", "whole", "s.lua", Built.photos], seconds: 60)
    var ways: [[String: Any]] = []
    for number in 0..<shards {
      let shard = try folder.imghost(
        ["run", "--shard", "\(number)/\(shards)", "--out", "parts", "s.lua", Built.photos], seconds: 60)
      shard.expect(status: 0)
      let manifest = folder.bytes("parts/.imghost/s.lua/shard-\(number)-of-\(shards).json")
      let json = try #require(try JSONSerialization.jsonObject(with: Data(manifest)) as? [String: Any])
      ways.append(try #require(json["merge"] as? [String: Any]))
    }
    let merge = try folder.imghost(["merge", "--out", "parts", "s.lua", Built.photos], seconds: 60)
    return (folder, whole, merge, ways)
  }

  /// Expects the same files, printed lines and messages as from a single run, except for times and the folder.
  private static func expectEqual(_ folder: Folder, _ whole: Outcome, _ merge: Outcome) {
    whole.expect(status: 0)
    #expect(merge.status == whole.status, "\(merge)")
    #expect(merge.outputLines == whole.outputLines)
    func messages(_ outcome: Outcome, _ out: String) -> [String] {
      outcome.errorLines.map { line in
        String(line.replacingOccurrences(of: out + "/", with: "").prefix(while: { $0 != "(" }))
      }.sorted()
    }
    #expect(messages(merge, "parts") == messages(whole, "whole"))
    let (meant, made) = (ShardTests.files(folder, in: "whole"), ShardTests.files(folder, in: "parts"))
    #expect(made.keys.sorted() == meant.keys.sorted())
    for (path, bytes) in meant { #expect(made[path]?.count == bytes.count && made[path] == bytes, "\(path) differs") }
  }

  @Test(arguments: ofPacks) func withoutTheScript(_ script: String) throws {
    let (folder, whole, merge, ways) = try Self.run(script, 3)
    #expect(ways.allSatisfy { $0["way"] as? String == "packs" }, "\(ways)")
    Self.expectEqual(folder, whole, merge)
  }

  @Test(arguments: ofScripts) func withTheScript(_ script: String, _ reason: String) throws {
    let (folder, whole, merge, ways) = try Self.run(script, 2)
    #expect(ways.allSatisfy { $0["reason"] as? String == reason }, "\(ways)")
    Self.expectEqual(folder, whole, merge)
  }

  /// The file of a password may be read by others.
  @Test func passwordsStayInTheScript() throws {
    let folder = try Folder()
    try folder.write("s.lua", Self.head + "img.book('a.pdf', small, { password = 'secret' })")
    let shard = try folder.imghost(["run", "--shard", "0/1", "--out", "o", "s.lua", Built.photos], seconds: 60)
    guard shard.status == 0 else { return #expect(shard.error.contains("qpdf"), "\(shard)") }
    let text = String(decoding: folder.bytes("o/.imghost/s.lua/shard-0-of-1.json"), as: UTF8.self)
    #expect(text.contains("a book with a password") && !text.contains("secret"))
  }

  /// Only the script names a file outside the folder of outputs.
  @Test func manifestsNameNoFileElsewhere() throws {
    let folder = try Folder()
    try folder.write("s.lua", Self.head + "img.book('a.pdf', small)")
    let shard = try folder.imghost(["run", "--shard", "0/1", "--out", "o", "s.lua", Built.photos], seconds: 60)
    shard.expect(status: 0)
    let manifest = "o/.imghost/s.lua/shard-0-of-1.json"
    let text = String(decoding: folder.bytes(manifest), as: UTF8.self)
    for path in ["../elsewhere.pdf", folder("elsewhere.pdf")] {
      let changed = text.replacingOccurrences(of: "\"a.pdf\"", with: "\"\(path)\"")
      #expect(changed != text)
      try folder.write(manifest, changed)
      let merge = try folder.imghost(["merge", "--out", "o", "s.lua", Built.photos], seconds: 60)
      #expect(merge.status == 1 && !folder.exists("elsewhere.pdf"), "\(merge)")
    }
  }

  /// Whatever is changed in packs and manifests, a merge ends with a status of its own.
  @Test func damage() throws {
    let folder = try Folder()
    try folder.write(
      "s.lua", Self.head + "img.book('a.pdf', small, { caption = '{stem}', link = 'https://e.org/{stem}' })")
    let shard = try folder.imghost(["run", "--shard", "0/1", "--out", "o", "s.lua", Built.photos], seconds: 60)
    shard.expect(status: 0)
    let kept = ShardTests.files(folder, in: "o")
    for path in kept.keys.sorted() where path.hasSuffix(".pack") || path.hasSuffix(".json") {
      let bytes = try #require(kept[path])
      // Of a pack, the head of the first record; of a manifest, the record of the books.
      let text = String(decoding: bytes, as: UTF8.self)
      let start =
        path.hasSuffix(".pack")
        ? 20 : text.utf8.distance(from: text.startIndex, to: try #require(text.range(of: "\"merge\"")).lowerBound)
      for place in stride(from: start, to: min(bytes.count, start + 260), by: 13) {
        var changed = bytes
        changed[place] ^= 0x15
        try folder.write("o/" + path, changed)
        let merge = try folder.imghost(["merge", "--out", "o", "s.lua", Built.photos], seconds: 60)
        #expect(merge.status < 128, "\(path) \(place): \(merge)")
        #expect(merge.status == 0 || merge.errorLines.count <= 3, "\(path) \(place): \(merge)")
        for (path, bytes) in kept where path.hasSuffix(".pack") || path.hasSuffix(".json") {
          try folder.write("o/" + path, bytes)
        }
      }
    }
  }
}
