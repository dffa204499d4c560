import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Texts and names that a run depends on: any change of their bytes counts, however small.
struct ChangedTextTests {
  /// Two values in Lua that must give different outputs, although they look alike in some notation.
  static let pairs = [
    ("'\u{e9}'", "'e\u{301}'"), ("'\u{212b}'", "'\u{c5}'"), ("'a\\nb'", "'a\\tb'"), ("'a\\\\nb'", "'a\\nb'"),
    ("\"{ 'a' }\"", "\"{ 'b' }\""), ("'\\\\u{301}'", "'\u{301}'"),
  ]

  @Test(arguments: sampled(pairs)) func texts(before: String, after: String) throws {
    let folder = try OnlyChangedTests.folder(Self.script(before))
    try OnlyChangedTests.run(folder, written: 2)
    try folder.write("s.lua", Self.script(after))
    try OnlyChangedTests.run(folder, written: 2)
    try OnlyChangedTests.run(folder, written: 0)
  }

  private static func script(_ text: String) -> String {
    """
    local img = require "imghost"
    img.open("in/a.png"):with_metadata({ description = \(text) }):save("a.jpg")
    img.book("b.pdf", img.glob("in/*.png"), { subject = \(text), paper = "a7" })

    """
  }

  @Test func listsOfTexts() throws {
    func script(_ list: String) -> String {
      """
      local img = require "imghost"
      img.open("in/a.png"):with_metadata({ keywords = \(list) }):save("a.jpg")
      img.book("b.pdf", img.glob("in/*.png"), { captions = \(list), paper = "a7" })

      """
    }
    let lists = ["{ 'a', 'b' }", "{ \"a', 'b\" }", "{ 'a', \"'b'\" }", "{ \"a'\", 'b' }"]
    let folder = try OnlyChangedTests.folder(script(lists[0]))
    try OnlyChangedTests.run(folder, written: 2)
    for list in lists.dropFirst() {
      try folder.write("s.lua", script(list))
      try OnlyChangedTests.run(folder, written: 2)
    }
  }

  /// The names of pictures, wherever a book shows them.
  @Test(
    arguments: sampled([
      "{ caption = '{stem}' }", "{ header = '{name}' }", "{ outline = '{folder} > {stem}' }", "{ alt = 'A {stem}' }",
      "{ captions = { x = 'first', a = 'second' } }", "{ caption = '{stem}', layout = 'grid', columns = 1, rows = 2 }",
    ])) func namesOfPictures(options: String) throws
  {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      img.book("b.pdf", img.glob("in/*.png"), \(options))
      img.contact_sheet("c.pdf", img.glob("in/*.png"))

      """)
    try OnlyChangedTests.run(folder, written: 2)
    try FileManager.default.moveItem(atPath: folder("in/b.png"), toPath: folder("in/x.png"))
    try OnlyChangedTests.run(folder)
    try OnlyChangedTests.run(folder, written: 0)
  }

  /// A book that shows no names is not made again.
  @Test func namesThatNothingShows() throws {
    let folder = try OnlyChangedTests.folder(
      "require('imghost').book('b.pdf', require('imghost').glob('in/*.png'), { paper = 'a7' })")
    try OnlyChangedTests.run(folder, written: 1)
    try FileManager.default.moveItem(atPath: folder("in/b.png"), toPath: folder("in/x.png"))
    try OnlyChangedTests.run(folder, written: 0)
  }

  /// Names that differ only in their Unicode normalisation are two files, as sources and as outputs.
  @Test func namesThatCompareAsEqual() throws {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      for _, photo in ipairs(img.glob("in/*.png")) do photo:resize(20):save("w/{stem}.jpg") end
      img.book("b.pdf", img.glob("in/*.png"), { paper = "a7" })

      """)
    let (one, two) = ("\u{e9}", "e\u{301}")
    try OnlyChangedTests.draw(one, 5, in: folder)
    try OnlyChangedTests.draw(two, 6, in: folder)
    try OnlyChangedTests.run(folder, written: 5)
    try OnlyChangedTests.run(folder, written: 0)
    try OnlyChangedTests.draw(two, 7, in: folder)
    try OnlyChangedTests.run(folder, written: 2)
    let before = folder.bytes("o/w/\(one).jpg")
    try folder.write("o/w/\(two).jpg", "mine")
    let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    outcome.expect(status: 1, error: "o/w/\(two).jpg: the file was changed")
    #expect(folder.bytes("o/w/\(two).jpg") == Array("mine".utf8))
    #expect(folder.bytes("o/w/\(one).jpg") == before)
  }
}
