import Foundation
import TestSupport
import Testing

/// Covers with texts on their spines and fronts.
@Suite(.wholeRuns) struct BookSpineTests {
  /// Returns each word of a page, with the distances of its start from the left and upper edges, from pdftotext.
  private func words(_ path: String) throws -> [(word: String, x: ClosedRange<Double>, y: Double)]? {
    guard let outcome = try SecondOpinions.run("pdftotext", ["-bbox", path, "-"]) else { return nil }
    return outcome.text.split(separator: "\n").compactMap { line in
      guard line.contains("<word ") else { return nil }
      let values = line.split(separator: "\"").map(String.init)
      guard values.count >= 9, let left = Double(values[1]), let top = Double(values[3]), let right = Double(values[5])
      else { return nil }
      let word = values[8].dropFirst().prefix { $0 != "<" }
      return (String(word), left...right, top)
    }
  }

  /// Two pages of 100 mm and a spine of 10, 3 mm of bleed and 20 points for marks.
  @Test(arguments: ["down", "up"]) func standsOnTheSpine(runs: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(90, 90, { background = "navy" })
      local r = img.book("c.pdf", { p, p }, { layout = "cover", paper = "100mm x 100mm", fit = "cover",
        cover_pages = 100, paper_thickness = "0.1mm", cover_thickness = "2.5mm", bleed = "3mm",
        crop_marks = true, verify = true, conformance = "pdf/a-1b", lang = "en", alt = "Sea",
        spine_text = { text = "Summer Лето 1999", font = "DejaVu Sans", runs = "\(runs)", colour = "white",
          background = "black" } }):await()
      assert(r.ok and r.verified and r.pages == 1, r.errors[1])
      """)
    #expect(outcome.status == 0 && !outcome.error.contains("note:"), "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("c.pdf"))
    try SecondOpinions.expectPDFA1b(folder("c.pdf"))
    guard let words = try words(folder("c.pdf")) else { return }
    #expect(words.map(\.word) == ["Summer", "Лето", "1999"], "\(words)")
    let start = 20 + 103 * 72 / 25.4
    for word in words {
      #expect(word.x.lowerBound > start && word.x.upperBound < start + 10 * 72 / 25.4, "\(word)")
    }
    let tops = words.map(\.y)
    #expect(runs == "down" ? tops == tops.sorted() : tops == tops.sorted(by: >), "\(words)")
  }

  /// The same cover, with a title and marks at its folds.
  @Test(.thorough, arguments: ["left-to-right", "right-to-left"])
  func aTitleStandsOnTheFront(direction: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(90, 90, { background = "navy" })
      local r = img.book("c.pdf", { p, p }, { layout = "cover", paper = "100mm x 100mm", fit = "cover",
        cover_thickness = "5mm", bleed = "3mm", crop_marks = true, verify = true, conformance = "pdf/a-1b",
        lang = "en", alt = "Sea", reading_direction = "\(direction)", spine_text = "Walks",
        front_title = { text = "Our\\nwalks Лето", font = "DejaVu Serif", size = 24, colour = "white",
          position = "top", background = "black" } }):await()
      assert(r.ok and r.verified and r.pages == 1, r.errors[1])
      assert(img.verify("c.pdf", { text = { "Our", "walks Лето" }, fonts = "embedded" }).ok)
      """)
    #expect(outcome.status == 0 && !outcome.error.contains("note:"), "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("c.pdf"))
    try SecondOpinions.expectPDFA1b(folder("c.pdf"))
    guard let words = try words(folder("c.pdf")) else { return }
    let title = words.filter { ["Our", "walks", "Лето"].contains($0.word) }
    #expect(title.count == 3, "\(words)")
    let millimetre = 72 / 25.4
    let left = 20 + (direction == "left-to-right" ? 113 : 3) * millimetre
    for word in title {
      #expect(word.x.lowerBound > left && word.x.upperBound < left + 100 * millimetre, "\(word)")
      #expect(word.y > 20 + 13 * millimetre - 1 && word.y < 20 + 45 * millimetre, "\(word)")
    }
  }

  /// A title that was moved after it was written is found.
  @Test func aTitleIsVerified() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("c.pdf", img.canvas(90, 40, { background = "navy" }), { layout = "cover", paper = "a6",
        front_title = "A summer", front_title_background = "white" })
      """)
    outcome.expect(status: 0)
    #expect(try folder.imghost("verify", "c.pdf").status == 0)
    var bytes = folder.bytes("c.pdf")
    // It begins in the right half of 600 points.
    let old = Array(" Tf 1 0 0 1 3".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: old) })
    bytes[place + old.count - 1] = UInt8(ascii: "1")
    try folder.write("d.pdf", bytes)
    let changed = try folder.imghost("verify", "d.pdf")
    changed.expect(status: 4)
    #expect("\(changed)".contains("the text 'A summer' "), "\(changed)")
  }

  /// Text that was turned around after it was written is found.
  @Test func isVerified() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("c.pdf", img.canvas(90, 40, { background = "navy" }), { layout = "cover", paper = "a6",
        cover_thickness = "5mm", spine_text = "A summer" })
      """)
    outcome.expect(status: 0)
    #expect(try folder.imghost("verify", "c.pdf").status == 0)
    var bytes = folder.bytes("c.pdf")
    let (old, new) = (Array("0 -1 1 0 ".utf8), Array("0 1 -1 0 ".utf8))
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: old) })
    bytes.replaceSubrange(place..<place + old.count, with: new)
    try folder.write("d.pdf", bytes)
    let changed = try folder.imghost("verify", "d.pdf")
    changed.expect(status: 4)
    #expect("\(changed)".contains("the text 'A summer' "), "\(changed)")
  }

  /// The cover of a thin book goes without, and says how thick it must be.
  @Test(arguments: [
    ("cover_thickness = \"2mm\"", "it needs a spine of 5 mm or more, and this one has 4 mm"),
    (
      "cover_thickness = \"1mm\", cover_pages = 10, paper_thickness = \"0.25mm\"",
      "it needs a spine of 5 mm or more, as 24 pages of this paper make, and this one has 3.25 mm"
    ), ("bleed = \"3mm\"", "and this one has 0 mm"),
  ])
  func aThinSpineHasNoText(options: String, note: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("c.pdf", img.canvas(90, 40), { layout = "cover", paper = "a6", verify = true, spine_text = { text = "Alps",
        size = 9 }, \(options) })
      """)
    outcome.expect(status: 0)
    #expect(outcome.error.contains("note: 'spine_text' is left out: ") && outcome.error.contains(note), "\(outcome)")
    guard let words = try words(folder("c.pdf")) else { return }
    #expect(words.isEmpty, "\(words)")
  }

  /// Between two pictures that reach to it, a spine has a colour of the front, on which its text can be read.
  @Test(arguments: ["left-to-right", "right-to-left"], ["", "conformance = \"pdf/x-1a\"", "binding = \"hardcover\""])
  func aSpineHasAColourOfTheFront(direction: String, options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local front = img.canvas(90, 90, { background = "#103060" })
      local back = img.canvas(90, 90, { background = "#e0c040" })
      img.book("c.pdf", { front, back }, { layout = "cover", paper = "100mm x 100mm", fit = "cover", title = "Sea",
        cover_thickness = "5mm", bleed = "3mm", reading_direction = "\(direction)", verify = true, spine_text = "Sea",
        \(options) })
      """)
    #expect(outcome.status == 0 && !outcome.error.contains("note:"), "\(outcome)")
    guard let page = try RenderedPage(folder("c.pdf"), in: folder) else { return }
    // The middle row, where no letters are, from picture to picture.
    let row = (0..<page.width).map { page.pixel($0, page.height / 8) }
    let first = try #require(row.firstIndex { $0.max()! < 250 }), last = try #require(row.lastIndex { $0.max()! < 250 })
    #expect(row[(first + 1)..<last].allSatisfy { $0.min()! < 150 }, "white between the pictures")
    let middle = row[(first + last) / 2]
    #expect(middle[2] > middle[0] && middle[0] < 90, "\(middle)")
    let letters = (0..<page.height).map { page.pixel((first + last) / 2, $0).min()! }
    #expect(letters.max()! > 180, "no white letters")
  }

  /// What the script says about the spine counts.
  @Test(arguments: [
    ("background = \"#ffffff\"", true), ("spine_text_background = \"white\", spine_text = \"A\"", true),
    ("margin = \"5mm\"", true), ("", false),
  ])
  func aSpineStaysAsItIsAskedFor(options: String, isWhite: Bool) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(90, 90, { background = "#103060" })
      img.book("c.pdf", { p, p }, { layout = "cover", paper = "100mm x 100mm", fit = "cover", cover_thickness = "5mm",
        \(options) })
      """)
    outcome.expect(status: 0)
    guard let page = try RenderedPage(folder("c.pdf"), in: folder) else { return }
    #expect((page.pixel(page.width / 2, page.height / 8).min()! > 250) == isWhite)
  }

  @Test(arguments: [
    ("spine_text = \"A\"", "'spine_text' is for a cover; set 'layout' to 'cover'"),
    ("spine_text_size = 9", "'spine_text_size' is given, but no 'spine_text'"),
    (
      "front_title = \"A\"", "'front_title' is only for layout 'cover'; set 'layout' to 'cover'"
    ),
    (
      "layout = \"cover\", front_title_size = 9", "'front_title_size' is given, but no 'front_title'"
    ),
    (
      "layout = \"cover\", front_title = { text = \"A\", position = \"left\" }",
      "'front_title_position' cannot be 'left'; valid: top, middle, bottom"
    ),
    (
      "layout = \"cover\", cover_thickness = \"9mm\", spine_text = { text = \"A\", runs = \"left\" }",
      "'spine_text_runs' cannot be 'left'; valid: down, up"
    ),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(9, 9), { \(options) })")
    #expect(outcome.status == 3 && !folder.exists("b.pdf"), "\(outcome)")
    #expect(outcome.error.contains(message), "\(outcome)")
  }
}
