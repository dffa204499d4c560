import Foundation
import PictureTestSupport
import Platform
import Testing

/// Pictures that cannot be read: each gets one clear line, and all other outputs are written.
struct BadPictureTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    /// The message after `t.lua:2: open: NAME: `.
    let message: String
    let make: @Sendable (Folder, String) throws -> Void
    var testDescription: String { name }
  }

  private static func cut(_ sample: String, _ part: Double, _ folder: Folder, _ name: String) throws {
    let bytes = [UInt8](FileManager.default.contents(atPath: Built.photos + "/" + sample)!)
    try folder.write(name, Array(bytes.prefix(Int(Double(bytes.count) * part))))
  }

  static let cases: [Case] = [
    Case(name: "missing.jpg", message: "the file does not exist") { _, _ in },
    Case(name: "empty.jpg", message: "empty file") { try $0.write($1, "") },
    Case(name: "folder.jpg", message: "it is a folder, not a file") { try $0.makeFolder($1) },
    Case(
      name: "text.jpg", message: "unrecognized file format; see 'imghost plugins' for those it reads"
    ) { try $0.write($1, "not a picture, only text that is called one\n") },
    Case(
      name: "photoshop.png",
      message: "unsupported file format (a Photoshop document); no installed plugin reads it, see 'imghost plugins'"
    ) { try $0.write($1, "8BPS\u{0}\u{1}\u{0}\u{0}") },
    Case(
      name: "cut.jpg",
      message: "truncated file; 'out/cut.png' is not written; open(…, { damaged = \"accept\" }) shows what can be read"
    ) { try cut("rocket.jpg", 0.5, $0, $1) },
    Case(
      name: "cut.png",
      message: "truncated file; 'out/cut.png' is not written; open(…, { damaged = \"accept\" }) shows what can be read"
    ) { try cut("coffee.png", 0.5, $0, $1) },
    Case(name: "head.jpg", message: "truncated file") {
      try $0.write($1, [0xff, 0xd8, 0xff, 0xe0])
    },
    Case(name: "loop.jpg", message: "Too many levels of symbolic links") {
      try $0.link($1, to: "loop.jpg")
    },
  ]

  @Test(arguments: cases)
  func stopsTheRun(_ bad: Case) throws {
    let folder = try Folder()
    try bad.make(folder, bad.name)
    let outcome = try folder.run("img.open(\"\(bad.name)\"):resize(40, 30):save(\"out/{stem}.png\")")
    outcome.expect(status: 1)
    #expect(outcome.messages == ["t.lua:2: open: \(bad.name): \(bad.message)"], "\(outcome)")
    #expect(folder.temporaries == [])
    #expect(!folder.files.contains { $0.hasPrefix("out/") })
  }

  /// All at once among a good one, which is written; so is the book, without their pages.
  @Test func othersAreWritten() throws {
    let folder = try Folder()
    for bad in Self.cases { try bad.make(folder, bad.name) }
    try folder.copy(Built.photos + "/rocket.jpg", to: "good.jpg")
    let names = (Self.cases.map(\.name) + ["good.jpg"]).map { "\"\($0)\"" }
    let outcome = try folder.run(
      """
      local all = {}
      for i, name in ipairs{ \(names.joined(separator: ", ")) } do all[i] = img.open(name) end
      local list = img.list(all)
      local job = list:save("out/{index}-{stem}.png")
      img.book("out/book.pdf", list, { lossless = true, verify = true })
      local result = job:await()
      print(result.ok, result.written, result.failed, #result.files, #result.errors)
      """, "--on-error", "continue")
    outcome.expect(status: 1)
    let count = Self.cases.count
    #expect(outcome.outputLines == ["false\t1\t\(count)\t1\t\(count)"])
    for bad in Self.cases {
      #expect(outcome.error.contains("t.lua:3: open: \(bad.name): "), "\(bad.name): \(outcome)")
    }
    #expect(outcome.error.contains("written without \(count) of its \(count + 1) pages"))
    #expect(
      folder.files.filter { $0.hasPrefix("out/") } == ["out/\(count + 1)-good.png", "out/book.pdf"])
  }

  /// A name says nothing about what is in a file.
  @Test func renamedPicturesAreRead() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/coffee.png", to: "coffee.jpg")
    try folder.copy(Built.photos + "/rocket.jpg", to: "rocket.png")
    let outcome = try folder.run(
      """
      local a, b = img.open("coffee.jpg"), img.open("rocket.png")
      print(a.format, b.format)
      a:save("a.png") b:save("b.jpg")
      """)
    outcome.expect(status: 0)
    #expect(outcome.outputLines == ["png\tjpeg"])
  }

  /// What a pattern cannot search, or a link that leads nowhere, is not left out in silence.
  @Test func unsearchableFolder() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "s/open/p.jpg")
    let shut = folder("s/shut")
    chmod(folder("s"), 0o777)
    if geteuid() == 0 {
      // Root may search every folder, except by a stranger's link.
      symlink(folder("s/open"), shut)
      lchown(shut, 65_534, 65_534)
    } else {
      mkdir(shut, 0)
    }
    let failed = try folder.run("img.glob('s/*/*.jpg'):save('{stem}.png')")
    failed.expect(status: 1, error: "t.lua:2: glob: the folder 's/shut' cannot be searched: ")
    #expect(!folder.exists("p.png"))
    let kept = try folder.imghost("convert", "s/*/*.jpg", "-o", "{stem}.png", "--on-error", "continue")
    kept.expect(status: 1, error: "the folder 's/shut' cannot be searched: ")
    #expect(folder.exists("p.png"))
    let skipped = try folder.run("img.glob('s/*/*.jpg', { skip_unreadable = true }):save('{stem}.png')")
    skipped.expect(status: 0, error: "note: left out, unreadable: s/shut (")
  }

  @Test(arguments: ["s/*", "s/*.jpg", "s/**/*.jpg"]) func brokenLink(_ pattern: String) throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "s/p.jpg")
    symlink("none.jpg", folder("s/q.jpg"))
    try folder.run("img.glob('\(pattern)'):save('{stem}.png')")
      .expect(status: 1, error: "t.lua:2: open: s/q.jpg: the file does not exist")
    try folder.run("img.glob('\(pattern)', { skip_unreadable = true }):save('{stem}.png')")
      .expect(status: 0, error: "note: left out, unreadable: s/q.jpg (the file does not exist)")
  }

  @Test(.enabled(if: geteuid() != 0, "root reads everything"))
  func unreadableFile() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "p.jpg")
    chmod(folder("p.jpg"), 0)
    let outcome = try folder.run("img.open(\"p.jpg\"):save(\"q.png\")")
    #expect(outcome.messages == ["t.lua:2: open: p.jpg: permission denied"])
    outcome.expect(status: 1)
  }

  /// Names that are hard to handle are handled, or told.
  @Test func oddNames() throws {
    let folder = try Folder()
    let picture = try Pixels.waves(8, 6).jpeg()
    // The same word in composed and decomposed form: two files.
    let names = [
      "日本 写真.jpg", "new\nline.jpg", "{brace}.jpg", "-dash.jpg", "caf\u{e9}.jpg", "cafe\u{301}.jpg",
      // One letter with the slash before it, for Unicode.
      "\u{301}x.jpg",
      String(repeating: "n", count: 250) + ".jpg",
    ]
    for name in names { try folder.write("in/" + name, picture) }
    let outcome = try folder.run(
      """
      local all = img.glob("in/*.jpg")
      print(#all)
      all:save("out/{stem}.png")
      """)
    outcome.expect(status: 0)
    #expect(outcome.outputLines == ["\(names.count)"])
    let made = Built.files(in: folder("out")).map { Array($0.utf8) }
    #expect(Set(made) == Set(names.map { Array(($0.dropLast(4) + ".png").utf8) }))
  }

  /// A combining mark after a slash or a brace, which Swift takes for one character.
  @Test func combiningMarksAfterSigns() throws {
    let folder = try Folder()
    for name in ["in/x.jpg", "y.jpg"] { try folder.write(name, try Pixels.waves(8, 6).jpeg()) }
    // Foundation makes no such names.
    for (old, new) in [("in/x.jpg", "in/\u{308}x.jpg"), ("in", "\u{301}in"), ("y.jpg", "\u{308}y.jpg")] {
      try #require(rename(folder(old), folder(new)) == 0)
    }
    let outcome = try folder.run(
      """
      local all = img.glob("{\u{301}in/\u{308}x,\u{308}y}.jpg")
      print(#all, #img.glob("\u{301}i*/*\u{308}x.jpg"))
      all[1]:save("new/{folder}/{name}")
      all[2]:save("\u{302}/\u{301}/{stem}.png")
      """)
    outcome.expect(status: 0)
    #expect(outcome.outputLines == ["2\t1"])
    func names(in path: String) -> [[UInt8]] { Built.files(in: folder(path)).map { Array($0.utf8) } }
    #expect(names(in: "new/\u{301}in") == [Array("\u{308}x.jpg".utf8)])
    #expect(names(in: "\u{302}/\u{301}") == [Array("\u{308}y.png".utf8)])
  }

  /// A file whose name is not UTF-8 stops nothing, and is named by its bytes.
  @Test func namesThatAreNotUTF8() throws {
    let folder = try Folder()
    let path = Array(folder("a").utf8).map(CChar.init) + [CChar(bitPattern: 0xff), 0x2e, 0x6a, 0]
    let descriptor = creat(path, 0o600)
    // Some file systems do not take such names.
    guard descriptor >= 0 else { return }
    close(descriptor)
    defer { unlink(path) }
    try FileManager.default.copyItem(atPath: Built.photos + "/coffee.png", toPath: folder("b.j"))
    let outcome = try folder.run("img.glob(\"*.j\"):save(\"{stem}.png\")", "--on-error", "continue")
    #expect(outcome.status == 1 && folder.exists("b.png"), "\(outcome)")
    #expect(outcome.error.contains("a\\xff.j: empty file"), "\(outcome)")
  }
}
