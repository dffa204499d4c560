import Foundation
import TestSupport
import Testing

/// Isolated codecs produce the same pictures as those in the host's process, and messages of their libraries are
/// reported.
@Suite(.wholeRuns) struct IsolatedResultTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs"
  /// Files that take seconds.
  private static let slow: Set<String> = [
    "uses.svg", "entities.svg", "alpha_triangles.jxl", "alpha_premultiplied.jxl", "blendmodes.jxl", "sunset_logo.jxl",
    "patches_lossless.jxl",
  ]

  /// Converts every file in both ways, and compares the results.
  private func compare(_ folder: Folder, _ files: [String]) throws {
    try folder.write(
      "t.lua",
      "local img = require \"imghost\"\nlocal to = table.remove(arg, 1)\n"
        + "for i, path in ipairs(arg) do img.open(path):save(to .. \"/\" .. i .. \".png\") end")
    for (mode, options) in [("isolated", []), ("here", ["--in-process"])] as [(String, [String])] {
      let outcome = try folder.imghost(
        ["run", "--on-error", "continue"] + options + ["t.lua", mode] + files, seconds: 60)
      #expect(outcome.signal == nil, "\(outcome)")
    }
    for (index, file) in files.enumerated() {
      let name = "\(index + 1).png"
      #expect(folder.exists("isolated/" + name) == folder.exists("here/" + name), "\(file)")
      #expect(folder.bytes("isolated/" + name) == folder.bytes("here/" + name), "\(file)")
    }
  }

  @Test(arguments: ["avif", "gif", "heif", "jpeg2000", "jpegxl", "pdf", "raw", "svg", "tiff", "webp"])
  func fixturesComeOutTheSame(_ format: String) throws {
    let names = Built.files(in: Self.fixtures + "/" + format)
      .filter { !$0.hasSuffix(".md") && !$0.hasSuffix(".py") && !Self.slow.contains($0) }
    let chosen = isThorough ? names : Array(names.prefix(8))
    try compare(Folder(), chosen.map { "\(Self.fixtures)/\(format)/\($0)" })
  }

  /// A PDF with one line of text in a font that is not embedded, by a character map of poppler's data.
  private static func pdf(encoding: String, ordering: String, text: String) -> [UInt8] {
    let content = "BT /F 24 Tf 10 30 Td <\(text)> Tj ET"
    let objects = [
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 80] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
      "<< /Length \(content.utf8.count) >> stream\n\(content)\nendstream",
      "<< /Type /Font /Subtype /Type0 /BaseFont /Gothic /Encoding /\(encoding) /DescendantFonts [6 0 R] >>",
      "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Gothic /DW 1000 /FontDescriptor 7 0 R /CIDSystemInfo "
        + "<< /Registry (Adobe) /Ordering (\(ordering)) /Supplement 2 >> >>",
      "<< /Type /FontDescriptor /FontName /Gothic /Flags 4 /FontBBox [0 -137 1000 859] /ItalicAngle 0 /Ascent 859 "
        + "/Descent -137 /CapHeight 700 /StemV 80 >>",
    ]
    var file = "%PDF-1.4\n"
    var places: [Int] = []
    for (index, object) in objects.enumerated() {
      places.append(file.utf8.count)
      file += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let table = file.utf8.count
    file += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for place in places { file += String(repeating: "0", count: 10 - "\(place)".count) + "\(place) 00000 n \n" }
    return Array((file + "trailer << /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n").utf8)
  }

  /// Chinese, Japanese and Korean text needs poppler's character maps.
  @Test func textInCharacterMapsComesOutTheSame() throws {
    let folder = try Folder()
    let files = [
      ("90ms-RKSJ-H", "Japan1", "93fa967b8cea"), ("GBK-EUC-H", "GB1", "d6d0b9fa"), ("ETen-B5-H", "CNS1", "a4a4b0ea"),
      ("KSCms-UHC-H", "Korea1", "c7d1b1b9"), ("UniJIS-UTF16-H", "Japan1", "65e5672c"),
    ]
    for (encoding, ordering, text) in files {
      try folder.write(encoding + ".pdf", Self.pdf(encoding: encoding, ordering: ordering, text: text))
    }
    try compare(folder, files.map { $0.0 + ".pdf" })
    guard FileManager.default.fileExists(atPath: "/usr/share/poppler/cMap") else { return }
    let outcome = try folder.imghost(["convert", "90ms-RKSJ-H.pdf", "-o", "a.png"])
    #expect(outcome.status == 0 && !outcome.error.contains("CMap"), "\(outcome)")
  }

  /// What poppler finds wrong is a note of the file: equal words once, a few of each file.
  @Test func errorsOfALibraryAreNotes() throws {
    let folder = try Folder()
    for name in ["a", "b", "c", "d", "e"] {
      try folder.write(name + ".pdf", Self.pdf(encoding: "Unknown-H", ordering: "Japan1", text: "93fa"))
    }
    let outcome = try folder.run("for _, path in ipairs(img.glob(\"*.pdf\")) do path:save(\"{stem}.png\") end")
    outcome.expect(status: 0)
    let notes = outcome.messages.filter { $0.contains("note: Poppler: ") }
    #expect(notes.contains { $0.hasSuffix("a.pdf, b.pdf, c.pdf and 2 more") }, "\(outcome)")
    #expect(!notes.isEmpty && notes.count <= 5, "\(outcome)")
  }
}
