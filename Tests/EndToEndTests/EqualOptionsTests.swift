import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Options that are written in another way, and mean the same, make nothing again with `--only-changed`.
struct EqualOptionsTests {
  private static let pairs = [
    ("p:save('o.jpg')", "p:save('o.jpg', { quality = 85, progressive = false, background = 'white' })"),
    ("p:resize(9):save('o.jpg', { quality = 85 })", "p:resize(9):save('o.jpg', { quality = 85.0 })"),
    ("p:resize(9):save('o.png')", "p:resize(9):save('o.png', { metadata = 'all', profile = 'keep' })"),
    ("p:resize(9):save('o.webp', { lossless = false })", "p:resize(9):save('o.webp', { quality = 80 })"),
    ("p:save('o.jpg', { background = '#ff0000' })", "p:save('o.jpg', { background = { 255, 0, 0 } })"),
    ("p:save('o.jpg', { max_bytes = 2000 })", "p:save('o.jpg', { max_bytes = '2k' })"),
    ("p:resize(9)", "p:resize{ width = 9 }"), ("p:resize(9, 12)", "p:resize(9, 12, { fit = 'cover' })"),
    ("p:levels(10, 200)", "p:levels(10, 200, { gamma = 1 })"), ("p:levels{}", "p:levels{ black = 0, white = { 255 } }"),
    ("p:linear{ a = 1.2 }", "p:linear{ a = { 1.2 }, b = 0 }"),
    ("p:plugin('vignette')", "p:plugin('vignette', { strength = 0.5 })"),
    (
      "p:composite{ over = img.text('x') }:save('o.png')",
      "p:composite{ over = img.text('x', { colour = 'black' }) }:save('o.png')"
    ),
    ("p:save('o.jpg')", "p:save('o.jpg', { format = 'jpeg' })"),
    ("p:save('o.bmp')", "p:with_metadata{ title = 'x' }:save('o.bmp')"),
    ("p:with_metadata{ title = 'x' }:tiles('o', { size = 16 })", "p:tiles('o', { size = 16 })"),
    ("p:save('o.webp', { metadata = 'none' })", "p:with_metadata{ title = 'x' }:save('o.webp', { metadata = 'none' })"),
    ("p:gamma(1)", "p:gamma(1.0)"), ("p:blur(2)", "p:blur{ sigma = 2.0 }"),
    ("p:extend{ right = 3, background = 'white' }", "p:extend{ right = 3, background = '#fff', left = 0 }"),
    ("p:tiles('o', { size = 16 })", "p:tiles('o', { size = 16, layout = 'deepzoom', quality = 85, format = 'jpg' })"),
    ("p:tiles('o', { size = 254 })", "p:tiles('o', { overlap = 1 })"),
    ("p:tiles('o', { layout = 'iiif', size = 256 })", "p:tiles('o', { layout = 'iiif' })"),
    ("img.multipage('o.tif', { p })", "img.multipage('o.tif', { p }, { compression = 'deflate' })"),
    ("img.animation('o.webp', { p, p })", "img.animation('o.webp', { p, p }, { delay = 0.1, loop = 0 })"),
    ("p:resize('50%')", "p:resize('50.0%')"),
    ("p:fill(9, 12, { position = 'top' })", "p:fill(9, 12, { position = 'north' })"),
    ("p:resize(9, 12, { position = 'center' })", "p:resize(9, 12)"),
    ("p:text('x', { margin = '5%' })", "p:text('x', { margin = '5.00%', size = '5%', position = 'centre' })"),
    (
      "p:resize(9):save('o.jpg', { metadata = { keep = { 'date', 'copyright' } } })",
      "p:resize(9):save('o.jpg', { metadata = { keep = { 'copyright', 'date', 'date' } } })"
    ),
    ("p:to_profile('a.icc')", "p:to_profile('./b.icc', { intent = 'relative' })"),
    ("p:save('o.png', { profile = 'a.icc' })", "p:save('o.png', { profile = 'b.icc' })"),
    (
      "img.book('o.pdf', { p }, { conformance = 'pdf/x-4', title = 'x', paper = 'a6', output_intent = 'cmyk.icc' })",
      "img.book('o.pdf', { p }, { conformance = 'pdf/x-4', title = 'x', paper = 'a6', output_intent = './copy.icc' })"
    ),
    (
      "img.plugin('test_card', { width = 16, height = 16 }):save('o.png')",
      "img.plugin('test_card', { width = 16, height = 16, depth = 8, level = 0.75 }):save('o.png')"
    ),
    (
      "img.book('o.pdf', { p }, { paper = 'a6', caption = 'x' })",
      "img.book('o.pdf', { p }, { paper = 'a6', caption = 'x', margin = '0mm', border = 0, caption_colour = '#000' })"
    ),
    (
      "p:with_metadata{ title = 'a.png' }:save('o.png')",
      "p:with_metadata{ title = 'a.png' }:save('o.png', { profile = 'keep' })"
    ),
    ("img.open('a.svg'):save('o.png')", "img.open('a.svg', { dpi = 96 }):save('o.png')"),
    ("img.open('a.svg', { dpi = 50 }):save('o.png')", "img.open('a.svg', { dpi = 50.0, page = 1 }):save('o.png')"),
    ("img.animation('o.webp', { p })", "img.animation('o.webp', { p }, { lossless = false })"),
    (
      "img.book('o.pdf', { p }, { background = 'white', margin = 10 })",
      "img.book('o.pdf', { p }, { background = '#ffffff', margin = '10.0 pt' })"
    ),
    (
      "img.book('o.pdf', { p }, { paper = 'a6', margin = '3mm', quality = 90 })",
      "img.book('o.pdf', { p }, { paper = 'a6', margin = '0.3cm', shadow = '0', verify = false })"
    ),
  ]

  @Test(arguments: pairs) func makesNothing(_ earlier: String, _ later: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(40, 30).png())
    try folder.write(
      "a.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><path d='M3 4h9v9'/></svg>")
    for name in ["cmyk.icc", "copy.icc"] { try folder.write(name, StandardProfile.cmyk.bytes) }
    for name in ["a.icc", "b.icc"] { try folder.write(name, StandardProfile.displayP3.bytes) }
    func run(_ call: String, in output: String) throws -> Outcome {
      let saves = ["save", "tiles", "img."].contains { call.contains($0) }
      try folder.write(
        "s.lua", "local img = require 'imghost' local p = img.open('a.png') \(call)\(saves ? "" : ":save('o.png')")")
      return try folder.imghost(
        "run", "--only-changed", "--explain", "--out", output, "s.lua",
        environment: ["SOURCE_DATE_EPOCH": "1600000000"])
    }
    try run(earlier, in: "o").expect(status: 0)
    try run(later, in: "fresh").expect(status: 0)
    for file in folder.files where file.hasPrefix("fresh/o") {
      #expect(folder.bytes(file) == folder.bytes("o" + file.dropFirst(5)), "\(file)")
    }
    for call in [later, earlier] {
      let outcome = try run(call, in: "o")
      #expect(outcome.error.contains("0 files written"), "\(outcome)")
    }
  }

  /// `--explain` shows the default of an option that is given only once.
  @Test(arguments: [
    ("p:save('o.jpg')", "p:save('o.jpg', { quality = 90 })", "quality 85 → 90"),
    ("p:save('o.jpg', { quality = 90 })", "p:save('o.jpg')", "quality 90 → 85"),
    (
      "p:resize(9, 9):save('o.jpg')", "p:resize(9, 9, { fit = 'contain' }):save('o.jpg')",
      "resize fit 'cover' → 'contain'"
    ),
    ("p:tiles('o', { size = 16 })", "p:tiles('o', { size = 16, quality = 7 })", "quality 85 → 7"),
    ("img.book('o.pdf', { p:blur(1) })", "img.book('o.pdf', { p:blur(1) }, { quality = 7 })", "quality 90 → 7"),
    ("img.open('a.svg'):save('o.png')", "img.open('a.svg', { dpi = 50 }):save('o.png')", "open dpi 96 → 50"),
  ]) func explainsDefaults(_ earlier: String, _ later: String, _ reason: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(40, 30).png())
    try folder.write(
      "a.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><path d='M3 4h9v9'/></svg>")
    for (call, reason) in [(earlier, "it is new"), (later, reason)] {
      try folder.write("s.lua", "local img = require 'imghost' local p = img.open('a.png') \(call)")
      let outcome = try folder.imghost("run", "--only-changed", "--explain", "--out", "o", "s.lua")
      outcome.expect(status: 0, error: reason)
    }
  }

  /// Options that look like the defaults, and change bytes.
  @Test(arguments: [
    // A quality that is given is the highest that a goal may choose.
    ("p:save('o.jpg', { max_bytes = '9k' })", "p:save('o.jpg', { max_bytes = '9k', quality = 85 })"),
    // Any option of the format means that the file is not copied.
    ("img.open('b.jpg'):save('o.jpg')", "img.open('b.jpg'):save('o.jpg', { quality = 85 })"),
  ]) func makesWhatDiffers(_ earlier: String, _ later: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(40, 30).png())
    try folder.imghost("convert", "a.png", "-o", "b.jpg", "--quality", "95").expect(status: 0)
    for (call, written) in [(earlier, 1), (later, 1), (later, 0), (earlier, 1)] {
      try folder.write("s.lua", "local img = require 'imghost' local p = img.open('a.png') \(call)")
      let outcome = try folder.imghost("run", "--only-changed", "--explain", "--out", "o", "s.lua")
      #expect(outcome.error.contains("\(written) file\(written == 1 ? "" : "s") written"), "\(outcome)")
      try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
      #expect(folder.bytes("o/o.jpg") == folder.bytes("fresh/o.jpg"))
    }
  }

  /// The time zone affects only books with drawn texts.
  @Test(arguments: [
    "book('o.pdf', { p })", "book('o.pdf', { p }, { caption = '{stem}' })", "book('o.pdf', { p }, { header = 'x' })",
    "book('o.pdf', { p }, { title = 'x', outline = '{stem}' })", "book('o.pdf', { p }, { colophon = 'x' })",
    "book('o.pdf', { p, p }, { layout = 'auto', paper = 'a6' })",
    "book('o.pdf', { p, p }, { layout = 'auto', paper = 'a6', title = 'x' })",
    "book('o.pdf', { img.hint(p, { caption = 'x' }), p }, { layout = 'auto', paper = 'a6' })",
    "book('o.pdf', { img.page { text = 'x' }, p }, { layout = 'auto', paper = 'a6' })",
    "book('o.pdf', { p }, { paper = 'a6', crop_marks = true, bleed = '3mm' })", "contact_sheet('o.pdf', { p, p })",
    "book('o.pdf', { p }, { layout = 'cover', paper = 'a6', cover_pages = 40, paper_thickness = '0.1mm' })",
    "book('o.pdf', { p }, { layout = 'cover', paper = 'a6', cover_pages = 90, paper_thickness = '0.3mm', spine_text = 'x' })",
  ])
  func textsOfBooks(_ call: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(400, 300).png())
    try folder.write("s.lua", "local img = require 'imghost' local p = img.open('a.png') img.\(call)")
    var made = [1, 0]
    for zone in ["UTC", "UTC", "Asia/Tokyo"] {
      let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua", environment: ["TZ": zone])
      let count = made.removeFirst()
      #expect(outcome.error.contains("\(count) file\(count == 1 ? "" : "s") written"), "\(outcome)")
      if made.isEmpty { made = [folder.bytes("o/o.pdf").firstRange(of: Array("/FontFile".utf8)) == nil ? 0 : 1] }
    }
  }

  /// Pictures of texts depend on fonts and language, in every kind of output.
  @Test(arguments: [
    "img.text('x'):save('o.png')", "img.open('a.png'):composite { over = img.text('x') }:save('o.png')",
    "img.book('o.pdf', { img.text('x') }, { paper = 'a6' })", "img.text('x'):tiles('o')",
    "img.multipage('o.tif', { img.text('x') })",
  ])
  func picturesOfTexts(_ call: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(400, 300).png())
    try folder.write("s.lua", "local img = require 'imghost' \(call)")
    for (language, count) in [("C.UTF-8", 1), ("C.UTF-8", 0), ("zh_CN.UTF-8", 1)] {
      let outcome = try folder.imghost(
        "run", "--only-changed", "--out", "o", "s.lua", environment: ["LC_ALL": language])
      #expect(outcome.error.contains("\(count) file\(count == 1 ? "" : "s") written"), "\(outcome)")
    }
  }

  /// A job that writes several formats has other defaults for each.
  @Test(arguments: [85, 80]) func defaultsOfEachFormat(_ quality: Int) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(40, 30).png())
    for format in ["jpg", "webp"] {
      try folder.run("img.open('a.png'):save('in/\(format).\(format)')").expect(status: 0)
    }
    func run(_ options: String, _ output: String) throws -> Outcome {
      try folder.write(
        "s.lua",
        "local img = require 'imghost' img.glob('in/*'):map(function(p) return p:resize(20) end):save('{name}', {\(options)})"
      )
      return try folder.imghost("run", "--only-changed", "--out", output, "s.lua")
    }
    try run("", "o").expect(status: 0)
    try run("quality = \(quality)", "o").expect(status: 0, error: "1 file written")
    try run("quality = \(quality)", "fresh").expect(status: 0)
    for name in ["jpg.jpg", "webp.webp"] {
      #expect(folder.bytes("o/" + name) == folder.bytes("fresh/" + name), "\(name)")
    }
  }

  /// A file with the pixels of an output is not taken for an output of another format.
  @Test func formatsOfEqualPixels() throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(40, 30).png())
    let names = ["a.jpg", "b.png", "c.bmp", "d.ppm"]
    for name in names { try folder.copy(folder("a.png"), to: "in/" + name) }
    try folder.write(
      "s.lua", "local img = require 'imghost' img.glob('in/*'):map(function(p) return p:resize(20) end):save('{name}')")
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    for name in names {
      try FileManager.default.removeItem(atPath: folder("o/" + name))
      try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0, error: "1 file written")
      #expect(folder.bytes("o/" + name) == folder.bytes("fresh/" + name), "\(name)")
    }
  }
}
