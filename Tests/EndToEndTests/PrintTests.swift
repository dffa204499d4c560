import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Books for print, and soft proofs, through the built program.
@Suite(.wholeRuns) struct PrintTests {
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
    outcome.expect(status: 0)
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
    ("conformance = \"pdf/x-1a\", title = \"a\", output_intent = \"in.png\"", "is no ICC profile of a printer"),
    ("conformance = \"pdf/x-1a\", title = \"a\", compact = true", "PDF/X-1a has no object streams"),
    ("output_intent = \"fogra39\"", "'output_intent' has no effect alone"),
    ("conformance = \"pdf/x-4\", title = \"a\", password = \"x\"", "PDF/X forbids encryption"),
  ])
  func refusals(options: String, words: String) throws {
    let folder = try folder()
    let outcome = try book(options, in: folder)
    #expect(outcome.status != 0 && outcome.error.contains(words), "\(outcome)")
  }

  /// The profiles of an RGB and of a gray printer: those of screens, of another class.
  private func printers(in folder: Folder) throws {
    for (name, profile) in [("rgb.icc", StandardProfile.displayP3), ("gray.icc", .gray), ("screen.icc", .displayP3)] {
      var bytes = profile.bytes
      if name != "screen.icc" { bytes.replaceSubrange(12..<16, with: Array("prtr".utf8)) }
      try folder.write(name, bytes)
    }
  }

  /// PDF/X-4 has output intents for RGB and gray printers, whose numbers the colours of pages then are. Pictures keep their
  /// profiles, and ink has one.
  @Test(arguments: [("rgb.icc", "RGB "), ("gray.icc", "GRAY")], ["", ", lossless = true"])
  func otherPrinters(_ printer: (file: String, space: String), _ options: String) throws {
    let folder = try folder()
    try printers(in: folder)
    let outcome = try book(
      "conformance = \"pdf/x-4\", output_intent = \"\(printer.file)\", title = \"Print\", verify = true, paper = \"a6\", "
        + "background = \"#e02040\", page_number = \"{page}\"" + options, in: folder)
    outcome.expect(status: 0)
    let text = String(decoding: folder.bytes("b.pdf"), as: UTF8.self)
    #expect(text.contains("/S/GTS_PDFX") && text.contains("(Custom)") && !text.contains("/ColorSpace/DeviceCMYK"))
    #expect(printer.space == "RGB " ? text.contains("/N 3") : text.contains("/N 1"))
    // The background is no sRGB any more: 0.86 0.25 0.28 in Display P3, and a gray.
    #expect(!text.contains("0.878") && text.contains(" rg ") == (printer.space == "RGB "), "\(text.prefix(3000))")
  }

  /// Device colours that are not the printer's are found, as is a profile that is none of a printer's.
  @Test func wrongPrinters() throws {
    let folder = try folder()
    try printers(in: folder)
    let refusals = [
      ("pdf/x-1a", "rgb.icc", "'rgb.icc' is the profile of an RGB printer, and PDF/X-1a is for CMYK; use pdf/x-4"),
      ("pdf/x-1a", "gray.icc", "'gray.icc' is the profile of a gray printer"),
      ("pdf/x-4", "screen.icc", "'screen.icc' is no ICC profile of a printer"),
    ]
    for (conformance, file, words) in refusals {
      let outcome = try book(
        "conformance = \"\(conformance)\", output_intent = \"\(file)\", title = \"a\"", in: folder)
      #expect(outcome.status != 0 && outcome.error.contains(": book: 'output_intent': " + words), "\(outcome)")
    }
    let made = try book(
      "conformance = \"pdf/x-4\", output_intent = \"rgb.icc\", title = \"a\", paper = \"a6\", background = \"#e02040\"",
      in: folder)
    made.expect(status: 0)
    // The intent's profile becomes one for gray, whose length is the same; the page's RGB then has no meaning.
    guard
      try SecondOpinions.run(
        "qpdf", ["--stream-data=uncompress", "--object-streams=disable", folder("b.pdf"), folder("c.pdf")]) != nil
    else { return }
    var bytes = Data(folder.bytes("c.pdf"))
    let mark = try #require(bytes.range(of: Data("prtrRGB ".utf8)))
    bytes.replaceSubrange(mark.lowerBound + 4..<mark.lowerBound + 8, with: Data("GRAY".utf8))
    try folder.write("c.pdf", Array(bytes))
    let checked = try folder.imghost(["verify", "c.pdf"])
    #expect(checked.output.contains("its content has colours in DeviceRGB (ISO 15930-7)"), "\(checked)")
  }

  /// Colours that paper does not have come out duller, others nearly the same.
  @Test func softProofs() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local p = img.open("in.png")
      p:save("proof.png", { proof = "cmyk" }) p:to_profile("cmyk"):to_profile("srgb"):save("two.png")
      """)
    outcome.expect(status: 0)
    let proof = try Pixels(file: folder("proof.png")).bytes.map(Int.init)
    #expect(try proof == Pixels(file: folder("two.png")).bytes.map(Int.init))
    #expect(proof[0] > 30 && proof[1] < 200, "green: \(proof[0..<3])")
    let brown = Array(proof[(3 * 20)..<(3 * 20 + 3)])
    #expect(zip(brown, [200, 120, 40]).allSatisfy { abs($0 - $1) <= 12 }, "\(brown)")
    let missing = try folder.run("img.open(\"in.png\"):save(\"a.png\", { proof = \"no.icc\" })")
    #expect(missing.status != 0 && missing.error.contains("'proof': there is no profile 'no.icc'"), "\(missing)")
  }
}
