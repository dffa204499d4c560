import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// `quality` of JPEG 2000 goes from 1 to 100, as that of JPEG; `psnr` is what it was.
@Suite(.wholeRuns) struct JPEG2000QualityTests {
  private static let note =
    "'quality' of JPEG 2000 files is 1 to 100 now, as for JPEG; set 'psnr' to 40 for the earlier meaning"

  /// The files of photographs have about the size of JPEGs, and grow with the quality.
  @Test func sizesAreThoseOfJPEG() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for i, p in ipairs{ img.open(arg[1] .. "/rocket.jpg"), img.open(arg[1] .. "/coffee.png") } do
        for _, q in ipairs{ 1, 10, 25, 50, 75, 85, 90, 95, 96, 100 } do
          for _, ending in ipairs{ "jpg", "jp2" } do
            p:save(i .. "-" .. q .. "." .. ending, { quality = q, metadata = "none" })
          end
        end
        p:save(i .. ".jp2", { metadata = "none" })
        p:save(i .. "-psnr.jp2", { psnr = 48, metadata = "none" })
      end
      """, arguments: [Built.photos])
    outcome.expect(status: 0)
    // Once a run.
    #expect(outcome.messages.count { $0.contains("JPEG 2000") } == 1, "\(outcome)")
    for picture in 1...2 {
      var last = 0
      for quality in [1, 10, 25, 50, 75, 85, 90, 95, 96, 100] {
        let sizes = ["jpg", "jp2"].map { folder.bytes("\(picture)-\(quality).\($0)").count }
        #expect(sizes[1] > last, "\(picture) \(quality) \(sizes)")
        last = sizes[1]
        if quality >= 10 { #expect((0.5...2.5).contains(Double(sizes[1]) / Double(sizes[0])), "\(quality) \(sizes)") }
      }
      // The default has stayed what it was.
      #expect(folder.bytes("\(picture).jp2") == folder.bytes("\(picture)-96.jp2"))
      #expect(folder.bytes("\(picture).jp2") == folder.bytes("\(picture)-psnr.jp2"))
    }
  }

  @Test(
    arguments: [
      ("img.canvas(9, 9):save('a.jp2', { quality = 40 })", true),
      ("img.canvas(9, 9):save('a.bin', { format = 'jp2', quality = 40 })", true),
      ("img.canvas(9, 9):save('a.j2k', { quality = 40, max_bytes = '9k' })", true),
      ("img.canvas(9, 9):tiles('a', { format = 'jp2', quality = 40 })", true),
      ("for i = 1, 3 do img.canvas(9, 9):save(i .. '.jp2', { quality = 40 }) end", true),
      (
        "img.canvas(9, 9):save('a.jp2', { quality = 40 }):await() img.canvas(9, 9):save('b.jp2', { quality = 40 })",
        true
      ),
      ("img.canvas(9, 9):save('a.jp2')", false), ("img.canvas(9, 9):save('a.jp2', { psnr = 40 })", false),
      ("img.canvas(9, 9):save('a.jp2', { quality = 40, lossless = true })", false),
      ("img.canvas(9, 9):save('a.jpg', { quality = 40 })", false),
      ("img.canvas(9, 9):save('a.jp2', { max_bytes = '9k' })", false),
    ])
  func theChangeIsNoted(_ script: String, _ isNoted: Bool) throws {
    let folder = try Folder()
    for command in ["check", "run"] {
      _ = try folder.run(script)
      let outcome = try folder.imghost(command, "t.lua")
      outcome.expect(status: 0)
      #expect(outcome.messages.count { $0.hasSuffix(": note: " + Self.note) } == (isNoted ? 1 : 0), "\(outcome)")
    }
  }

  @Test(arguments: [
    ("psnr = 40, quality = 50", "'quality' and 'psnr' both choose what is lost; leave out one of them"),
    ("psnr = 40, max_bytes = '9k'", "'max_bytes' finds a quality, and 'psnr' takes its place; leave out 'psnr'"),
    ("psnr = 40, target = 0.9", "'target' finds a quality, and 'psnr' takes its place; leave out 'psnr'"),
    (
      "lossless = true, max_bytes = '9k'",
      "'max_bytes' finds a quality, and lossless files have none; leave out 'lossless'"
    ),
    ("quality = 101", "'quality' is 101; it takes a whole number from 1 to 100"),
    ("psnr = 101", "'psnr' is 101; it takes a number from 0 to 100"),
  ])
  func mistakes(_ options: String, _ message: String) throws {
    let outcome = try Folder().run("img.canvas(9, 9):save('a.jp2', { \(options) })")
    outcome.expect(status: 3, error: "t.lua:2: save: \(message)")
  }

  /// A search ends at the quality of a plain `save`, and a line of words has both options.
  @Test func goalsAndOneLiners() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    let found = try folder.run(
      """
      local p = img.open("a.jpg"):resize(200)
      p:save("size.jp2", { max_bytes = "6k" })
      p:save("likeness.jp2", { target = 0.97 })
      for q = 1, 100 do p:save("all/" .. q .. ".jp2", { quality = q }) end
      """)
    found.expect(status: 0)
    let all = (1...100).map { folder.bytes("all/\($0).jp2") }
    let small = folder.bytes("size.jp2")
    #expect(small.count <= 6_000 && small == all.last { $0.count <= 6_000 })
    #expect(all.contains(folder.bytes("likeness.jp2")))
    let line = try folder.imghost("convert", "a.jpg", "--resize", "200", "-o", "b.jp2", "--quality", "40")
    #expect(line.status == 0 && line.error.contains("note: " + Self.note), "\(line)")
    #expect(folder.bytes("b.jp2") == all[39])
    let psnr = try folder.imghost("convert", "a.jpg", "--resize", "200", "-o", "c.jp2", "--psnr", "48")
    #expect(psnr.status == 0 && folder.bytes("c.jp2") == all[95], "\(psnr)")
  }
}
