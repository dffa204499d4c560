import Foundation
import Testing

/// Every pipeline of `Scripts/` runs on the sample photographs and makes what its first lines promise.
struct ScriptsTests {
  /// What each script is to write. A script that is not named here fails the test.
  static let expected: [String: (files: Int, books: [String])] = [
    "archive": (1, ["archive.pdf"]),
    "black-and-white": (7, ["black-and-white.pdf"]),
    "contact-sheet": (2, ["contact-sheet.pdf"]),
    "cover": (1, ["cover.pdf"]),
    "crisp": (6, []),
    "duotone": (6, []),
    "film-look": (6, []),
    "name-sheet": (1, ["name-sheet.pdf"]),
    "newsprint": (6, []),
    "photobook": (5, ["photobook.pdf"]),
    "proof": (2, ["proof/proof.pdf"]),
    "scans-to-pdf": (1, ["scans.pdf"]),
    "soft-edges": (6, []),
    "watermark": (6, []),
    "web-sizes": (16, []),
    "wedding-book": (2, ["wedding-pages.pdf", "wedding-album.pdf"]),
  ]

  static let scripts = Built.files(in: Built.scripts).filter { $0.hasSuffix(".lua") }

  @Test(arguments: scripts)
  func runs(_ script: String) throws {
    let name = String(script.dropLast(".lua".count))
    let expected = try #require(Self.expected[name], "what does \(script) write?")
    let folder = try Folder()
    let outcome = try folder.imghost("run", Built.scripts + "/" + script, seconds: 40)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(folder.temporaries == [])
    let files = folder.files
    #expect(files.count == expected.files, "\(files)")
    for file in files where !file.hasSuffix(".pdf") {
      let pixels = try Pixels(file: folder(file))
      #expect(pixels.width > 1 && pixels.height > 1, "\(file)")
    }
    for book in expected.books {
      let verified = try folder.imghost("verify", book)
      #expect(verified.status == 0, "\(verified)")
    }
  }

  /// Each shows how to give it a folder of one's own.
  @Test(arguments: scripts)
  func takesAFolder(_ script: String) throws {
    let folder = try Folder()
    try folder.makeFolder("mine")
    try folder.copy(Built.photos + "/rocket.jpg", to: "mine/one.jpg")
    let outcome = try folder.imghost("run", Built.scripts + "/" + script, "mine", seconds: 40)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(folder.files.count > 1)
  }

  /// One broken picture among good ones costs its own outputs, no others.
  @Test(arguments: scripts)
  func survivesABrokenPicture(_ script: String) throws {
    let folder = try Folder()
    try folder.makeFolder("mine")
    for sample in ["rocket.jpg", "coffee.png", "retina.jpg"] {
      try folder.copy(Built.photos + "/" + sample, to: "mine/" + sample)
    }
    let whole = folder.bytes("mine/rocket.jpg")
    try folder.write("mine/cut.jpg", Array(whole.prefix(whole.count / 2)))
    try folder.write("mine/none.jpg", "")
    let outcome = try folder.imghost(
      "run", "--on-error", "continue", Built.scripts + "/" + script, "mine", seconds: 40)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.error.contains("mine/none.jpg"), "\(outcome)")
    #expect(folder.temporaries == [])
    // All of its pictures are one, or one of its pictures is all it needs.
    if ["contact-sheet.lua", "cover.lua"].contains(script) { return }
    #expect(outcome.error.contains("mine/cut.jpg"), "\(outcome)")
    #expect(folder.files.contains { !$0.hasPrefix("mine/") }, "\(outcome)")
  }
}
