import Foundation
import ImageCore
import PictureTestSupport
import Testing

/// `--manifest`: sources and outputs with sizes and digests, for build tools.
struct ManifestTests {
  private static let schema = JSONSchema("manifest.schema.json")

  private func manifest(_ folder: Folder, _ name: String = "m.json") throws -> JSON {
    let text = String(decoding: folder.bytes(name), as: UTF8.self)
    #expect(Self.schema.problems(with: text) == [], "\(text)")
    return try #require(JSONReader.value(of: text))
  }

  @Test func listsWhatIsMadeOfWhat() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "rocket.jpg")
    let outcome = try folder.run(
      """
      local p = img.open("rocket.jpg")
      local mark = img.canvas(4, 4):save("mark.png"):await().files[1]
      for _, width in ipairs { 60, 30 } do
        p:fit(width, width):composite{ over = img.open(mark) }:save("{stem}-" .. width .. "-{hash:8}.webp")
      end
      img.book("b.pdf", { p:fit(90, 90), img.open(mark) })
      p:fit(40, 40):tiles("zoom/{stem}")
      p:save("given-up.png", { qos = "background" }):cancel()
      """, "--manifest", "m.json")
    outcome.expect(status: 0)
    let all = try manifest(folder)
    let sources = all["sources"]?.items ?? []
    #expect(sources.map { $0["path"]?.textValue } == ["mark.png", "rocket.jpg"])
    let rocket = sources[1]
    #expect(rocket["bytes"]?.integerValue == folder.bytes("rocket.jpg").count)
    #expect(rocket["sha256"]?.textValue == SHA256.digest(of: folder.bytes("rocket.jpg")).description)
    #expect((rocket["width"]?.integerValue ?? 0) > 100 && rocket["format"]?.textValue == "jpeg")
    let outputs = all["outputs"]?.items ?? []
    #expect(outputs.count == 6)
    #expect(outputs.map { $0["function"]?.textValue } == ["save", "save", "save", "book", "tiles", "save"])
    for output in outputs where output["state"]?.textValue == "written" {
      let path = output["path"]?.textValue ?? ""
      #expect(output["sha256"]?.textValue == SHA256.digest(of: folder.bytes(path)).description, "\(path)")
      #expect(output["bytes"]?.integerValue == folder.bytes(path).count)
    }
    let web = outputs[1]
    #expect(web["width"]?.integerValue == 60 && web["format"]?.textValue == "webp")
    #expect(web["sources"]?.items.map(\.textValue) == ["rocket.jpg", "mark.png"] && web["line"]?.integerValue == 5)
    #expect(outputs[3]["pages"]?.integerValue == 2 && outputs[3]["width"] == nil)
    #expect((outputs[4]["total_bytes"]?.integerValue ?? 0) > (outputs[4]["bytes"]?.integerValue ?? 0))
    #expect(outputs[5]["state"]?.textValue == "cancelled" && folder.temporaries == [])
  }

  /// Sizes of one picture stand together, each format for itself; a square tile and a gray copy are other pictures.
  @Test func sizesForBrowsers() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "in/my rocket.jpg")
    let outcome = try folder.run(
      """
      local p = img.open("in/my rocket.jpg")
      for _, width in ipairs { 61, 30, 47 } do
        p:resize(width):save("web/{stem}-" .. width .. ".jpg")
        p:resize(width):save("web/{stem}-" .. width .. ".webp", { note = { lang = "de", wide = width > 40 } })
      end
      p:fill(40, 40):save("web/tile.jpg")
      for _, width in ipairs { 61, 30 } do p:resize(width):grayscale():save("web/gray-" .. width .. ".jpg") end
      p:resize(20):save("web/only.png")
      """, "--manifest", "web/m.json")
    outcome.expect(status: 0)
    let all = try manifest(folder, "web/m.json")
    let sets = all["srcsets"]?.items ?? []
    #expect(
      sets.map { $0["srcset"]?.textValue } == [
        "my%20rocket-30.jpg 30w, my%20rocket-47.jpg 47w, my%20rocket-61.jpg 61w", "gray-30.jpg 30w, gray-61.jpg 61w",
        "my%20rocket-30.webp 30w, my%20rocket-47.webp 47w, my%20rocket-61.webp 61w",
      ], "\(sets)")
    #expect(sets.map { $0["type"]?.textValue } == ["image/jpeg", "image/jpeg", "image/webp"])
    #expect(sets[0]["source"]?.textValue == "../in/my rocket.jpg" && sets[0]["width"]?.integerValue == 61)
    let outputs = all["outputs"]?.items ?? []
    #expect(outputs[0]["url"]?.textValue == "my%20rocket-61.jpg" && outputs[0]["path"]?.textValue == "my rocket-61.jpg")
    #expect(all["sources"]?.items.first?["url"]?.textValue == "../in/my%20rocket.jpg")
    #expect(outputs[1]["note"]?.line == "{\"lang\":\"de\",\"wide\":true}" && outputs[0]["note"] == nil)
  }

  /// A mirrored picture, a quarter turn of a square, and a part with the same proportions are other pictures.
  @Test func otherViewsAreNoSizes() throws {
    let folder = try Folder()
    try folder.run("img.canvas(200, 200):save('a.png')").expect(status: 0)
    let outcome = try folder.run(
      """
      local p = img.open("a.png")
      local part = p:crop(0, 0, 100, 100)
      p:resize(40):save("40.png") p:resize(80):sharpen(1):save("80.png") p:thumbnail(60):save("60.png")
      p:flop():resize(50):save("m50.png") p:resize(70):rotate(90):save("t70.png")
      part:resize(30):save("c30.png") part:save("c100.png")
      """, "--manifest", "m.json")
    outcome.expect(status: 0)
    let sets = try manifest(folder)["srcsets"]?.items ?? []
    #expect(
      sets.map { $0["srcset"]?.textValue } == ["40.png 40w, 60.png 60w, 80.png 80w", "c30.png 30w, c100.png 100w"],
      "\(sets)")
  }

  /// Pages of one file are several pictures.
  @Test func pagesHaveSizesOfTheirOwn() throws {
    let folder = try Folder()
    let made = try folder.run("img.multipage('a.tif', { img.canvas(60, 40), img.canvas(60, 40):invert() })")
    made.expect(status: 0)
    let outcome = try folder.run(
      """
      for n, page in ipairs(img.pages("a.tif")) do
        for _, width in ipairs { 30, 60 } do page:resize(width):save("p" .. n .. "-" .. width .. ".png") end
      end
      """, "--manifest", "m.json")
    outcome.expect(status: 0)
    let sets = try manifest(folder)["srcsets"]?.items ?? []
    #expect(
      sets.map { $0["srcset"]?.textValue } == ["p1-30.png 30w, p1-60.png 60w", "p2-30.png 30w, p2-60.png 60w"],
      "\(sets)")
    #expect(sets.map { $0["page"]?.integerValue } == [nil, 2])
  }

  @Test func anyValueIsANote() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      #"""
      local p = img.canvas(4, 4)
      p:save("a.png", { note = { "x", 1, 2.5, true, { deep = { list = {} } }, ["\"é\n"] = nil } })
      p:save("b.png", { note = "only a text" })
      img.book("c.pdf", p, { note = { placeholder = p:placeholder{ format = "data-uri" } } })
      p:tiles("t", { note = false })
      img.multipage("d.tif", { p, p }, { note = { z = 1, a = -2 } })
      """#, "--manifest", "m.json")
    outcome.expect(status: 0)
    let notes = try manifest(folder)["outputs"]?.items.map { $0["note"]?.line } ?? []
    #expect(notes[0] == #"["x",1,2.5,true,{"deep":{"list":[]}}]"# && notes[1] == #""only a text""#, "\(notes)")
    #expect(notes[2]?.hasPrefix(#"{"placeholder":"data:image/png;base64,"#) ?? false)
    let address = try #require(JSONReader.value(of: notes[2] ?? "")?["placeholder"]?.textValue)
    let png = try #require(Data(base64Encoded: String(address.dropFirst("data:image/png;base64,".count))))
    try folder.write("p.png", [UInt8](png))
    let pixels = try Pixels(file: folder("p.png"))
    #expect(pixels.width == 4 && pixels.height == 4 && pixels[0, 0] == [255, 255, 255])
    #expect(notes[3] == "false" && notes[4] == #"{"a":-2,"z":1}"#, "\(notes)")
  }

  /// A note changes no file: an untouched picture is copied, and equal calls share what they share.
  @Test func notesChangeNoFile() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "rocket.jpg")
    let outcome = try folder.run("img.open('rocket.jpg'):save('a.jpg', { note = { a = 1 } })")
    #expect(outcome.status == 0 && folder.bytes("a.jpg") == folder.bytes("rocket.jpg"), "\(outcome)")
  }

  @Test(arguments: [
    ("print", "t.lua:2: save: 'note' takes a text, a number, true or false, or a table of these, not a function"),
    ("{ a = { 1, print } }", "'note.a[2]' takes a text, a number, true or false, or a table of these, not a function"),
    ("{ a = img.canvas(2, 2) }", "'note.a' takes a text, a number, true or false, or a table of these, not a picture"),
    ("{ a = 1/0 }", "'note.a' takes numbers that JSON has, not inf"),
    ("{ 1, a = 2 }", "'note' takes a text, a number, true or false, or a table of these, not a table with names"),
    ("('x'):rep(70000)", "'note' takes at most 64 KiB, not more"), ("'\\xff'", "not a string that is not UTF-8"),
    ("(function() local t = {} t.t = t return t end)()", "'note.t' takes a text, a number"),
    ("(function() local t = 1 for i = 1, 40 do t = { t } end return t end)()", "table"),
  ])
  func notesThatCannotBe(note: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.canvas(2, 2):save('a.png', { note = \(note) })")
    outcome.expect(status: 3, error: message)
    #expect(outcome.error.contains("t.lua:2: save: 'note"), "\(outcome)")
  }

  @Test func failuresAreListed() throws {
    let folder = try Folder()
    try folder.write(
      "cut.jpg", [UInt8](try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/rocket.jpg")).prefix(9_000)))
    let outcome = try folder.run(
      "img.open('cut.jpg'):save('{hash}.png') img.canvas(2, 2):save('b.png')", "--manifest", "m.json", "--on-error",
      "continue")
    outcome.expect(status: 1)
    let outputs = try manifest(folder)["outputs"]?.items ?? []
    #expect(outputs.map { $0["state"]?.textValue } == ["failed", "written"])
    #expect(
      outputs[0]["path"]?.textValue == "{hash}.png" && outputs[0]["message"]?.textValue?.contains("cut.jpg") ?? false)
    #expect(try manifest(folder)["status"]?.integerValue == 1)
  }

  /// A build tool sees the last run that has done something.
  @Test func mistakesLeaveTheLastOne() throws {
    let folder = try Folder()
    #expect(try folder.run("img.canvas(2, 2):save('a.png')", "--manifest", "m.json").status == 0)
    let before = folder.bytes("m.json")
    #expect(try folder.run("img.canvas(0, 2):save('a.png')", "--manifest", "m.json").status == 3)
    #expect(try folder.run("img.canvas(2, 2):save('a.png')", "--manifest", "m.json", "--dry-run").status == 0)
    #expect(folder.bytes("m.json") == before && folder.temporaries == [])
    #expect(try folder.run("img.canvas(3, 2):save('a.png')", "--manifest", "m.json").status == 0)
    #expect(folder.bytes("m.json") != before)
  }

  /// A pipe holds nothing that could be looked at later.
  @Test func pipesAreLeftOut() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.canvas(2, 2):save('-', { format = 'ppm' }) img.canvas(2, 2):save('a.png')", "--manifest", "m.json")
    outcome.expect(status: 0)
    let outputs = JSONReader.value(of: String(decoding: folder.bytes("m.json"), as: UTF8.self))?["outputs"]?.items ?? []
    #expect(outputs.compactMap { $0["path"]?.textValue } == ["a.png"])
  }

  @Test func refusals() throws {
    let folder = try Folder()
    try folder.write("notes.json", "{}")
    let script = "img.canvas(2, 2):save(arg[1] or 'a.png')"
    for (path, message) in [
      ("t.lua", "expected a file other than the script"), ("notes.json", "the file exists and is not a manifest"),
      ("none/", "it is a folder, not a file"),
    ] {
      let outcome = try folder.run(script, "--manifest", path)
      outcome.expect(status: 2, error: message)
    }
    let own = try folder.run(script, "--manifest", "m.png", arguments: ["m.png"])
    #expect(own.error.contains("--manifest writes this file; save elsewhere"), "\(own)")
    let shard = try folder.run(script, "--manifest", "m.json", "--shard", "0/2")
    shard.expect(status: 2, error: "give it to 'imghost merge'")
    let both = try folder.run(script, "--manifest", "m.json", "--trace", "m.json")
    both.expect(status: 2, error: "a file other than --trace")
    #expect(folder.files == ["notes.json", "t.lua"])
  }

  @Test func mergeWritesThatOfTheWholeRun() throws {
    let folder = try Folder()
    try folder.write(
      "s.lua",
      """
      local img = require "imghost"
      local small = img.glob(arg[1] .. "/*.jpg"):take(3):map(function(p) return p:fit(50, 50) end)
      small:save("{stem}-{hash:8}.jpg")
      img.book("b.pdf", small)
      """)
    #expect(try folder.imghost("run", "--manifest", "whole.json", "s.lua", Built.photos).status == 0)
    for shard in 0..<2 {
      #expect(try folder.imghost("run", "--shard", "\(shard)/2", "s.lua", Built.photos).status == 0)
    }
    let merge = try folder.imghost("merge", "--manifest", "merged.json", "s.lua", Built.photos)
    merge.expect(status: 0)
    #expect(folder.bytes("merged.json") == folder.bytes("whole.json"))
  }

  /// `auto_orient` turns each picture by its own metadata, which the sizes of one source have in common.
  @Test func orientedPictures() throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(40, 30).png())
    for options in [
      ["--manifest", "m.json"], ["--manifest", "m.sha256"], ["--report", "r.html"], ["--only-changed"],
    ] {
      let code = """
        local p = img.open('a.png', { orient = false }):auto_orient()
        for _, width in ipairs{ 10, 20 } do p:resize(width):save('{stem}-' .. width .. '.jpg') end
        """
      try folder.write("s.lua", "local img = require 'imghost' " + code)
      try folder.imghost(["run", "--out", "o"] + options + ["s.lua"]).expect(status: 0, error: "2 files written")
    }
    #expect(String(decoding: folder.bytes("m.json"), as: UTF8.self).contains("o/a-10.jpg 10w, o/a-20.jpg 20w"))
  }
}
