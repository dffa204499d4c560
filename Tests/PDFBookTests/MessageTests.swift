import ImageCore
import Platform
import Testing

@testable import PDFBook
@testable import TextShaping

/// Every message of PDFBook, once for each case.
///
/// Each table comes with a switch over its enum. A new case does not compile until it has a number there, and fails
/// until it has a row.
@Suite struct MessageTests {
  static let a4 = PageSize(width: 595.28, height: 841.89)

  static let pdfErrors: [(PDFError, String)] = [
    (.file(FileError(.write, path: "b.pdf", code: EACCES)), "permission denied"),
    (.source(FileError(.read, path: "a.jpg", code: EACCES)), "permission denied"),
    (.sourceShrank(path: "a.jpg"), "'a.jpg' became shorter while it was copied into the book"),
    (
      .pageSize(width: 1, height: 1),
      "a page of 0.35 x 0.35 mm is not possible; sides must be from 1.06 mm to 381 km, and one at most "
        + "4,800 times the other"
    ),
    (
      .pictureTooSmall(width: 2, height: 3, page: PageSize(width: 1, height: 2), dpi: 48),
      "its 2 x 3 pixels make a page of 0.35 x 0.71 mm, and sides must be at least 1.06 mm; give a paper such as "
        + "'a6', or a 'dpi' of at most 48"
    ),
    (
      .noRoom(width: a4.width, height: a4.height),
      "margins, border, caption, header and footer leave no room for the picture on a page of 210 x 297 mm"
    ),
    (
      .noRoomForCells(rows: 1, columns: 9, width: a4.width, height: a4.height),
      "1 row and 9 columns with their gutters, borders and captions do not fit between the margins of a page of "
        + "210 x 297 mm"
    ),
    (
      .cellTooLarge(PageSize(width: 720, height: 720), room: a4),
      "'cell' is 254 x 254 mm, but the margins leave 210 x 297 mm"
    ),
    (
      .coverPictures(4),
      "a cover takes one picture (around it), two (front and back) or three (front, back and spine), not 4"
    ),
    (.noSpine, "a picture for the spine needs a spine; give cover_pages and paper_thickness"),
    (
      .captionCharacter("ж", caption: "жук"),
      "the caption 'жук' contains 'ж' (U+0436), which the caption font does not have; captions are limited to "
        + "Western European letters"
    ),
    (
      .captionTooLong("a long caption", room: 12),
      "the caption 'a long caption' does not fit on a line of 12 points, even with a font size of 4 points"
    ),
    (.version(wanted: "1.4", needed: "1.6"), "'pdf_version' is 1.4, but the book needs 1.6"),
    (
      .conformance("PDF/A-1b", page: 3, reason: "it has opacity"), "page 3 cannot be in a PDF/A-1b file: it has opacity"
    ),
    (.outputIntent("'output_intent': no"), "'output_intent': no"),
    (.noPages, "the book has no pages"),
    (
      .temporary(FileError(.temporary, path: "/tmp", code: 28)),
      "a temporary file in '/tmp' cannot be used: No space left on device; set TMPDIR to another folder"
    ),
    (.text(.outOfMemory), "there is not enough memory to lay out a text"),
  ]

  private static func number(_ error: PDFError) -> Int {
    switch error {
    case .file: 0
    case .source: 1
    case .sourceShrank: 2
    case .pageSize: 3
    case .pictureTooSmall: 4
    case .noRoom: 5
    case .noRoomForCells: 6
    case .cellTooLarge: 7
    case .coverPictures: 8
    case .noSpine: 9
    case .captionCharacter: 10
    case .captionTooLong: 11
    case .version: 12
    case .conformance: 13
    case .outputIntent: 14
    case .noPages: 15
    case .text: 16
    case .temporary: 17
    }
  }

  static let textErrors: [(TextError, String)] = [
    (
      .noPango(missing: "libpangoft2-1.0.so.0"),
      "text needs Pango 1.50 and HarfBuzz 6, and 'libpangoft2-1.0.so.0' was not found; install "
        + "libpangoft2-1.0-0 and libharfbuzz-subset0"
    ),
    (.tooManyBytes(20_000), "a text of 20000 bytes is too long; at most 10000"),
    (.control(7, text: "a"), "the text 'a' contains the control character U+0007"),
    (.notUTF8(text: "a"), "the text 'a' is not valid UTF-8 (or contains U+FFFD)"),
    (
      .tooLong(text: "a", lines: 4, allowed: 1),
      "the text 'a' takes 4 lines, and 1 is allowed; raise 'caption_lines', or leave out 'caption_overflow' to "
        + "shorten it"
    ),
    (
      .tooHigh("title_page", text: "a", height: 99.5, room: 45),
      "'title_page': 'a' is 100 points high, and there is room for 45; reduce 'title_page_size', or shorten the "
        + "text"
    ),
    (
      .tooHigh("text", text: "a", height: 100, room: 45, hasSizeOption: false),
      "'text': 'a' is 100 points high, and there is room for 45; shorten or divide the text"
    ),
    (
      .noFont("Sanz", suggestion: "Sans", substitute: nil),
      "the font 'Sanz' is not installed (did you mean 'Sans'?); 'fc-list : family' lists the installed ones"
    ),
    (.noFonts, "text needs a font, and none is installed; install fonts-dejavu-core"),
    (
      .font("Emoji", .noOutlines),
      "the font 'Emoji' cannot be embedded: it has pictures instead of outlines, as fonts of coloured emoji do"
    ),
    (.outOfMemory, "there is not enough memory to lay out a text"),
  ]

  private static func number(_ error: TextError) -> Int {
    switch error {
    case .noPango: 0
    case .tooManyBytes: 1
    case .control: 2
    case .notUTF8: 3
    case .tooLong: 4
    case .tooHigh: 5
    case .noFont: 6
    case .noFonts: 7
    case .font: 8
    case .outOfMemory: 9
    }
  }

  static let fontProblems: [(FontProblem, String)] = [
    (.noOutlines, "it has pictures instead of outlines, as fonts of coloured emoji do"),
    (.forbidden, "its licence forbids it (OS/2 fsType)"),
    (
      .variable, "it is a variable font of a kind that HarfBuzz cannot fix (CFF2, or too many axes)"
    ),
    (.damaged, "HarfBuzz cannot make a subset of it"),
  ]

  private static func number(_ problem: FontProblem) -> Int {
    switch problem {
    case .noOutlines: 0
    case .forbidden: 1
    case .variable: 2
    case .damaged: 3
    }
  }

  static let setupErrors: [(PageSetupError, String)] = [
    (
      .paper("a44", suggestion: "a4"),
      "'paper' cannot be 'a44' (did you mean 'a4'?); use 'picture', a name such as 'a4', 'b5', 'letter' or "
        + "'10x15', or a size such as '210mm x 297mm'"
    ),
    (
      .length(option: "margin", "10"),
      "'margin' contains '10', a number without a unit; write '10mm' or '10pt', or the number without quotation "
        + "marks for points"
    ),
    (.length(option: "margin", "-1mm"), "'margin' contains '-1mm'; a length cannot be negative"),
    (
      .length(option: "margin", "ten"),
      "'margin' contains 'ten', which is not a length; write a number with mm, cm, in, pt or px, such as '10mm'"
    ),
    (
      .marginCount(3),
      "'margin' takes one length, two (top and bottom, left and right) or four (top, right, bottom, left), not 3"
    ),
    (
      .tooShort(option: "cell", "0mm", least: 1), "'cell' is '0mm'; it must be at least 1 point"
    ),
    (
      .tooLong(option: "bleed", "2m", most: 72), "'bleed' is '2m'; it must be at most 25.4 mm"
    ),
    (.lengthCount(option: "gutter", most: 2, found: 3), "'gutter' takes one or two lengths, not 3"),
    (
      .paperSize(width: 1, height: 1),
      "a page of 0.35 x 0.35 mm is not possible; sides must be from 1.06 mm to 381 km, and one at most "
        + "4,800 times the other"
    ),
    (
      .pageLabel("x"),
      "'page_labels' contains 'x'; write ranges as 'FIRST:STYLE/START/PREFIX' from page 1, such as '1:r 5:D', "
        + "with the style D, r, R, a, A or none"
    ),
    (
      .twoOrientations(paper: "a4 landscape", orientation: "portrait"),
      "'paper' is 'a4 landscape' but 'orientation' is 'portrait'; give one of them"
    ),
  ]

  private static func number(_ error: PageSetupError) -> Int {
    switch error {
    case .paper: 0
    case .length: 1
    case .marginCount: 2
    case .tooShort: 3
    case .tooLong: 4
    case .lengthCount: 5
    case .paperSize: 6
    case .pageLabel: 7
    case .twoOrientations: 8
    }
  }

  static let linkProblems: [(LinkProblem, String)] = [
    (
      .noScheme("example.org"), "'example.org' has no scheme; write 'https://…', 'mailto:…' or the like"
    ),
    (.noHost("https:"), "'https:' has no host or address after its scheme"),
    (
      .program("javascript:x"), "'javascript:x' is itself a program or document; use an address such as 'https://…'"
    ),
    (.control(7, "https://x"), "'https://x' contains the control character U+0007"),
    (.space("https://a b"), "'https://a b' has a space where an address cannot have one"),
    (.tooLong(9_000), "an address of 9000 bytes is too long; at most 8000"),
  ]

  private static func number(_ problem: LinkProblem) -> Int {
    switch problem {
    case .noScheme: 0
    case .noHost: 1
    case .program: 2
    case .control: 3
    case .space: 4
    case .tooLong: 5
    }
  }

  static let jpegFaults: [(JPEGFault, String)] = [
    (.file(FileError(.read, path: "a.jpg", code: EACCES)), "permission denied"),
    (.notAJPEG, "is not a JPEG file"),
    (.strayBytes, "has stray bytes between its segments"),
    (.precision(bits: 12), "is a 12-bit JPEG, which PDF readers show blank"),
    (.arithmeticCoding, "is an arithmetic-coded JPEG, which PDF readers show blank"),
    (.lossless, "is a lossless JPEG, which PDF readers show blank"),
    (.components(2), "is a JPEG with 2 components, which PDF cannot hold"),
    (.damaged("two frame headers"), "is damaged (two frame headers)"),
    (.truncated, "is truncated"),
    (.disputedColours, "is YCbCr by its JFIF marker and RGB by its Adobe marker"),
  ]

  private static func number(_ fault: JPEGFault) -> Int {
    switch fault {
    case .file: 0
    case .notAJPEG: 1
    case .strayBytes: 2
    case .precision: 3
    case .arithmeticCoding: 4
    case .lossless: 5
    case .components: 6
    case .damaged: 7
    case .truncated: 8
    case .disputedColours: 9
    }
  }

  static let pngFaults: [(PNGFault, String)] = [
    (.file(FileError(.read, path: "a.png", code: EACCES)), "permission denied"),
    (.notAPNG, "not a complete PNG file"),
    (.interlaced, "an interlaced PNG, which PDF cannot hold"),
    (.transparency, "a PNG with transparency, which PDF stores separately"),
    (.checksum(chunk: "IDAT", offset: 33), "wrong checksum of chunk IDAT at byte 33"),
    (
      .interrupted(offset: 99), "chunk IDAT at byte 99 does not follow the one before it"
    ),
  ]

  private static func number(_ fault: PNGFault) -> Int {
    switch fault {
    case .file: 0
    case .notAPNG: 1
    case .interlaced: 2
    case .transparency: 3
    case .checksum: 4
    case .interrupted: 5
    }
  }

  static let missingReasons: [(MissingCharacter.Reason, String)] = [
    (.noFont, "no installed font has 'ж' (U+0436); it is left out"),
    (
      .font("Old", .forbidden),
      "'ж' (U+0436) is left out, because the font 'Old' cannot be embedded: its licence forbids it (OS/2 fsType)"
    ),
    (
      .noOutlines("Emoji"), "'ж' (U+0436) is left out, because the font 'Emoji' has pictures instead of outlines"
    ),
  ]

  private static func number(_ reason: MissingCharacter.Reason) -> Int {
    switch reason {
    case .noFont: 0
    case .font: 1
    case .noOutlines: 2
    }
  }

  @Test func everyMessage() {
    check(Self.pdfErrors, count: 18, Self.number)
    check(Self.textErrors, count: 10, Self.number)
    check(Self.fontProblems, count: 4, Self.number)
    check(Self.setupErrors, count: 9, Self.number)
    check(Self.linkProblems, count: 6, Self.number)
    check(Self.jpegFaults, count: 10, Self.number)
    check(Self.pngFaults, count: 6, Self.number)
    let missing = Self.missingReasons.map {
      (MissingCharacter(character: "ж", reason: $0), $1)
    }
    check(missing, count: 3) { Self.number($0.reason) }
  }

  private func check<Value>(_ table: [(value: Value, text: String)], count: Int, _ number: (Value) -> Int) {
    for (value, text) in table { #expect("\(value)" == text) }
    #expect(
      Set(table.map { number($0.value) }) == Set(0..<count), "a case of \(Value.self) is missing")
  }

  // MARK: Standards

  static let pictures: [(Conformance, PDFPicture, String?)] = {
    func picture(
      _ compression: PDFPicture.Compression = .jpeg, _ space: PDFPicture.ColourSpace = .rgb, bits: Int = 8,
      mask: [UInt8]? = nil, profileVersion: UInt8 = 0
    ) -> PDFPicture {
      var profile = [UInt8](repeating: 0, count: profileVersion > 0 ? 200 : 0)
      if profileVersion > 0 {
        profile[8] = profileVersion
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
      }
      return PDFPicture(
        data: .bytes([]), compression: compression,
        format: PDFPicture.Format(width: 1, height: 1, colourSpace: space, bits: bits), mask: mask, iccProfile: profile)
    }
    let jpeg2000 = picture(.jpeg2000(statesColour: false, hasAlpha: false))
    return [
      (.pdfA1b, picture(), nil),
      (
        .pdfA2b, picture(.jpeg, .cmyk),
        "it is CMYK without a profile, and the file's output intent is sRGB; use reencode = true"
      ),
      (
        .pdfA1b, picture(profileVersion: 4), "its colour profile has version 4, and PDF 1.4 allows only 2; use pdf/a-2b"
      ),
      (.pdfA2b, picture(profileVersion: 4), nil),
      (.pdfA1b, picture(.flate, mask: [1]), "it has opacity; use flatten(), or pdf/a-2b"),
      (.pdfA1b, jpeg2000, "it is JPEG 2000, which PDF 1.4 does not have; use pdf/a-2b"),
      (
        .pdfA1b, picture(.flate, bits: 16), "it has 16 bits a sample, which PDF 1.4 does not have; use pdf/a-2b"
      ),
      (.pdfA3b, picture(.flate, bits: 16, mask: [1]), nil),
    ]
  }()

  @Test func whatStandardsForbidInPictures() {
    for (standard, picture, text) in Self.pictures { #expect(standard.problem(with: picture) == text) }
  }

  @Test func whatStandardsForbidOnPages() {
    let size = PageSize(width: 100, height: 100)
    var captioned = PDFPage(size: size)
    captioned.captions = [Caption("a", centre: 50, baseline: 10)]
    let long = PDFPage(size: PageSize(width: 100, height: 20_000))
    var translucent = PDFPage(size: size)
    var colour = Colour.black
    colour.alpha = 0.5
    translucent.under = [.fill(PageRectangle(left: 0, bottom: 0, width: 9, height: 9), colour)]
    for (standard, page, text) in [
      (.pdfA2b, captioned, "its caption's font, Helvetica, is not part of the file"),
      (.pdfA1b, long, "it is longer than 200 inches, which needs PDF 1.6; use pdf/a-2b"),
      (.pdfA1b, translucent, "it has a colour that is partly transparent; use pdf/a-2b"),
      (.pdfA2b, translucent, nil),
    ] as [(Conformance, PDFPage, String?)] {
      #expect(standard.problem(with: page) == text)
    }
  }

  @Test func whatStandardsForbidOfSettings() {
    var settings = DocumentSettings()
    settings.isCompact = true
    settings.version = .v17
    #expect(
      Conformance.pdfA1b.problems(with: settings).map(\.text) == [
        "PDF/A-1b has no object streams; leave out 'compact', or use pdf/a-2b",
        "PDF/A-1b is PDF 1.4; leave out 'pdf_version', or use pdf/a-2b",
      ])
    #expect(Conformance.pdfA2b.problems(with: settings) == [])
  }
}
