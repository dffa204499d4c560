import Foundation
import ImageCore
import Platform
import TestSupport
import Testing

/// `imghost verify` of manifests and of lists of digests.
struct FileListTests {
  /// A folder with a source, two pictures and a book, and a manifest of them in `web`.
  private func made(_ list: String = "web/m.json") throws -> Folder {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "rocket.jpg")
    let outcome = try folder.run(
      """
      local p = img.open("rocket.jpg")
      p:resize(60):save("web/a b.jpg")
      p:resize(30):save("web/small/a.webp")
      img.book("web/b.pdf", p:resize(90), { lossless = true })
      """, "--manifest", list)
    outcome.expect(status: 0)
    return folder
  }

  /// A list without files proves nothing.
  @Test(arguments: ["", "# nothing\n", "\n\n"]) func listsNoFile(_ list: String) throws {
    let folder = try Folder()
    try folder.write("l.sha256", list)
    let outcome = try folder.imghost("verify", "l.sha256")
    #expect(outcome.status == 4 && outcome.errorLines == ["imghost verify: l.sha256: it names no files"], "\(outcome)")
  }

  @Test func everythingIsThere() throws {
    let folder = try made()
    let outcome = try folder.imghost("verify", "web/m.json")
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines.first == "web/m.json: 3 files, verified; 1 source outside its folder not read", "\(outcome)")
    #expect(outcome.output.contains("b.pdf: 1 page, verified"), "\(outcome)")
    let whole = try folder.imghost("verify", "--root", ".", "web/m.json")
    #expect(whole.status == 0 && whole.outputLines.first == "web/m.json: 4 files, verified", "\(whole)")
    // The folder can be moved.
    rename(folder("web"), folder("site"))
    #expect(try folder.imghost("verify", "site/m.json").status == 0)
    let json = try folder.imghost("verify", "--json", "site/m.json")
    let line = try #require(JSONReader.value(of: json.outputLines.first ?? ""))
    #expect(line["verified"]?.isTrue == true && line["files"]?.integerValue == 3 && line["outside"]?.integerValue == 1)
  }

  @Test(
    arguments: sampled([
      ("missing", "web/m.json: error: small/a.webp: the file does not exist"),
      ("longer", "web/m.json: error: small/a.webp: it has "),
      ("changed", "web/m.json: error: small/a.webp: its SHA-256 digest is another one: its bytes have changed"),
      ("folder", "web/m.json: error: small/a.webp: it is a folder, not a file"),
      ("pipe", "web/m.json: error: small/a.webp: it is not a regular file"),
      ("source", "web/m.json: error: ../rocket.jpg: its SHA-256 digest is another one: its bytes have changed"),
    ]))
  func whatIsWrongIsNamed(change: String, line: String) throws {
    let folder = try made()
    var bytes = folder.bytes("web/small/a.webp")
    switch change {
    case "longer": try folder.write("web/small/a.webp", bytes + [0])
    case "changed":
      bytes[bytes.count - 1] ^= 1
      try folder.write("web/small/a.webp", bytes)
    case "source":
      var bytes = folder.bytes("rocket.jpg")
      bytes[bytes.count / 2] ^= 1
      try folder.write("rocket.jpg", bytes)
    default:
      unlink(folder("web/small/a.webp"))
      if change == "folder" { try folder.makeFolder("web/small/a.webp") }
      if change == "pipe" { mkfifo(folder("web/small/a.webp"), 0o600) }
    }
    let outcome = try folder.imghost("verify", "--root", ".", "web/m.json")
    outcome.expect(status: 4)
    #expect(outcome.outputLines.first == "web/m.json: 4 files, not verified: 1 error", "\(outcome)")
    #expect(outcome.outputLines.dropFirst().first?.hasPrefix(line) ?? false, "\(outcome)")
  }

  /// A book that is as the manifest says, and does not show what it should.
  @Test func booksAreVerifiedAsBooks() throws {
    let folder = try made()
    var bytes = folder.bytes("web/b.pdf")
    let place = try #require(bytes.indices.last { bytes[$0...].starts(with: "/MediaBox[0 0 ".utf8) })
    bytes[place + 14] = bytes[place + 14] == UInt8(ascii: "9") ? UInt8(ascii: "8") : UInt8(ascii: "9")
    try folder.write("web/b.pdf", bytes)
    let digest = SHA256.digest(of: bytes).description
    let lines = String(decoding: folder.bytes("web/m.json"), as: UTF8.self).split(separator: "\n").map { line in
      guard line.contains("\"path\":\"b.pdf\""), let start = line.firstRange(of: "\"sha256\":\"")?.upperBound else {
        return String(line)
      }
      return line[..<start] + digest + line[line.index(start, offsetBy: 64)...]
    }
    try folder.write("web/m.json", lines.joined(separator: "\n"))
    let outcome = try folder.imghost("verify", "web/m.json")
    outcome.expect(status: 4)
    #expect(outcome.output.contains("web/m.json: 3 files, verified"), "\(outcome)")
    #expect(outcome.output.contains("b.pdf: 1 page, not verified"), "\(outcome)")
  }

  @Test func listsOfDigests() throws {
    let folder = try made("web/list.sha256")
    // Once more: a list of an earlier run is replaced.
    let again = try folder.imghost("run", "--manifest", "web/list.sha256", "t.lua")
    again.expect(status: 0)
    let lines = String(decoding: folder.bytes("web/list.sha256"), as: UTF8.self).split(separator: "\n")
    #expect(lines.map { $0.dropFirst(66) } == ["a b.jpg", "small/a.webp", "b.pdf"], "\(lines)")
    let outcome = try folder.imghost("verify", "web/list.sha256")
    #expect(outcome.status == 0 && outcome.outputLines.first == "web/list.sha256: 3 files, verified", "\(outcome)")
    let shell = ["-c", "cd \"$1\" && exec sha256sum --strict -c list.sha256", "sh", folder("web")]
    if let found = try SecondOpinions.run("sh", shell) { #expect(found.status == 0, "\(found)") }
    try folder.write("web/a b.jpg", "other")
    #expect(try folder.imghost("verify", "web/list.sha256").status == 4)
    try folder.write("web/notes.sha256", "remember the milk")
    let refused = try folder.imghost("run", "--manifest", "web/notes.sha256", "t.lua")
    refused.expect(status: 2, error: "the file exists and is not a list of digests")
  }

  /// Names that a line cannot hold as they are.
  @Test(arguments: ["a\\b.png", "a\nb.png", "a\rb.png", " a .png", "*a.png", "#a.png", "é.png", "\\.png"])
  func listsEscapeNames(name: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.canvas(2, 2):save(arg[1])", "--manifest", "l.sha256", arguments: [name])
    outcome.expect(status: 0)
    #expect(try folder.imghost("verify", "l.sha256").status == 0)
    let shell = ["-c", "cd \"$1\" && exec sha256sum --strict -c l.sha256", "sh", folder.path]
    if let found = try SecondOpinions.run("sh", shell) {
      #expect(found.status == 0, "\(found) \(String(decoding: folder.bytes("l.sha256"), as: UTF8.self))")
    }
  }

  /// Lists of the coreutils, with all that they may have.
  @Test func foreignLists() throws {
    let folder = try Folder()
    try folder.write("a.txt", "a")
    let digest = SHA256.digest(of: Array("a".utf8)).description
    try folder.write("l.sha256", "# comment\n\(digest.uppercased()) *./a.txt\r\n\n\(digest)  a.txt")
    let outcome = try folder.imghost("verify", "l.sha256")
    #expect(outcome.status == 0 && outcome.outputLines == ["l.sha256: 2 files, verified"], "\(outcome)")
  }

  private func item(_ path: String, _ more: String = "\"bytes\":1") -> String {
    let digest = SHA256.digest(of: Array("a".utf8)).description
    return "{\"path\":\"\(path)\",\"state\":\"written\",\(more),\"sha256\":\"\(digest)\"}"
  }

  private func manifest(_ outputs: String, schema: String = "1") -> String {
    "{\n  \"manifest\": \"imghost\", \"schema\": \(schema), \"sources\": [], \"outputs\": [\(outputs)]}"
  }

  /// Manifests that somebody else wrote.
  @Test func hostilePaths() throws {
    let folder = try Folder()
    try folder.write("secret", "a")
    try folder.makeFolder("in")
    try folder.link("in/link", to: "../secret")
    try folder.link("in/up", to: "..")
    try folder.write("in/.a", "a")
    for path in ["../secret", "x/../../secret", folder("secret"), "link", "up/secret", "/etc/passwd", ".."] {
      try folder.write("in/m.json", manifest(item(path)))
      let outcome = try folder.imghost("verify", "in/m.json")
      #expect(outcome.status == 4, "\(path): \(outcome)")
      #expect(
        outcome.output.contains("it lies outside in and is not read; name a folder around it with --root"),
        "\(path): \(outcome)")
    }
    for path in [".a", "./.a", "x/../.a", folder("in/.a")] {
      try folder.write("in/m.json", manifest(item(path)))
      #expect(try folder.imghost("verify", "in/m.json").status == 0, "\(path)")
    }
    try folder.write("in/m.json", manifest(item("a\\u0000b") + "," + item("a\\u001b[31m")))
    let odd = try folder.imghost("verify", "in/m.json")
    #expect(odd.status == 4 && !odd.output.contains("\u{1b}") && odd.output.contains("zero byte"), "\(odd)")
  }

  @Test(arguments: [
    ("\"bytes\":-1", "1", "item 1 of 'outputs' lacks a path, a size or a digest"),
    ("\"bytes\":9223372036854775807", "1", "lacks a path, a size or a digest"),
    ("\"bytes\":99999999999999999999999", "1", "lacks a path, a size or a digest"),
    ("\"bytes\":1.5", "1", "lacks a path, a size or a digest"), ("\"bytes\":\"1\"", "1", "lacks a path"),
    ("\"bytes\":1", "3", "another schema than 1 to 2"), ("\"bytes\":1", "{}", "another schema than 1 to 2"),
    ("\"bytes\":1", "deep", "not a whole manifest of imghost"),
  ])
  func hostileNumbers(more: String, schema: String, message: String) throws {
    let folder = try Folder()
    let deep = "1, \"x\": " + String(repeating: "[", count: 100_000)
    try folder.write("m.json", manifest(item("a.txt", more), schema: schema == "deep" ? deep : schema))
    try folder.write("a.txt", "a")
    let outcome = try folder.imghost("verify", "m.json")
    #expect(outcome.status == 4 && outcome.error.contains("m.json") && outcome.error.contains(message), "\(outcome)")
  }

  /// Every cut of a manifest, and one changed byte in many places, ends in an answer.
  @Test func mutants() throws {
    let folder = try made()
    let whole = folder.bytes("web/m.json")
    var state: UInt64 = 7
    for round in 0..<24 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      var bytes = whole
      let place = Int(state >> 33) % bytes.count
      if round % 2 == 0 { bytes = Array(bytes[..<place]) } else { bytes[place] ^= UInt8(1 + state >> 60) }
      try folder.write("web/x.json", bytes)
      let outcome = try folder.imghost("verify", "web/x.json")
      #expect([0, 4].contains(outcome.status), "\(outcome)")
    }
  }

  @Test func otherFiles() throws {
    let folder = try Folder()
    try folder.write("m.json", "{}")
    let other = try folder.imghost("verify", "m.json")
    other.expect(status: 4, error: "m.json: it is not a whole manifest of imghost")
    let missing = try folder.imghost("verify", "none.json")
    missing.expect(status: 1, error: "none.json: the file does not exist")
    let both = try folder.imghost("verify", "--junit", "x.xml", "m.json")
    both.expect(status: 2, error: "--junit describes PDFs")
  }

  /// Another user's link is not followed.
  @Test(.enabled(if: geteuid() == 0, "only root can give files to another user")) func strangersLinks() throws {
    let folder = try Folder()
    try folder.makeFolder("share")
    chmod(folder("share"), 0o1777)
    try folder.write("share/b", "a")
    try folder.link("share/a", to: "b")
    lchown(folder("share/a"), 65_534, 65_534)
    try folder.write("share/m.json", manifest(item("a")))
    let outcome = try folder.imghost("verify", "share/m.json")
    #expect(outcome.status == 4 && outcome.output.contains("belongs to another user"), "\(outcome)")
    lchown(folder("share/a"), 0, 0)
    #expect(try folder.imghost("verify", "share/m.json").status == 0)
    try folder.link("share/l.json", to: "m.json")
    lchown(folder("share/l.json"), 65_534, 65_534)
    let list = try folder.imghost("verify", "share/l.json")
    list.expect(status: 1, error: "belongs to another user")
  }
}
