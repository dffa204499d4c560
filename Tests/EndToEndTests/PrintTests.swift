import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Books for print, and soft proofs, through the built program.
@Suite struct PrintTests {
  private func folder() throws -> Folder {
    let folder = try Folder()
    let colours: [[UInt8]] = [[0, 255, 0], [200, 120, 40], [30, 60, 90], [128, 128, 128], [255, 255, 255]]
    try folder.write("in.png", try Pixels(65, 32) { x, _ in colours[x / 13] }.png())
    try folder.copy(Built.root + "/Tests/ImageCodecsTests/Fixtures/cmyk-adobe.jpg", to: "ink.jpg")
    return folder
  }

  private func book(_ options: String, in folder: Folder) throws -> Outcome {
    try folder.run(
      """
      img.book("b.pdf", { img.open("in.png"), img.open("ink.jpg"), img.open("in.png"):resize(20) }, { \(options) })
      """)
  }

  @Test(arguments: [
    "conformance = \"pdf/x-4\"", "conformance = \"pdf/x-1a\"", "conformance = \"pdf/x-1a\", lossless = true",
    "conformance = \"pdf/x-4\", paper = \"a6\", bleed = \"3mm\", crop_marks = true, background = \"#ffeedd\"",
    "conformance = \"pdf/x-1a\", paper = \"a6\", background = \"#ffeedd\", page_number = \"{page}\"",
    "conformance = \"pdf/x-1a\", layout = \"grid\", max_dpi = 20",
  ])
  func books(options: String) throws {
    let folder = try folder()
    let outcome = try book(options + ", title = \"Print\", verify = true", in: folder)
    #expect(outcome.status == 0, "\(outcome)")
    let text = String(decoding: folder.bytes("b.pdf"), as: UTF8.self)
    #expect(text.contains("/S/GTS_PDFX") && text.contains("(FOGRA39)") && text.contains("/Trapped/False"))
    #expect(text.contains("/TrimBox[") && text.contains("/BleedBox["))
    guard options.contains("x-1a") else { return }
    #expect(!text.contains("/DeviceRGB") && !text.contains("/ICCBased") && !text.contains(" rg "))
    // The file's own ink stays where nothing changes its pixels.
    if !options.contains("grid") {
      let ink = Data(folder.bytes("ink.jpg"))
      #expect(Data(folder.bytes("b.pdf")).range(of: ink) != nil)
    }
  }

  @Test(arguments: [
    ("conformance = \"pdf/x-4\"", "PDF/X-4 wants a title"),
    ("conformance = \"pdf/x-4\", title = \"a\", link = \"https://example.org\"", "it has links"),
    ("conformance = \"pdf/x-4\", title = \"a\", output_intent = \"no.icc\"", "there is no profile 'no.icc'"),
    ("conformance = \"pdf/x-1a\", title = \"a\", output_intent = \"in.png\"", "is no ICC profile of a CMYK printer"),
    ("conformance = \"pdf/x-1a\", title = \"a\", compact = true", "PDF/X-1a has no object streams"),
    ("output_intent = \"fogra39\"", "'output_intent' has no effect alone"),
    ("conformance = \"pdf/x-4\", title = \"a\", password = \"x\"", "PDF/X forbids encryption"),
  ])
  func refusals(options: String, words: String) throws {
    let folder = try folder()
    let outcome = try book(options, in: folder)
    #expect(outcome.status != 0 && outcome.error.contains(words), "\(outcome)")
  }

  /// Colours that paper does not have come out duller, others nearly the same.
  @Test func softProofs() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local p = img.open("in.png")
      p:save("proof.png", { proof = "cmyk" }) p:to_profile("cmyk"):to_profile("srgb"):save("two.png")
      """)
    #expect(outcome.status == 0, "\(outcome)")
    let proof = try Pixels(file: folder("proof.png")).bytes.map(Int.init)
    #expect(try proof == Pixels(file: folder("two.png")).bytes.map(Int.init))
    #expect(proof[0] > 30 && proof[1] < 200, "green: \(proof[0..<3])")
    let brown = Array(proof[(3 * 20)..<(3 * 20 + 3)])
    #expect(zip(brown, [200, 120, 40]).allSatisfy { abs($0 - $1) <= 12 }, "\(brown)")
    let missing = try folder.run("img.open(\"in.png\"):save(\"a.png\", { proof = \"no.icc\" })")
    #expect(missing.status != 0 && missing.error.contains("'proof': there is no profile 'no.icc'"), "\(missing)")
  }
}
