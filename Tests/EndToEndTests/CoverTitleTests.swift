import Foundation
import TestSupport
import Testing

/// The title on a cover: where it stands, and that it can be read.
@Suite(.wholeRuns) struct CoverTitleTests {
  private func luminance(_ bytes: ArraySlice<UInt8>) -> Double {
    func linear(_ byte: UInt8) -> Double {
      let value = Double(byte) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return zip(bytes, [0.2126, 0.7152, 0.0722]).reduce(0) { $0 + linear($1.0) * $1.1 }
  }

  /// The box of the words of the title, in points from the upper left corner.
  private func titleBox(_ path: String) throws -> (left: Double, top: Double, right: Double, bottom: Double)? {
    guard let text = try SecondOpinions.run("pdftotext", ["-bbox", path, "-"])?.text else { return nil }
    var box = (left: Double.infinity, top: Double.infinity, right: 0.0, bottom: 0.0)
    for line in text.split(separator: "\n") where line.contains("<word") {
      let numbers = line.split(separator: "\"").compactMap { Double($0) }
      box = (
        min(box.left, numbers[0]), min(box.top, numbers[1]), max(box.right, numbers[2]), max(box.bottom, numbers[3])
      )
    }
    return box
  }

  /// The contrast of white letters to the lightest pixels around them, on pictures of any colour.
  @Test(
    arguments: ["#ffffff", "#ffff00", "#808080", "#000000"],
    ["", ", front_title_position = \"top\", bleed = \"3mm\""])
  func titlesCanBeRead(colour: String, options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("c.pdf", img.canvas(600, 400, { background = "\(colour)" }), { layout = "cover", paper = "a6",
        fit = "cover", front_title = "Walks", verify = true\(options) })
      """)
    outcome.expect(status: 0)
    guard let page = try RenderedPage(folder("c.pdf"), in: folder), let box = try titleBox(folder("c.pdf")) else {
      return
    }
    var (lightest, most) = (0.0, 0.0)
    for y in Int(box.top)...Int(box.bottom) {
      for x in Int(box.left)...Int(box.right) {
        let place = page.bytes.startIndex + (y * page.width + x) * 3
        most = max(most, luminance(page.bytes[place..<place + 3]))
      }
      // Beside the letters, where only the veil lies.
      let place = page.bytes.startIndex + (y * page.width + Int(box.left) - 2) * 3
      lightest = max(lightest, luminance(page.bytes[place..<place + 3]))
    }
    #expect(most > 0.9, "the letters are not white")
    #expect(1.05 / (lightest + 0.05) >= 4.5, "\(lightest)")
  }

  /// A picture with much to see in its middle and at its lower edge.
  @Test func titlesStandWhereThePictureIsQuiet() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(800, 600, { background = "#8899aa" })
      for y = 230, 590, 20 do
        for x = 0, 780, 20 do
          local colour = (x + y) % 40 == 10 and "#ffffff" or { x % 256, 20, y % 256 }
          p = p:composite{ over = img.canvas(12, 12, { background = colour }), left = x, top = y }
        end
      end
      img.book("quiet.pdf", p, { layout = "cover", paper = "a6", fit = "cover", front_title = "Walks" })
      img.book("own.pdf", p, { layout = "cover", paper = "a6", fit = "cover", front_title = "Walks",
        front_title_position = "middle" })
      """)
    outcome.expect(status: 0)
    guard let quiet = try titleBox(folder("quiet.pdf")), let own = try titleBox(folder("own.pdf")) else { return }
    #expect(quiet.bottom < own.top - 20, "\(quiet) \(own)")
  }

  /// On paper, a title is black, or white on a dark page.
  @Test(arguments: [("white", false), ("#203040", true)]) func titlesOnPaper(background: String, isLight: Bool) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("c.pdf", img.canvas(400, 20, { background = "red" }), { layout = "cover", paper = "a6",
        front_title = "Walks", front_title_position = "top", background = "\(background)" })
      """)
    outcome.expect(status: 0)
    guard let page = try RenderedPage(folder("c.pdf"), in: folder), let box = try titleBox(folder("c.pdf")) else {
      return
    }
    let row = page.bytes.startIndex + Int(box.top + box.bottom) / 2 * page.width * 3
    let seen = (Int(box.left)...Int(box.right)).map { luminance(page.bytes[row + $0 * 3..<row + $0 * 3 + 3]) }
    #expect(isLight ? seen.max()! > 0.9 : seen.min()! < 0.05, "\(seen)")
  }

  /// A veil over hinge and bleed that fades without steps, in every program that shows it.
  @Test(
    arguments: ["pdftoppm", "mutool", "gs"],
    [("left-to-right", "top"), ("right-to-left", "middle"), ("left-to-right", "bottom")])
  func veilsAreSmooth(program: String, side: (direction: String, position: String)) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(400, 400, { background = "white" })
      img.book("c.pdf", { p, p:invert() }, { layout = "cover", paper = "20x20", fit = "cover", cover_thickness = "5mm",
        hinge = "8mm", turn_in = "10mm", bleed = "3mm", reading_direction = "\(side.direction)", title = "Walks",
        conformance = "pdf/x-4", verify = true,
        front_title = { text = "Walks", position = "\(side.position)" } })
      """)
    outcome.expect(status: 0)
    guard let page = try RenderedPage(folder("c.pdf"), in: folder, with: program, resolution: 72) else { return }
    let box = try #require(try titleBox(folder("c.pdf")))
    // The front's picture, from the bleed to the spine, in a row through the letters and in one through the fade.
    let millimetre = 72 / 25.4
    let (bleed, spine) = (page.width / 2 - Int(15 * millimetre) - 2, page.width / 2 + Int(15 * millimetre) + 2)
    let isLeft = side.direction == "right-to-left"
    let columns = isLeft ? Array(4..<bleed) : Array(spine..<page.width - 4)
    let beside = columns.filter { Double($0) < box.left - 4 || Double($0) > box.right + 4 }
    for y in [Int(box.top + box.bottom) / 2, Int(box.top) - 30, Int(box.bottom) + 30] {
      let levels = beside.map { page.pixel($0, y)[1] }
      #expect(levels.max()! - levels.min()! <= 2, "row \(y): \(Set(levels))")
    }
    // From the letters outwards the picture becomes lighter by little steps, and white.
    let column = (isLeft ? 10 : page.width - 10)
    let levels = (8..<page.height - 8).map { page.pixel(column, $0)[1] }
    #expect(levels.min()! < 125 && levels.max()! > 252)
    let steps = zip(levels, levels.dropFirst()).map { abs($0 - $1) }
    #expect(steps.max()! <= 6, "\(steps)")
    // A fade of 90 points has 130 levels: at 72 pixels an inch few are equal in its middle.
    let fading = levels.filter { $0 > 140 && $0 < 230 }
    var (run, longest) = (1, 1)
    for (one, next) in zip(fading, fading.dropFirst()) {
      run = one == next ? run + 1 : 1
      longest = max(longest, run)
    }
    #expect(fading.count > 30 && longest <= 4, "\(fading)")
  }

  /// Without transparency there is no fade that could show bands: the box behind the letters is of one opaque colour.
  @Test(arguments: ["pdf/x-1a", "pdf/a-1b"], ["white", "#305080"])
  func standardsWithoutTransparency(standard: String, colour: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(300, 300, { background = "\(colour)" })
      img.book("c.pdf", { p, p }, { layout = "cover", paper = "20x20", fit = "cover", cover_thickness = "5mm",
        title = "Walks", conformance = "\(standard)", verify = true, front_title = { text = "Walks", position = "top" },
        output_intent = \(standard == "pdf/x-1a" ? "\"fogra39\"" : "nil") })
      """)
    outcome.expect(status: 0)
    guard let page = try RenderedPage(folder("c.pdf"), in: folder, resolution: 72) else { return }
    let box = try #require(try titleBox(folder("c.pdf")))
    // From the picture above the box to that below it, in a column beside the letters.
    let levels = (8..<page.height / 2).map { page.pixel(Int(box.left) - 3, $0)[1] }
    let beside = levels[(Int(box.top) - 8)..<(Int(box.bottom) - 8)]
    #expect(Set(beside).count == 1 && beside.first! < 40, "\(levels)")
    // Two colours, and at most one pixel at each edge that shares both.
    let changes = zip(levels, levels.dropFirst()).filter { $0 != $1 }
    #expect(2...4 ~= changes.count && levels.first == levels.last, "\(levels)")
  }

  /// A changed mask would hide the picture, or show it where the letters are.
  @Test(
    arguments: [
      ("/N 2", "/N 9"), ("/Extend[true true]", "/Extend[true fals]"), ("Luminosity", "Luminositx"),
      ("[0 0 0 1000]", "[0 0 0 1009]"), ("/S sh", "/T sh"),
    ])
  func changedVeilsAreFound(old: String, new: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("c.pdf", img.canvas(600, 400), { layout = "cover", paper = "a6", fit = "cover", front_title = "Walks" })
      """)
    outcome.expect(status: 0)
    #expect(try folder.imghost("verify", "c.pdf").status == 0)
    var bytes = folder.bytes("c.pdf")
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: old.utf8) })
    bytes.replaceSubrange(place..<place + old.utf8.count, with: Array(new.utf8))
    try folder.write("d.pdf", bytes)
    let changed = try folder.imghost("verify", "d.pdf")
    changed.expect(status: 4)
  }

  /// A front that is lost leaves its place empty, and the title where it is.
  @Test func coversWithoutTheirFront() throws {
    let folder = try Folder()
    try folder.write("cut.jpg", Array(folder.bytes("none")) + [0xff, 0xd8, 0xff])
    let outcome = try folder.run(
      """
      img.book("c.pdf", { img.open("cut.jpg"), img.canvas(90, 60, { background = "navy" }) }, { layout = "cover",
        paper = "a6", fit = "cover", cover_thickness = "5mm", front_title = "Walks" })
      """, "--on-error", "continue")
    #expect(outcome.status == 1 && folder.exists("c.pdf"), "\(outcome)")
  }
}
