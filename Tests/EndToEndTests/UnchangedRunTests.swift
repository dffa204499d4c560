import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// With `--only-changed`, a script of which nothing at all has changed is not run again.
struct UnchangedRunTests {
  /// A picture in the format PNM.
  private static let input = "P2 2 2 255 0 9 9 0\n"
  /// The loop takes longer than the time limit of `isRunAgain`.
  private static let script = """
    local img = require "imghost"
    for i = 1, 300000 do end
    local size = require "size"
    for _, photo in ipairs(img.glob("{in,more}/*.png")) do
      if photo.width > 20 then photo:resize(size):save("web/{stem}.jpg") end
    end
    print(img.open("measured.png"):dominant_colours(1)[1].colour)
    img.open("measured.png"):tiles("zoom/m", { size = 16 })
    img.open("beside.png", { sidecar = true }):save("./beside.jpg")
    img.book("book.pdf", img.glob("in/*.png"), { layout = "grid", columns = 2, rows = 1, caption = "{stem}" })

    """

  private static func folder(_ script: String = script) throws -> Folder {
    let folder = try OnlyChangedTests.folder(script)
    try folder.write("size.lua", "return 12")
    try draw("measured", 3, in: folder)
    try draw("beside", 4, in: folder)
    return folder
  }

  private static func draw(_ name: String, _ number: Int, in folder: Folder) throws {
    try OnlyChangedTests.draw("../" + name, number, in: folder)
  }

  /// Runs the script until nothing is left to do. Files have to be older than the granularity of their times.
  private static func settle(_ folder: Folder, _ options: String..., environment: [String: String?] = [:]) throws {
    for _ in 0..<2 {
      usleep(60_000)
      try folder.imghost(
        ["run", "--only-changed", "--out", "o"] + options + ["s.lua"], environment: environment, input: input
      )
      .expect(status: 0)
    }
    usleep(60_000)
  }

  /// Returns whether a run of the script executes it.
  private static func isRunAgain(
    _ folder: Folder, _ options: String..., arguments: [String] = [], environment: [String: String?] = [:]
  ) throws -> Bool {
    let words = ["run", "--only-changed", "--script-time", "0.00001", "--out", "o"] + options + ["s.lua"] + arguments
    let outcome = try folder.imghost(words, environment: environment, input: input)
    if outcome.status == 3, outcome.error.contains("takes longer") { return true }
    outcome.expect(status: 0)
    return false
  }

  @Test func leavesTheScriptAlone() throws {
    let folder = try Self.folder()
    try Self.settle(folder)
    #expect(try !Self.isRunAgain(folder))
    // It says the same as a run of the script.
    let outcomes = try ["0.00001", "9"].map { limit in
      if limit == "9" { try folder.write("s.lua", Self.script + "-- a comment") }
      return try folder.imghost("run", "--only-changed", "--json", "--script-time", limit, "--out", "o", "s.lua")
    }
    let lines = outcomes.map { outcome in
      outcome.expect(status: 0)
      return outcome.output.split(separator: "\n").map { $0.replacing(/"seconds":.*/, with: "") }.sorted()
    }
    #expect(lines[0] == lines[1])
    #expect(lines[0].count { $0.contains("\"event\":\"kept\"") } == 5)
    #expect(lines[0].contains { $0.contains("\"print\"") })
    try Self.settle(folder)
    #expect(try !Self.isRunAgain(folder, "--quiet"))
    #expect(try !Self.isRunAgain(folder, "--prune", "--explain", "--json"))
    let text = try folder.imghost("run", "--only-changed", "--script-time", "0.00001", "--out", "o", "s.lua")
    #expect(text.error.contains("0 files written (0 bytes), 5 kept"))
  }

  /// Whatever changes, the script runs, and its outputs are those of a run from nothing.
  @Test(
    arguments: sampled([
      "a picture", "a picture with its time kept", "a touched picture", "a new picture", "a picture less",
      "another file",
      "a folder that was missing", "the measured picture", "a new sidecar", "a module", "the script", "an output less",
      "a tile less",
      "a touched output", "a linked folder", "no record", "damaged inputs",
    ]))
  func noticesEveryChange(_ change: String) throws {
    let folder = try Self.folder()
    let files = FileManager.default
    if change == "a linked folder" {
      try files.moveItem(atPath: folder("in"), toPath: folder("first"))
      try files.copyItem(atPath: folder("first"), toPath: folder("second"))
      try files.createSymbolicLink(atPath: folder("in"), withDestinationPath: "second")
      try OnlyChangedTests.draw("a", 9, in: folder)
      try files.removeItem(atPath: folder("in"))
      try files.createSymbolicLink(atPath: folder("in"), withDestinationPath: "first")
    }
    try Self.settle(folder)
    #expect(try !Self.isRunAgain(folder))
    switch change {
    case "a picture": try OnlyChangedTests.draw("a", 7, in: folder)
    case "a picture with its time kept":
      let date = try files.attributesOfItem(atPath: folder("in/a.png"))[.modificationDate] as? Date
      try OnlyChangedTests.draw("a", 7, in: folder)
      try files.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: folder("in/a.png"))
    case "a touched picture":
      try files.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: folder("in/a.png"))
    case "a new picture": try OnlyChangedTests.draw("c", 7, in: folder)
    case "a picture less": try files.removeItem(atPath: folder("in/b.png"))
    case "another file": try folder.write("in/note.txt", "x")
    case "a folder that was missing": try OnlyChangedTests.draw("../more/c", 7, in: folder)
    case "the measured picture": try Self.draw("measured", 5, in: folder)
    case "a new sidecar":
      try folder.write(
        "beside.xmp",
        """
        <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
        <rdf:Description rdf:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='3'/></rdf:RDF></x:xmpmeta>
        """)
    case "a module": try folder.write("size.lua", "return 13")
    case "the script": try folder.write("s.lua", Self.script.replacing("columns = 2", with: "columns = 1"))
    case "an output less": try files.removeItem(atPath: folder("o/web/a.jpg"))
    case "a tile less": try files.removeItem(atPath: folder("o/zoom/m_files/0/0_0.jpg"))
    case "a touched output":
      try files.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: folder("o/web/a.jpg"))
    case "a linked folder":
      try files.removeItem(atPath: folder("in"))
      try files.createSymbolicLink(atPath: folder("in"), withDestinationPath: "second")
    default:
      let prefix = change == "no record" ? "record-" : "inputs-"
      let file = try #require(folder.files.first { $0.hasPrefix("o/.imghost/s.lua/\(prefix)") })
      if change == "no record" { try files.removeItem(atPath: folder(file)) }
      if change == "damaged inputs" {
        var bytes = folder.bytes(file)
        bytes[bytes.count / 2] ^= 1
        try folder.write(file, bytes)
      }
    }
    #expect(try Self.isRunAgain(folder))
    try OnlyChangedTests.run(folder, change == "no record" ? "--overwrite" : "--prune")
    try Self.settle(folder)
    #expect(try !Self.isRunAgain(folder))
  }

  /// An edited output is refused each time, and not taken for an unchanged one.
  @Test func noticesAnEditedOutput() throws {
    let folder = try Self.folder()
    try Self.settle(folder)
    try folder.write("o/web/a.jpg", folder.bytes("o/web/a.jpg") + [0])
    for _ in 0..<3 {
      usleep(60_000)
      try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 1)
    }
    #expect(try Self.isRunAgain(folder))
  }

  /// Options, arguments and variables that may change outputs count, and those of messages do not.
  @Test func noticesTheCommandLine() throws {
    let folder = try Self.folder()
    try Self.settle(folder)
    #expect(try Self.isRunAgain(folder, "--set", "a=1"))
    #expect(try Self.isRunAgain(folder, "--on-error", "continue"))
    #expect(try Self.isRunAgain(folder, "--hash"))
    #expect(try Self.isRunAgain(folder, "--confine"))
    #expect(try Self.isRunAgain(folder, "--manifest", "m.json"))
    #expect(try Self.isRunAgain(folder, "--depfile", "m.d"))
    #expect(try Self.isRunAgain(folder, "--report", "r.html"))
    #expect(try Self.isRunAgain(folder, arguments: ["more"]))
    #expect(try Self.isRunAgain(folder, environment: ["SOURCE_DATE_EPOCH": "1000000000"]))
    #expect(try Self.isRunAgain(folder, environment: ["TZ": "Asia/Tokyo"]))
    #expect(try Self.isRunAgain(folder, environment: ["PATH": "/usr/games"]))
    #expect(try !Self.isRunAgain(folder))
  }

  /// A script runs each time if its outcome may depend on anything else, or if it has more to say than lines that it
  /// prints.
  @Test(
    arguments: sampled([
      "print(os.date())", "print(os.time{ year = 2000, month = 1, day = 1 })", "local t = _G['o' .. 's'].time()",
      "load('x = 1')()", "img.glob('in/*.png')[1]:save('v.png'):await()",
      "img.glob('in/*.png')[1]:save('v.png'):on_done(function(r) print(r.kept) end)",
      "img.book('x.pdf', img.glob('in/*.png'), { password = 'p' })",
      "img.glob('in/*.png')[1]:plugin('vignette'):save('v.png')",
      "img.verify('book.pdf')", "img.locale('C')", "-- x\rprint(os.time())", "img.open('-'):stats()",
      "for i = 1, 3000 do print(('x'):rep(40)) end",
    ]))
  func runsOtherScripts(_ line: String) throws {
    let folder = try Self.folder(Self.script + line + "\n")
    try folder.write("book.pdf", try bookBytes(in: folder))
    try Self.settle(folder)
    #expect(try Self.isRunAgain(folder))
  }

  /// A script that looks at a file without making an output of it, and the file's contents before and after a change;
  /// nil for a missing file.
  private struct Look {
    let script: String
    let file: String
    let before, after: [UInt8]?

    init(_ script: String, _ file: String, _ before: [UInt8]?, _ after: [UInt8]?) {
      (self.script, self.file, self.before, self.after) = (script, file, before, after)
    }
  }

  private static func looks() throws -> [Look] {
    let rating =
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
      + "<rdf:Description xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='5'/></rdf:RDF></x:xmpmeta>"
    let profiles = (StandardProfile.displayP3.bytes, StandardProfile.adobeRGB.bytes)
    let picture = try Pixels(9, 9) { x, y in [UInt8(x * 20), UInt8(y * 20), 0] }.png()
    return [
      Look(
        "local ok, n = pcall(require, 'size.small') p:resize(ok and n or 9):save('v.png')", "size/small.lua",
        nil, Array("return 7".utf8)),
      Look(
        "local q = img.open('in/b.png', { sidecar = true }) p:resize(q.xmp['xmp:Rating'] and 8 or 9):save('v.png')",
        "in/b.xmp", nil, Array(rating.utf8)),
      Look("p:linear(1, p:to_profile('x.icc'):stats().mean[1] / 9):save('v.png')", "x.icc", profiles.0, profiles.1),
      Look("p:linear(1, p:to_profile('x.icc').exposure / 9):save('v.png')", "x.icc", profiles.0, profiles.1),
      Look("p:resize(p:to_profile('x.icc').bands):save('v.png')", "x.icc", profiles.0, nil),
      // Both folders have the name é, in two encodings.
      Look(
        "for _, q in ipairs(img.glob('g/**/*.png')) do q:save('{stem}.png') end p:save('p.png')", "g/\u{e9}/c.png", nil,
        picture),
      Look(
        "for _, q in ipairs(img.glob('g/**/*.png')) do q:save('{stem}.png') end p:save('p.png')", "g/e\u{301}/c.png",
        nil, picture),
    ]
  }

  @Test(arguments: 0..<7)
  func noticesWhatIsOnlyLookedAt(_ number: Int) throws {
    let look = try Self.looks()[number]
    let folder = try Self.folder(
      "local img = require 'imghost' for i = 1, 300000 do end local p = img.open('in/a.png') \(look.script)\n")
    try OnlyChangedTests.draw("../g/\u{e9}/a", 3, in: folder)
    try OnlyChangedTests.draw("../g/e\u{301}/b", 4, in: folder)
    if let before = look.before { try folder.write(look.file, before) }
    try Self.settle(folder)
    #expect(try !Self.isRunAgain(folder))
    if let after = look.after {
      try folder.write(look.file, after)
    } else {
      try FileManager.default.removeItem(atPath: folder(look.file))
    }
    #expect(try Self.isRunAgain(folder))
    if look.after != nil { try OnlyChangedTests.run(folder) }
  }

  /// An output that the script no longer makes, and whose file is gone, is told when it comes back.
  @Test func noticesWhatComesBack() throws {
    let folder = try Self.folder()
    try Self.settle(folder)
    let earlier = folder.bytes("o/beside.jpg")
    try folder.write("s.lua", Self.script.replacing("save(\"./beside.jpg\")", with: "save(\"other.jpg\")"))
    try Self.settle(folder)
    #expect(try Self.isRunAgain(folder))
    try FileManager.default.removeItem(atPath: folder("o/beside.jpg"))
    try Self.settle(folder)
    #expect(try !Self.isRunAgain(folder))
    try folder.write("o/beside.jpg", earlier)
    #expect(try Self.isRunAgain(folder))
  }

  /// A link that is switched during a run leads to a file that is old, but that the script has not read.
  @Test func noticesSwitchedLinks() throws {
    let folder = try Self.folder(
      """
      local img = require 'imghost'
      local size = require 'lib.size'
      for i = 1, 30000000 do end
      img.open('in/a.png'):resize(size):save('v.png')

      """)
    try folder.write("one/size.lua", "return 9")
    try folder.write("two/size.lua", "return 8")
    let files = FileManager.default
    try files.createSymbolicLink(atPath: folder("lib"), withDestinationPath: "one")
    try Self.settle(folder)
    let run = Process()
    run.executableURL = URL(fileURLWithPath: Built.folder + "/imghost")
    run.arguments = ["run", "--only-changed", "--set", "other=1", "--out", "o", "s.lua"]
    run.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    run.standardError = FileHandle.nullDevice
    try run.run()
    usleep(100_000)
    try files.removeItem(atPath: folder("lib"))
    try files.createSymbolicLink(atPath: folder("lib"), withDestinationPath: "two")
    run.waitUntilExit()
    try OnlyChangedTests.run(folder)
  }

  /// What lies in the place of the inputs is neither written through nor waited for.
  @Test(arguments: ["link", "pipe"])
  func refusesOtherFiles(_ kind: String) throws {
    let folder = try Self.folder()
    try Self.settle(folder)
    let file = folder(try #require(folder.files.first { $0.hasPrefix("o/.imghost/s.lua/inputs-") }))
    try FileManager.default.removeItem(atPath: file)
    try folder.write("precious", "precious")
    if kind == "link" {
      try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: folder("precious"))
    } else {
      mkfifo(file, 0o644)
    }
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 2)
    #expect(folder.bytes("precious") == Array("precious".utf8))
  }

  private func bookBytes(in folder: Folder) throws -> [UInt8] {
    try folder.run("img.book('v.pdf', img.glob('in/*.png'))").expect(status: 0)
    return folder.bytes("v.pdf")
  }
}
