import Foundation
import Testing

/// The title on a cover: where it stands, and that it can be read.
struct CoverTitleTests {
  /// Returns a page's pixels, rendered by Poppler; nil without it.
  private func pixels(_ path: String, in folder: Folder) throws -> (width: Int, height: Int, bytes: [UInt8])? {
    let arguments = ["-r", "72", "-singlefile", path, folder("page")]
    guard try SecondOpinions.run("pdftoppm", arguments) != nil else { return nil }
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("page.ppm"))))
    let lines = file.split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false)
    let size = String(decoding: lines[1], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    return (size[0], size[1], Array(lines[3]))
  }

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
    arguments: ["#ffffff", "#ffff00", "#808080", "#000000"], ["", ", front_title_position = \"top\", bleed = \"3mm\""])
  func titlesCanBeRead(colour: String, options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("c.pdf", img.canvas(600, 400, { background = "\(colour)" }), { layout = "cover", paper = "a6",
        fit = "cover", front_title = "Walks", verify = true\(options) })
      """)
    #expect(outcome.status == 0, "\(outcome)")
    guard let page = try pixels(folder("c.pdf"), in: folder), let box = try titleBox(folder("c.pdf")) else { return }
    var (lightest, most) = (0.0, 0.0)
    for y in Int(box.top)...Int(box.bottom) {
      for x in Int(box.left)...Int(box.right) {
        let place = (y * page.width + x) * 3
        most = max(most, luminance(page.bytes[place..<place + 3]))
      }
      // Beside the letters, where only the veil lies.
      let place = (y * page.width + Int(box.left) - 2) * 3
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
    #expect(outcome.status == 0, "\(outcome)")
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
    #expect(outcome.status == 0, "\(outcome)")
    guard let page = try pixels(folder("c.pdf"), in: folder), let box = try titleBox(folder("c.pdf")) else { return }
    let row = (Int(box.top + box.bottom) / 2 * page.width)
    let seen = (Int(box.left)...Int(box.right)).map { luminance(page.bytes[(row + $0) * 3..<(row + $0) * 3 + 3]) }
    #expect(isLight ? seen.max()! > 0.9 : seen.min()! < 0.05, "\(seen)")
  }
}
