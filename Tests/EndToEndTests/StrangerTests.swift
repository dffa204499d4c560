import Foundation
import Platform
import TestSupport
import Testing

/// Another user of the machine, who may write where this one reads and writes.
///
/// Root gives files to that user; without root nothing here can be tried.
@Suite(.enabled(if: geteuid() == 0, "only root can give files to another user"), .wholeRuns) struct StrangerTests {
  private static let stranger: uid_t = 65_534

  private let folder: Folder

  init() throws {
    folder = try Folder()
    for name in Built.samples { try folder.copy(Built.photos + "/" + name, to: "photos/" + name) }
    try folder.write("home/secret", "secret")
    try folder.makeFolder("share")
    chmod(folder("share"), 0o1777)
  }

  /// Makes a link of the other user.
  private func plant(_ name: String, to target: String) throws {
    try folder.link(name, to: target)
    lchown(folder(name), Self.stranger, Self.stranger)
  }

  private static let refusal = "belongs to another user, in a folder that others may write, and is not followed"

  /// Whatever is read by a name: pictures, scripts, modules, profiles, sidecars, manifests.
  @Test func nothingIsReadThroughTheirLinks() throws {
    try plant("share/a.png", to: folder("photos/coffee.png"))
    try plant("share/photos", to: folder("photos"))
    try folder.write("mine/s.lua", "print(1)")
    try plant("share/s.lua", to: folder("mine/s.lua"))
    try plant("share/mine", to: folder("mine"))
    try folder.write("photos/p.icc", "x")
    try plant("share/p.icc", to: folder("photos/p.icc"))
    for script in [
      "img.open(\"share/a.png\"):resize(9):save(\"o.png\")", "img.open(\"share/photos/coffee.png\"):save(\"o.png\")",
      "img.open(\"photos/coffee.png\"):composite(img.open(\"share/a.png\")):save(\"o.png\")",
      "img.open(\"photos/coffee.png\"):to_profile(\"share/p.icc\"):save(\"o.png\")",
    ] {
      let outcome = try folder.run(script)
      #expect(outcome.status != 0 && outcome.error.contains(Self.refusal), "\(script): \(outcome)")
      #expect(!folder.exists("o.png"))
    }
    for words in [
      ["run", "share/s.lua"], ["run", "share/mine/s.lua"], ["check", "share/s.lua"], ["info", "share/a.png"],
      ["convert", "share/a.png", "-o", "o.png"], ["book", "share/photos/coffee.png", "-o", "o.pdf"],
    ] {
      let outcome = try folder.imghost(words)
      #expect(outcome.status != 0 && outcome.error.contains(Self.refusal), "\(words): \(outcome)")
    }
    // One's own links are followed, also there; so are theirs where they alone may write.
    try folder.link("share/own.png", to: folder("photos/coffee.png"))
    try folder.makeFolder("theirs")
    try plant("theirs/a.png", to: folder("photos/coffee.png"))
    chown(folder("theirs"), Self.stranger, Self.stranger)
    for path in ["share/own.png", "theirs/a.png"] {
      #expect(try folder.imghost("convert", path, "-o", "o.png").status == 0)
    }
    let trusted = try folder.imghost(
      "run", "--trust-owner", "65534", "-e", "img.open(\"share/a.png\"):resize(9):save(\"p.png\")")
    trusted.expect(status: 0)
  }

  /// Whatever is written by a name: pictures, books, tiles, reports, temporary files.
  @Test func nothingIsWrittenThroughTheirLinks() throws {
    try plant("share/out", to: folder("home"))
    try plant("share/x.png", to: folder("home/secret"))
    let open = "img.open(\"photos/coffee.png\"):resize(40)"
    for script in [
      open + ":save(\"share/out/secret.png\")", open + ":save(\"share/x.png\")", open + ":tiles(\"share/out/t\")",
      "img.book(\"share/out/b.pdf\", { " + open + " })",
    ] {
      let outcome = try folder.run(script)
      #expect(outcome.status != 0 && outcome.error.contains("is a link of another user"), "\(script): \(outcome)")
    }
    let save = ["-e", open + ":save(\"o.png\")"]
    for words in [
      ["run", "--out", "share/out"] + save, ["run", "--report", "share/out/r.html"] + save,
      ["run", "--trace", "share/x.png"] + save, ["run", "--manifest", "share/out/m.json"] + save,
      ["convert", "photos/coffee.png", "-o", "share/out/x.png"],
    ] {
      let outcome = try folder.imghost(words)
      #expect(outcome.status != 0 && outcome.error.contains("link of another user"), "\(words): \(outcome)")
    }
    #expect(try folder.imghost("convert", "photos/coffee.png", "-o", "o.png").status == 0)
    let verified = try folder.imghost("verify", "--junit", "share/out/j.xml", "o.png")
    #expect(verified.status != 0)
    #expect(folder.files.filter { $0.hasPrefix("home/") } == ["home/secret"])
    #expect(folder.bytes("home/secret") == Array("secret".utf8))
  }

  /// A stranger's own folder: a link there is followed to read, but nothing is written through it.
  @Test func nothingIsWrittenThroughLinksInTheirFolders() throws {
    try folder.makeFolder("theirs")
    try plant("theirs/out", to: folder("home"))
    try plant("theirs/x.png", to: folder("home/secret"))
    chown(folder("theirs"), Self.stranger, Self.stranger)
    let open = "img.open(\"photos/coffee.png\"):resize(40)"
    let save = ["-e", open + ":save(\"o.png\")"]
    for words in [
      ["run", "-e", open + ":save(\"theirs/out/secret.png\")"], ["run", "-e", open + ":save(\"theirs/x.png\")"],
      ["run", "-e", open + ":tiles(\"theirs/out/t\")"], ["run", "--out", "theirs/out"] + save,
      ["run", "--trace", "theirs/out/t.json"] + save, ["run", "--stage", "theirs/out"] + save,
      ["convert", "photos/coffee.png", "-o", "theirs/out/x.png"],
      ["verify", "--junit", "theirs/out/j.xml", "photos/coffee.png"],
    ] {
      let outcome = try folder.imghost(words)
      #expect(outcome.status != 0 && outcome.error.contains("another user"), "\(words): \(outcome)")
      #expect(outcome.errorLines.count <= 2, "\(words): \(outcome)")
    }
    #expect(folder.files.filter { $0.hasPrefix("home/") } == ["home/secret"])
    #expect(folder.bytes("home/secret") == Array("secret".utf8))
  }

  /// The folder for copies is named, with the link and its owner.
  @Test func copiesAreNotMadeThroughTheirLinks() throws {
    try plant("share/stage", to: folder("home"))
    let outcome = try folder.imghost(
      "run", "--stage", "share/stage", "-e", "img.open(\"photos/coffee.png\"):resize(9):save(\"o.png\")")
    #expect(outcome.status == 2 && !folder.exists("o.png"), "\(outcome)")
    #expect(
      outcome.error.contains("share/stage' is a link of another user (")
        && outcome.error.contains("name another folder"),
      "\(outcome)")
    let file = try folder.imghost("run", "--stage", "home/secret", "-e", "img.canvas(2, 2):save(\"o.png\")")
    file.expect(status: 2, error: "--stage: home/secret: ")
  }

  /// Caches are made nowhere else than where their user has them.
  @Test(arguments: [("share", uid_t(0)), ("theirs", stranger)])
  func cachesAreNotMadeThroughTheirLinks(_ place: String, _ owner: uid_t) throws {
    try folder.makeFolder(place)
    try plant(place + "/cache", to: folder("home"))
    chown(folder(place), owner, owner)
    let environment = ["XDG_CACHE_HOME": folder(place + "/cache"), "HOME": folder(place + "/cache")]
    let script = "local p = img.open(\"photos/coffee.png\") p:plugin(\"vignette\"):save(\"o.png\") print(p:sharpness())"
    _ = try folder.run(script, environment: environment)
    let outcome = try folder.imghost("plugins", environment: environment)
    outcome.expect(status: 0)
    #expect(folder.files.filter { $0.hasPrefix("home/") } == ["home/secret"])
  }

  /// A message for people, not the system's words for a file type that nothing has.
  @Test(arguments: ["share/password", "share/dir/password", "home", "absent"])
  func passwordFiles(_ path: String) throws {
    try folder.write("home/password", "x\n")
    try plant("share/password", to: folder("home/password"))
    try plant("share/dir", to: folder("home"))
    try folder.write("b.pdf", "%PDF-1.7")
    let outcome = try folder.imghost("verify", "--password-file", path, "b.pdf")
    #expect(outcome.status == 2 && outcome.errorLines.count == 1, "\(outcome)")
    #expect(outcome.error.contains("--password-file: \(path): ") && !outcome.error.contains("XENIX"), "\(outcome)")
    #expect(outcome.error.contains(Self.refusal) == path.hasPrefix("share"), "\(outcome)")
  }

  // MARK: - merging

  private func shards(_ options: [String] = []) throws {
    try folder.write(
      "b.lua",
      """
      local img = require "imghost"
      local p = img.glob("photos/*.jpg"):map(function(p) return p:resize(90) end)
      print("made")
      img.book("book.pdf", p, { paper = "a6" })
      """)
    for number in 0..<2 {
      let outcome = try folder.imghost(["run", "--shard", "\(number)/2", "--out", "far"] + options + ["b.lua"])
      outcome.expect(status: 0)
    }
  }

  /// Whatever the mask of the process: some run with none.
  @Test func nothingIsWorldWritable() throws {
    try folder.write("s.lua", "local img = require \"imghost\" img.canvas(9, 9):save(\"a.png\")")
    let run = "umask 0; exec '\(Built.program("imghost"))' run --shard 0/1 --out far s.lua"
    let outcome = try Command(program: "/bin/sh", arguments: ["-c", run], folder: folder.path).run()
    outcome.expect(status: 0)
    for path in ["far/.imghost", "far/.imghost/s.lua", "far/.imghost/s.lua/shard-0-of-1.json"] {
      var status = stat()
      #expect(stat(folder(path), &status) == 0 && status.st_mode & S_IWOTH == 0, "\(path)")
    }
  }

  private func change(_ change: (inout [String: Any]) -> Void) throws {
    for number in 0..<2 {
      let name = "far/.imghost/b.lua/shard-\(number)-of-2.json"
      var json = try #require(
        try JSONSerialization.jsonObject(with: Data(folder.bytes(name))) as? [String: Any])
      change(&json)
      try Data(JSONSerialization.data(withJSONObject: json)).write(to: URL(fileURLWithPath: folder(name)))
    }
  }

  private func aim(_ json: inout [String: Any], at path: String) {
    var merge = json["merge"] as? [String: Any] ?? [:]
    var books = merge["books"] as? [[String: Any]] ?? []
    for index in books.indices { books[index]["path"] = path }
    merge["books"] = books
    json["merge"] = merge
    var packs = json["packs"] as? [[String: Any]] ?? []
    for index in packs.indices { packs[index]["book"] = path }
    json["packs"] = packs
  }

  /// A merge writes where the script says, and not where a manifest says, whoever has written that.
  @Test(
    arguments: [
      "lnk/authorized", "../home/secret", "/tmp/imghost-nowhere/x.pdf", "own/secret", "..", "b\0.pdf", "b.lua",
      "b\u{1b}[2J.pdf", "b\n.pdf", "other.pdf\u{9b}",
    ])
  func recordsCannotChooseAPlace(_ path: String) throws {
    try shards()
    try folder.write("far/b.lua", "mine")
    try folder.link("far/own", to: folder("home"))
    chmod(folder("far"), 0o777)
    try plant("far/lnk", to: folder("home"))
    try change { aim(&$0, at: path) }
    for options in [["--confine"], []] {
      let outcome = try folder.imghost(["merge"] + options + ["--out", "far", "b.lua"])
      #expect(outcome.signal == nil && outcome.status == 1, "\(outcome)")
      // The fault is in the record, not in the script.
      let record = "merge.books[0] in 'far/.imghost/b.lua/shard-0-of-2.json' is '"
      #expect(outcome.error.contains(record) && outcome.error.contains("; run the shards again"), "\(outcome)")
      #expect(!outcome.error.contains("cannot be divided"), "\(outcome)")
      #expect(folder.files.filter { $0.hasPrefix("home/") } == ["home/secret"])
      #expect(folder.bytes("home/secret") == Array("secret".utf8))
      #expect(folder.bytes("b.lua").starts(with: Array("local".utf8)))
    }
  }

  /// A script may still name a book elsewhere.
  @Test func scriptsChooseTheirPlaces() throws {
    try folder.write(
      "b.lua",
      "local img = require \"imghost\"\n"
        + "img.book(\"../near.pdf\", img.glob(\"photos/*.jpg\"):map(function(p) return p:resize(90) end), { paper = \"a6\" })"
    )
    for number in 0..<2 { _ = try folder.imghost("run", "--shard", "\(number)/2", "--out", "far", "b.lua") }
    let outcome = try folder.imghost("merge", "--out", "far", "b.lua")
    #expect(outcome.status == 0 && folder.exists("near.pdf"), "\(outcome)")
  }

  /// What a manifest may have printed is limited.
  @Test func longPrintedLinesAreLeftOut() throws {
    try shards()
    try change { $0["printed"] = ["first", String(repeating: "x", count: 30_000_000), "last"] }
    let outcome = try folder.imghost("merge", "--out", "far", "b.lua")
    #expect(outcome.status == 0 && outcome.outputLines == ["first"], "\(outcome.status)")
    #expect(outcome.error.contains("note: 2 lines that the script printed are left out"), "\(outcome.error)")
  }

  @Test func printedLinesAreCleaned() throws {
    try shards()
    try change { $0["printed"] = ["\u{1b}]0;title\u{7}", "a\tb", "\u{9b}31m"] }
    let outcome = try folder.imghost("merge", "--out", "far", "b.lua")
    outcome.expect(status: 0)
    #expect(outcome.outputLines == ["\u{fffd}]0;title\u{fffd}", "a\tb", "\u{fffd}31m"])
  }

  /// Shards that another user has made count once that user is named, in every way to name one.
  @Test func filesOfAnotherOwner() throws {
    try shards()
    for name in folder.files where name.hasPrefix("far/.imghost/") { chown(folder(name), Self.stranger, 4_321) }
    let refused = try folder.imghost("merge", "--out", "far", "b.lua")
    refused.expect(status: 1, error: "--trust-owner")
    #expect(!folder.exists("far/book.pdf"))
    let other = try folder.imghost("merge", "--trust-owner", "1234", "--out", "far", "b.lua")
    #expect(other.status == 1 && !folder.exists("far/book.pdf"), "\(other)")
    let wrong = try folder.imghost("merge", "--trust-owner", "nobody-of-this-name", "--out", "far", "b.lua")
    wrong.expect(status: 2)
    let group = try folder.imghost("merge", "--trust-owner", ":4321", "--out", "far", "b.lua")
    #expect(group.status == 0 && folder.exists("far/book.pdf"), "\(group)")
  }

  /// The pods of a cluster run under changing users, which share a group that may write.
  @Test func changingUsers() throws {
    try shards()
    for name in ["far", "far/.imghost", "far/.imghost/b.lua"] {
      chown(folder(name), 0, 2_000)
      chmod(folder(name), 0o2775)
    }
    for (number, name) in folder.files.filter({ $0.hasPrefix("far/.imghost/") }).enumerated() {
      chown(folder(name), uid_t(100_000 + number), 2_000)
      chmod(folder(name), 0o664)
    }
    let outcome = try folder.imghost("merge", "--trust-owner", ":2000", "--out", "far", "b.lua")
    #expect(outcome.status == 0 && folder.exists("far/book.pdf"), "\(outcome)")
  }

  /// No number of a manifest ends the program.
  @Test(arguments: ["9223372036854775807", "-1", "1e300", "1125899906842624"])
  func numbersOfManifests(_ number: String) throws {
    try folder.write(
      "b.lua",
      "local img = require \"imghost\"\nimg.glob(\"photos/*\"):each(function(p) p:resize(20):save(\"t/{name}\") end)")
    for shard in 0..<2 { _ = try folder.imghost("run", "--shard", "\(shard)/2", "--out", "far", "b.lua") }
    for shard in 0..<2 {
      let name = "far/.imghost/b.lua/shard-\(shard)-of-2.json"
      let text = String(decoding: folder.bytes(name), as: UTF8.self)
      let changed = text.replacing(/"(total|pictures|sources|requested|seconds|status)":[0-9.]+/) { match in
        "\"\(match.output.1)\":\(number)"
      }
      try folder.write(name, changed)
    }
    for words in [["merge", "--out", "far", "b.lua"], ["merge", "--json", "--out", "far", "b.lua"]] {
      let outcome = try folder.imghost(words, seconds: 60)
      #expect(outcome.signal == nil && [0, 1].contains(outcome.status), "\(outcome)")
    }
  }
}
