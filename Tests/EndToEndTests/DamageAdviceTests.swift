import Foundation
import TestSupport
import Testing

/// `damaged = "accept"` is offered where it shows something, in the words of a script or of a command line.
@Suite(.wholeRuns) struct DamageAdviceTests {
  private static let script = "; open(…, { damaged = \"accept\" }) shows what can be read"
  private static let line = "; --damaged accept shows what can be read"

  /// Copies of files that end in the middle of their pixels.
  private func folder() throws -> Folder {
    let folder = try Folder()
    let made = try folder.run(
      """
      local p = img.open(arg[1]):resize(300)
      for _, ending in ipairs{ "jpg", "png", "tif", "webp", "jp2", "bmp", "ppm" } do p:save("whole." .. ending) end
      p:save("progressive.jpg", { progressive = true })
      """, arguments: [Built.photos + "/rocket.jpg"])
    made.expect(status: 0)
    for name in folder.files where !name.hasSuffix(".lua") {
      let bytes = folder.bytes(name)
      try folder.write(
        "cut-" + name.replacing(".", with: "-") + "." + name.split(separator: ".")[1],
        Array(bytes.prefix(bytes.count * 2 / 3)))
    }
    return folder
  }

  @Test func isOfferedWhereItHelps() throws {
    let folder = try folder()
    let cut = folder.files.filter { $0.hasPrefix("cut-") }
    #expect(cut.count == 8)
    for name in cut {
      for use in [
        "p:save('o.png')", "p:resize(9):save('o.jpg')", "img.book('o.pdf', p)", "p:tiles('zoom')", "p:stats()",
      ] {
        let refused = try folder.run("local p = img.open('\(name)') \(use)")
        let accepted = try folder.run("local p = img.open('\(name)', { damaged = 'accept' }) \(use)")
        #expect(
          refused.error.contains(Self.script) == (refused.status != 0 && accepted.status == 0),
          "\(use) \(refused) \(accepted)")
      }
      let refused = try folder.imghost("convert", name, "-o", "o.png")
      let accepted = try folder.imghost("convert", name, "--damaged", "accept", "-o", "o.png")
      #expect(
        refused.error.contains(Self.line) == (refused.status != 0 && accepted.status == 0), "\(refused) \(accepted)")
      #expect(!refused.error.contains("open("), "\(refused)")
    }
  }

  /// Not for a file without a readable header, one that is missing, or one of no picture.
  @Test(arguments: ["none.png", "text.png", "short.png", "empty.png"]) func isNotOfferedElsewhere(_ name: String) throws
  {
    let folder = try folder()
    try folder.write("text.png", "no picture")
    try folder.write("short.png", Array(folder.bytes("whole.png").prefix(20)))
    try folder.write("empty.png", "")
    for outcome in [
      try folder.run("img.open('\(name)'):save('o.jpg')"), try folder.imghost("convert", name, "-o", "o.jpg"),
    ] {
      #expect(outcome.status == 1 && !outcome.error.contains("damaged"), "\(outcome)")
    }
  }

  /// Programs get it as a part of the message.
  @Test func isInEvents() throws {
    let folder = try folder()
    let outcome = try folder.run("img.open('cut-whole-png.png'):save('o.jpg')", "--json")
    #expect(outcome.output.contains("truncated file; 'o.jpg' is not written; open(…, "), "\(outcome)")
  }
}
