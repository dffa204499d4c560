import Foundation
import Platform
import TestSupport
import Testing

/// Files that the records of `--only-changed` know by another name than the script: names with digests, other
/// spellings of a path, links, and other calls.
@Suite struct RecordedNamesTests {
  private static func run(_ folder: Folder, _ options: String...) throws -> Outcome {
    try folder.imghost(["run", "--only-changed", "--out", "o"] + options + ["s.lua"])
  }

  private static func script(_ calls: String) -> String {
    "local img = require 'imghost' local a, b = img.open('in/a.png'), img.open('in/b.png') \(calls)"
  }

  private static let refusal = "the file was changed since imghost wrote it, and stays"

  /// Documents whose pages can be taken later have other digests than files; two of them may be one file.
  @Test(arguments: [
    "book('{hash:6}.pdf', { p })", "animation('{hash:6}.webp', { p, p })", "multipage('{hash:6}.tif', { p })",
  ])
  func equalDocumentsAreKept(_ call: String) throws {
    let folder = try OnlyChangedTests.folder(Self.script("for _, p in ipairs { a, b } do img.\(call) end"))
    try folder.write("in/b.png", folder.bytes("in/a.png"))
    try Self.run(folder).expect(status: 0, error: "2 files written")
    for _ in 0..<2 { try Self.run(folder).expect(status: 0, error: "0 files written (0 bytes), 2 kept") }
    // A third one is copied from a file that the other two may replace.
    try folder.write("in/c.png", folder.bytes("in/a.png"))
    try folder.write("s.lua", Self.script("for _, p in ipairs(img.glob('in/*.png')) do img.\(call) end"))
    try Self.run(folder).expect(status: 0)
  }

  /// Earlier versions of a book are from imghost, whatever version came between, and although their times are set.
  @Test func earlierVersionsOfBooks() throws {
    let folder = try OnlyChangedTests.folder(Self.script("img.book('b-{hash:6}.pdf', { a })"))
    for number in [1, 2, 1, 2] {
      try OnlyChangedTests.draw("a", number, in: folder)
      try Self.run(folder).expect(status: 0, error: "1 file written")
    }
    let books = { folder.files.filter { $0.hasSuffix(".pdf") } }
    for book in books() { #expect(utimensat(AT_FDCWD, folder(book), nil, 0) == 0) }
    try Self.run(folder, "--prune").expect(status: 0, error: "note: removed 'o/b-")
    #expect(books().count == 1)
    try folder.imghost("run", "--shard", "0/1", "--out", "o", "s.lua").expect(status: 0)
    try folder.imghost("merge", "--out", "o", "s.lua").expect(status: 0)
  }

  /// An edited file stays, by whichever name the script reaches it now.
  static let others: [(before: String, after: String, file: String)] = [
    ("a:save(here .. '/far/x.jpg')", "a:save('../far/x.jpg')", "far/x.jpg"),
    ("a:save('../far/x.jpg')", "a:save(here .. '/far/x.jpg')", "far/x.jpg"),
    ("a:save('link/x.jpg')", "a:save('../far/x.jpg')", "far/x.jpg"),
    ("img.book('{hash:4}.pdf', { a })", "img.book('NAME', { a })", "o/*.pdf"),
    ("a:save('{hash:4}.jpg')", "a:save('NAME')", "o/*.jpg"),
    ("a:tiles('t', { size = 16 })", "a:save('t_files/0/0_0.jpg')", "o/t_files/0/0_0.jpg"),
  ]

  @Test(arguments: others)
  func editedFilesStayByEveryName(_ before: String, _ after: String, _ file: String) throws {
    let folder = try OnlyChangedTests.folder("")
    for name in ["far", "o"] { try folder.makeFolder(name) }
    try FileManager.default.createSymbolicLink(atPath: folder("o/link"), withDestinationPath: folder("far"))
    func write(_ call: String, _ name: String = "") throws {
      let text = call.replacing("here", with: "'\(folder.path)'").replacing("NAME", with: name)
      try folder.write("s.lua", Self.script(text))
    }
    try write(before)
    try Self.run(folder).expect(status: 0)
    let ending = String(file.drop { $0 != "*" }.dropFirst())
    let edited = try #require(folder.files.first { $0 == file || !ending.isEmpty && $0.hasSuffix(ending) })
    try folder.write(edited, folder.bytes(edited) + [0])
    let bytes = folder.bytes(edited)
    try write(after, String(edited.dropFirst(2)))
    try Self.run(folder).expect(status: 1, error: Self.refusal)
    try folder.imghost("run", "--out", "o", "s.lua").expect(status: 1, error: Self.refusal)
    #expect(folder.bytes(edited) == bytes)
    try Self.run(folder, "--overwrite").expect(status: 0)
    #expect(folder.bytes(edited) != bytes)
  }

  /// The other way round, a pyramid does not replace a folder with an edited file.
  @Test func pyramidsKeepEditedFiles() throws {
    let folder = try OnlyChangedTests.folder(Self.script("a:save('t_files/0/0_0.jpg')"))
    try Self.run(folder).expect(status: 0)
    let bytes = folder.bytes("o/t_files/0/0_0.jpg") + [0]
    try folder.write("o/t_files/0/0_0.jpg", bytes)
    try folder.write("s.lua", Self.script("a:tiles('t', { size = 16 })"))
    try Self.run(folder).expect(status: 1, error: Self.refusal)
    #expect(folder.bytes("o/t_files/0/0_0.jpg") == bytes)
  }

  /// Shards and merges protect what a whole run has recorded.
  @Test(arguments: [
    ("img.book('{hash:4}.pdf', { a })", "img.book('{hash:4}.pdf', { a })", ".pdf"),
    ("a:save('../far/x.jpg')", "a:save('link/x.jpg')", ".jpg"),
    ("a:save('{hash:4}.jpg')", "a:save('{hash:4}.jpg')", ".jpg"),
  ])
  func shardsKeepEditedFiles(_ before: String, _ after: String, _ ending: String) throws {
    let folder = try OnlyChangedTests.folder(Self.script(before))
    for name in ["far", "o"] { try folder.makeFolder(name) }
    try FileManager.default.createSymbolicLink(atPath: folder("o/link"), withDestinationPath: folder("far"))
    try Self.run(folder).expect(status: 0)
    let edited = try #require(folder.files.first { $0.hasSuffix(ending) && !$0.contains(".imghost") })
    let bytes = folder.bytes(edited) + [0]
    try folder.write(edited, bytes)
    try folder.write("s.lua", Self.script(after))
    let shard = try folder.imghost("run", "--shard", "0/1", "--out", "o", "s.lua")
    let merge = try folder.imghost("merge", "--out", "o", "s.lua")
    #expect([shard.status, merge.status].contains(1), "\(shard) \(merge)")
    #expect(folder.bytes(edited) == bytes, "\(shard) \(merge)")
  }

  /// A name that a run has only noted before it was killed may still be that of another output's file.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
  func killsBeforeANameIsShown() throws {
    let folder = try OnlyChangedTests.folder(Self.script("img.glob('in/*.png'):save('{hash:8}.jpg')"))
    try Self.run(folder).expect(status: 0)
    // The pictures move by one, so that each of the new outputs has the bytes of another one.
    try OnlyChangedTests.draw("0", 7, in: folder)
    for number in 1...3 {
      let place = "inject=renameat:signal=SIGKILL:when=\(number)"
      _ = try Command(
        program: "/usr/bin/strace",
        arguments: [
          "-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat", "-e", place, Built.program("imghost"), "run",
        ]
          + ["--only-changed", "--out", "o", "s.lua"], folder: folder.path
      ).run()
      try Self.run(folder).expect(status: 0)
      try OnlyChangedTests.draw("0\(number)", 7 + number, in: folder)
    }
  }

  /// A source that returns to its earlier contents gives the name of an earlier version, which was edited meanwhile.
  @Test func earlierVersionsThatWereEdited() throws {
    let folder = try OnlyChangedTests.folder(Self.script("a:save('{hash:8}.jpg')"))
    try Self.run(folder).expect(status: 0)
    let first = try #require(folder.files.first { $0.hasPrefix("o/") && $0.hasSuffix(".jpg") })
    try OnlyChangedTests.draw("a", 9, in: folder)
    try Self.run(folder).expect(status: 0)
    try folder.write(first, folder.bytes(first) + [0])
    try OnlyChangedTests.draw("a", 1, in: folder)
    let outcome = try Self.run(folder, "--prune")
    outcome.expect(status: 1, error: "'\(first)': \(Self.refusal)")
    #expect(!outcome.error.contains("no longer makes '\(first)'"), "\(outcome)")
    // If the source changes, its file has a new name, and the edited one is only named.
    try OnlyChangedTests.draw("a", 7, in: folder)
    try Self.run(folder).expect(status: 0, error: "'\(first)', which was changed by hand")
  }

  /// Earlier outputs where a pyramid is to be made are named, and removed by `--prune`. Then the next run makes it.
  @Test(arguments: ["a:save('t/cover.png')", "a:tiles('t/x', { size = 16, layout = 'iiif' })"])
  func earlierOutputsInTheWay(_ call: String) throws {
    let folder = try OnlyChangedTests.folder(Self.script(call))
    try Self.run(folder).expect(status: 0)
    try folder.write("s.lua", Self.script("a:tiles('t', { size = 16, layout = 'iiif' })"))
    try Self.run(folder).expect(status: 1, error: "the script no longer makes 'o/t/")
    try Self.run(folder, "--prune").expect(status: 1, error: "note: removed 'o/t/")
    try Self.run(folder).expect(status: 0)
    #expect(folder.exists("o/t/info.json"))
  }

  /// Programs that look for duplicates make hard links of equal outputs.
  @Test func outputsThatWereLinked() throws {
    let folder = try OnlyChangedTests.folder(Self.script("a:save('x.jpg') a:save('y.jpg')"))
    try Self.run(folder).expect(status: 0)
    #expect(unlink(folder("o/y.jpg")) == 0 && link(folder("o/x.jpg"), folder("o/y.jpg")) == 0)
    try Self.run(folder).expect(status: 0, error: "2 kept")
    try OnlyChangedTests.draw("a", 7, in: folder)
    try Self.run(folder).expect(status: 0, error: "2 files written")
  }

  /// Failures with the same reason are usually counted.
  @Test func eachEditedFileIsNamed() throws {
    let folder = try OnlyChangedTests.folder(Self.script("for i = 1, 4 do a:resize(i + 9):save(i .. '.jpg') end"))
    try Self.run(folder).expect(status: 0)
    for number in 1...3 { try folder.write("o/\(number).jpg", [1]) }
    let outcome = try Self.run(folder)
    outcome.expect(status: 1)
    for number in 1...3 { #expect(outcome.error.contains("o/\(number).jpg: \(Self.refusal)"), "\(outcome)") }
  }

  /// The password of a picture is neither stored nor told, and so its outputs are always made.
  @Test func passwordsAreNotRecorded() throws {
    let folder = try OnlyChangedTests.folder(Self.script("img.book('../l.pdf', { a }, { password = 'hunter2secret' })"))
    try Self.run(folder).expect(status: 0)
    try folder.write(
      "s.lua", "require('imghost').open('l.pdf', { password = 'hunter2secret' }):save('p.png')")
    for _ in 0..<2 {
      let outcome = try Self.run(folder, "--explain")
      outcome.expect(status: 0, error: "1 file written")
      #expect(!(outcome.output + outcome.error).contains("hunter2"), "\(outcome)")
    }
    let secret = Array("hunter2".utf8)
    for file in folder.files where file.contains(".imghost") {
      let bytes = folder.bytes(file)
      #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) }, "\(file)")
    }
  }

  /// Only the metadata of these files change, although their beginnings do.
  @Test func metadataThatChangesTheForm() throws {
    let folder = try OnlyChangedTests.folder(Self.script("a:save('../p.webp', { lossless = true }) b:save('../q.png')"))
    try folder.imghost("run", "--out", "o", "s.lua").expect(status: 0)
    try folder.write(
      "s.lua",
      "local img = require 'imghost' img.open('p.webp'):resize(9):save('p.png', { metadata = 'none' }) "
        + "img.open('q.png', { sidecar = true }):resize(9):save('q.png', { metadata = 'none' })")
    try folder.write("q.xmp", Self.sidecar("one"))
    try Self.run(folder).expect(status: 0, error: "2 files written")
    try folder.run("img.open('p.webp'):with_metadata { title = 'x' }:save('r.webp', { lossless = true })").expect(
      status: 0)
    try folder.write("p.webp", folder.bytes("r.webp"))
    try folder.write("q.xmp", Self.sidecar("two"))
    try Self.run(folder).expect(status: 0, error: "0 files written (0 bytes), 2 kept")
  }

  private static func sidecar(_ title: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
    <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt>\
    <rdf:li xml:lang="x-default">\(title)</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>
    """
  }
}
