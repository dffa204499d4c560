import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// A book's description of itself: title and metadata, labels, outline, links, and how it opens.
struct BookDocumentTests {
  private static let script = """
    local pictures = {}
    for i = 1, 5 do pictures[i] = img.canvas(60, 40, { background = { 40 * i, 80, 120 } }) end
    img.book("b.pdf", pictures, {
      title = "Été <1>", author = "Ann & Bob", subject = "Sea", keywords = "sea, sand",
      metadata = { Copyright = "none", Year = 2024 },
      page_labels = "1:r 3:D/1/A-", viewer_layout = "two-page-right", viewer_panes = "outlines",
      viewer_page = 2, viewer_zoom = "fit", reading_direction = "right-to-left",
      outline = "Part > {width} wide > Picture {index}", link = "https://example.org/é {index}",
      margin = 20, dpi = 72, verify = true })
    """

  /// Readers show arithmetic coding blank: such a file is not taken over, and a line says so.
  @Test(arguments: [
    ("arithmetic.jpg", "it is arithmetic-coded, which PDF readers show blank")
  ])
  func whatReadersShowBlankIsEncodedAgain(_ name: String, reason: String) throws {
    let folder = try Folder()
    let file = Built.root + "/Tests/ImageCodecsTests/Fixtures/" + name
    try folder.copy(file, to: "a.jpg")
    let outcome = try folder.run("img.book(\"b.pdf\", img.open(\"a.jpg\"), { verify = true })")
    outcome.expect(status: 0)
    #expect(
      outcome.error.contains(
        "t.lua:2: book: a.jpg: note: \(reason); the page is encoded again"),
      "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
  }

  /// Each command says it in one line, and other pictures go on.
  @Test func twelveBitsAreRefused() throws {
    let folder = try Folder()
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/rocket.jpg")))
    let header = try #require(file.indices.first { file[$0...].starts(with: [0xff, 0xc0, 0, 17, 8]) })
    file[header + 4] = 12
    try folder.write("deep.jpg", file)
    let reason = "deep.jpg: a JPEG with 12 bits a sample is not supported"
    let outcome = try folder.run(
      "img.open(\"deep.jpg\"):save(\"a.png\")\nimg.canvas(9, 9):save(\"b.png\")", "--on-error", "continue")
    #expect(outcome.status == 1 && outcome.messages.count { $0.contains(reason) } == 1, "\(outcome)")
    #expect(!folder.exists("a.png") && folder.exists("b.png"), "\(outcome)")
    let info = try folder.imghost("info", "deep.jpg")
    info.expect(status: 1, error: reason)
  }

  /// libjpeg passes over bytes between segments, not every reader does: such a file is encoded again.
  @Test(arguments: [[0x11], [0], [0xff, 0, 0x11], [UInt8](repeating: 0x20, count: 300)])
  func bytesBetweenSegments(_ strays: [UInt8]) throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    var bytes = folder.bytes("a.jpg")
    // Behind the first segment.
    bytes.insert(contentsOf: strays, at: 4 + Int(bytes[4]) << 8 + Int(bytes[5]))
    try folder.write("b.jpg", bytes)
    let outcome = try folder.run("img.book(\"b.pdf\", { img.open(\"a.jpg\"), img.open(\"b.jpg\") }, { verify = true })")
    outcome.expect(status: 0, error: "verified")
    let notes = outcome.messages.filter { $0.contains("note:") }
    #expect(
      notes == [
        "t.lua:2: book: b.jpg: note: it has stray bytes between its segments, which not every PDF "
          + "reader skips; the page is encoded again"
      ], "\(outcome)")
    let checked = try folder.imghost("check", "t.lua")
    #expect(checked.status == 0 && checked.error.contains(notes.first ?? "-"), "\(checked)")
  }

  /// A fault in a file that would be stored unchanged costs only that file's page.
  @Test func whatCannotBeTakenOverCostsItsPage() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    var bytes = folder.bytes("a.jpg")
    let scan = bytes.indices.first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xda }!
    // Huffman tables of its first component.
    bytes[scan + 6] = 0x33
    try folder.write("b.jpg", bytes)
    let outcome = try folder.run(
      "img.book(\"b.pdf\", { img.open(\"a.jpg\"), img.open(\"b.jpg\") })", "--on-error", "continue")
    #expect(outcome.status == 1 && folder.exists("b.pdf"), "\(outcome)")
    #expect(outcome.error.contains("b.jpg: damaged file"), "\(outcome)")
    #expect(outcome.error.contains("written without 1 of its 2 pages"), "\(outcome)")
    let checked = try folder.imghost("check", "t.lua")
    #expect(
      checked.status != 0 && checked.error.contains("b.jpg: damaged file"), "\(checked)")
  }

  @Test(arguments: [
    (
      "paper = \"1e300in x 1in\"",
      "'paper' is '1e300in x 1in'; it must be at most 381000000 mm"
    ),
    (
      "paper = \"99999999999999999in x 1in\"", "'paper' is '99999999999999999in x 1in'; it must be at most"
    ),
    (
      "paper = \"1foo x 1in\"", "'paper' contains '1foo', which is not a length; write a number with mm"
    ),
    ("paper = \"7 x 1\"", "'paper' contains '7', a number without a unit"),
    ("margin = \"1e300in\"", "'margin' is '1e300in'; it must be at most 381000000 mm"),
    ("margin = \"1e999mm\"", "'margin' is '1e999mm'; it must be at most"),
    (
      "paper = \"1pt x 1pt\"", "a page of 0.35 x 0.35 mm is not possible; sides must be from 1.06 mm to 381 km"
    ),
  ])
  func absurdLengths(option: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(9, 9), { \(option) })")
    outcome.expect(status: 3, error: "t.lua:2: book: \(message)")
  }

  @Test func lengthsWithExponents() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"b.pdf\", img.canvas(9, 9), { paper = \"1e2mm x 2E2mm\", margin = \"1e0mm\" })")
    outcome.expect(status: 0)
    guard let info = try SecondOpinions.run("pdfinfo", [folder("b.pdf")]) else { return }
    #expect(info.text.contains("283.465 x 566.929 pts"), "\(info.text)")
  }

  @Test(arguments: ["15000000in x 3pt", "3pt x 500in"])
  func absurdPagesAreRefused(_ paper: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"b.pdf\", img.canvas(9, 9), { paper = \"\(paper)\" })")
    #expect(outcome.status != 0 && !folder.exists("b.pdf"), "\(outcome)")
    #expect(outcome.error.contains("mm is not possible"), "\(outcome)")
  }

  @Test(
    .thorough,
    arguments: [
      (
        "link = \"{stem|a}\"", "'link': 'a' has no scheme; write 'https://…', 'mailto:…' or the like"
      ),
      ("link = \"javascript:alert(1)\"", "'link': 'javascript:alert(1)' is itself a program"),
      (
        "link = \"https:///{stem|a}\"", "'link': 'https:///a' has no host or address after its scheme"
      ),
      (
        "outline = (\"x > \"):rep(100000)", "'outline': it has 100000 levels; an outline has at most 32"
      ),
      ("viewer_page = 5", "'viewer_page' is 5, but the book has 2 pages"),
      ("viewer_page = 4, page_multiple = 3", "'viewer_page' is 4, but the book has 3 pages"),
      (
        "page_labels = \"1:r 4:D\", title_page = \"x\"",
        "'page_labels' begins a range on page 4, but the book has 3 pages"
      ),
    ])
  func leadsToNowhere(options: String, message: String) throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    let outcome = try folder.run("img.book(\"b.pdf\", { img.open(\"a.jpg\"), img.canvas(9, 9) }, { \(options) })")
    outcome.expect(status: 3, error: message)
    #expect(!folder.exists("b.pdf"))
  }

  /// Names of files may have what an address may not: it is encoded, or costs the picture its page.
  @Test func linksWithOddNames() throws {
    let folder = try Folder()
    try folder.makeFolder("p")
    let names = ["a\nb.jpg", "c\u{7f}\u{85}d.jpg", "e .jpg", "f%zz.jpg"]
    for name in names { try folder.copy(Built.photos + "/rocket.jpg", to: "p/" + name) }
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.glob("p/*.jpg"), { link = "https://example.org/{stem}", verify = true })
      """)
    #expect(outcome.status == 0 && outcome.messages == ["b.pdf: 4 pages, verified"], "\(outcome)")
    let text = String(decoding: folder.bytes("b.pdf"), as: Unicode.ASCII.self)
    for end in ["a%0Ab", "c%7F%C2%85d", "e%20", "f%25zz"] {
      #expect(text.contains("/URI(https://example.org/\(end))"), "\(end)")
    }
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    // An address is too long by one name, and has a space in its host by another.
    try folder.copy(Built.photos + "/rocket.jpg", to: "p/g.jpg")
    for (link, bad) in [
      ("https://example.org/" + String(repeating: "{stem}", count: 2_700), 3),
      ("https://{stem}/", 1),
    ] {
      let some = try folder.run(
        "img.book(\"c\(bad).pdf\", img.glob(\"p/*.jpg\"), { link = \"\(link)\" })", "--on-error", "continue")
      some.expect(status: 1)
      #expect(some.error.contains("c\(bad).pdf: written without \(bad) of its 5 pages"), "\(some)")
      #expect(some.error.contains(".jpg: 'link': "), "\(some)")
      let none = try folder.run("img.book(\"d.pdf\", img.glob(\"p/*.jpg\"), { link = \"\(link)\" })")
      #expect(none.status != 0 && !folder.exists("d.pdf"), "\(none)")
    }
    let own = try folder.run("img.book(\"e.pdf\", img.glob(\"p/*.jpg\"), { link = \"https://a/\\n{stem}\" })")
    own.expect(status: 3, error: "control character U+000A")
  }

  /// Options that refer to a lost page are left out with a note.
  @Test func leadsToAPageThatIsLeftOut() throws {
    let folder = try Folder()
    let whole = [UInt8](FileManager.default.contents(atPath: Built.photos + "/rocket.jpg")!)
    try folder.write("p/b.jpg", Array(whole.prefix(whole.count / 2)))
    try folder.write("p/a.jpg", whole)
    let outcome = try folder.run(
      "img.book(\"b.pdf\", img.glob(\"p/*\"), { viewer_page = 2, page_labels = \"1:r 2:D\" })", "--on-error", "continue"
    )
    #expect(outcome.status == 1 && folder.exists("b.pdf"), "\(outcome)")
    #expect(
      outcome.error.contains("'viewer_page' is 2, but the book has 1 page; it is left out"),
      "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    let text = String(decoding: folder.bytes("b.pdf"), as: Unicode.ASCII.self)
    #expect(text.contains("/PageLabels<</Nums[0<</S/r>>]>>") && !text.contains("/OpenAction"))
  }

  @Test func whatABookSaysAboutItself() throws {
    let folder = try Folder()
    let outcome = try folder.run(Self.script, environment: ["SOURCE_DATE_EPOCH": "1700000000"])
    outcome.expect(status: 0)
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    if let info = try SecondOpinions.run("pdfinfo", ["-isodates", folder("b.pdf")]) {
      for line in [
        "Title:           Été <1>", "Author:          Ann & Bob", "Subject:         Sea",
        "Keywords:        sea, sand", "CreationDate:    2023-11-14T22:13:20Z",
        "Page size:       100 x 80 pts",
      ] { #expect(info.text.contains(line), "\(line)\n\(info.text)") }
    }
    if let meta = try SecondOpinions.run("pdfinfo", ["-meta", folder("b.pdf")]) {
      for part in [
        "x-default\">Été &lt;1&gt;<", "<rdf:li>Ann &amp; Bob<", ">Sea<", ">sea, sand<",
        "<xmp:CreateDate>2023-11-14T22:13:20Z<", "<pdfx:Copyright>none<", "<pdfx:Year>2024<",
      ] { #expect(meta.text.contains(part), "\(part)\n\(meta.text)") }
    }
    if let all = try SecondOpinions.run("qpdf", ["--json", "--json-key=outlines", folder("b.pdf")]) {
      #expect(all.text.components(separatedBy: "\"title\": \"Picture ").count == 6, "\(all.text)")
      #expect(all.text.components(separatedBy: "\"title\": \"60 wide\"").count == 2)
    }
    if let all = try SecondOpinions.run("qpdf", ["--json", "--json-key=pagelabels", folder("b.pdf")]) {
      #expect(all.text.contains("\"/P\": \"u:A-\"") && all.text.contains("\"/S\": \"/r\""))
    }
    let text = String(decoding: folder.bytes("b.pdf"), as: Unicode.ASCII.self)
    #expect(text.contains("/URI(https://example.org/%C3%A9%203)"))
    #expect(text.contains("/PageLayout/TwoPageRight/PageMode/UseOutlines"))
    #expect(text.contains("/Direction/R2L"))
  }

  @Test func theSameBytesAgain() throws {
    let folder = try Folder()
    var books: [[UInt8]] = []
    for date in ["1700000000", "1700000000", "1700000001"] {
      let outcome = try folder.run(Self.script, environment: ["SOURCE_DATE_EPOCH": date])
      outcome.expect(status: 0)
      books.append(folder.bytes("b.pdf"))
    }
    #expect(books[0] == books[1] && books[0] != books[2])
  }

  @Test(arguments: ["yesterday", "-1", "253402300800", "1e9"])
  func datesThatAreNone(_ date: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(9, 9))", environment: ["SOURCE_DATE_EPOCH": date])
    outcome.expect(status: 0)
    #expect(outcome.error.contains("note: SOURCE_DATE_EPOCH is '\(date)'"), "\(outcome)")
    let text = String(decoding: folder.bytes("b.pdf"), as: Unicode.ASCII.self)
    #expect(!text.contains("/CreationDate"))
  }

  @Test func mistakesAreToldTogether() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.canvas(8, 8), {
        title = "a\\1b", metadata = { Title = "x", ["a b"] = "y", Producer = "z" },
        page_labels = "2:r", viewer_zoom = "huge" })
      """)
    #expect(outcome.status == 3 && !folder.exists("b.pdf"), "\(outcome)")
    for part in [
      "'title' contains a control character", "'metadata.Title' has its own option: title",
      "'metadata' cannot have an entry 'a b'", "'metadata.Producer' is set by imghost",
      "'page_labels' contains '2:r'", "'viewer_zoom' cannot be 'huge'",
    ] { #expect(outcome.error.contains(part), "\(part)\n\(outcome)") }
  }
}
