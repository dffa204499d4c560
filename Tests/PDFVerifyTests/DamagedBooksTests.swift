import BookExpectations
import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import TestSupport
import Testing

/// Books with one fault each: the finding must name the fault and the page.
@Suite struct DamagedBooksTests {
  /// A kind of damage, the function that causes it, and a line that must be in the report.
  struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    let line: String
    let make: @Sendable (TestBook) throws -> [UInt8]

    init(
      _ name: String, _ line: String, _ make: @escaping @Sendable (TestBook) throws -> [UInt8]
    ) {
      (self.name, self.line, self.make) = (name, line, make)
    }

    var testDescription: String { name }
  }

  static let damages: [Damage] = [
    Damage("swapped pages", "2: error: the page changed places with page 3") {
      try rebuilt($0, order: [0, 2, 1, 3])
    },
    Damage("duplicated page", "3: error: the page is a second copy of page 2") {
      try rebuilt($0, order: [0, 1, 1, 3])
    },
    Damage("lost page", "error: page 4 is missing") {
      try rebuilt($0, order: [0, 1, 2])
    },
    Damage("blank page", "3: error: the page shows 0 pictures instead of 1") {
      try rebuilt($0, order: [0, 1, nil, 3])
    },
    Damage("shifted by a pixel", "2: error: picture 1 lies at (1, 0, 72, 48) instead of") {
      $0.replacing("72 0 0 48 0 0 cm/P Do", "72 0 0 48 1 0 cm/P Do", only: 1)
    },
    Damage("wrong orientation", "4: error: picture 1 is turned as EXIF orientation 3 instead of 1") {
      try rebuilt($0, order: [0, 1, 2, 3], orientation: .rotated180, of: 3)
    },
    Damage("shifted pixels", "1: error: the stored bytes of picture 1 are not those that were") {
      try rebuilt($0, order: [-1, 1, 2, 3])
    },
    Damage("wrong colours", "2: error: picture 1 states 1 colour component") {
      $0.replacing(
        " 0 obj\n<</Subtype/Image/Width 96/Height 64/ColorSpace/DeviceRGB",
        " 0 obj<</Subtype/Image/Width 96/Height 64/ColorSpace/DeviceGray", only: 1)
    },
    Damage("truncated", "error: the file is truncated; its end is missing") {
      Array($0.bytes.dropLast(2_000))
    },
    Damage("wrong start", "error: the cross-reference table is missing at byte 17") { book in
      let start = book.text(from: "startxref\n", to: "\n%%EOF")
      return book.replacing(start, "startxref\n" + pad("17", start.utf8.count - 16) + "\n%%EOF")
    },
    Damage("wrong cross-reference", "error: the cross-reference table puts object 3 at byte") {
      book in
      var bytes = book.bytes
      let table = book.offset(of: "xref\n0 ")
      let entry = table + Array(bytes[table...].prefix { $0 != 10 }).count
      let rows = bytes[(entry + 1)...].firstIndex(of: 10)! + 1
      bytes[rows + 3 * 20 + 9] ^= 1
      return bytes
    },
    Damage("wrong MediaBox", "2: error: the page is 72 x 49 points instead of 72 x 48") {
      $0.replacing("/MediaBox[0 0 72 48]", "/MediaBox[0 0 72 49]", only: 1)
    },
    Damage("impossible MediaBox", "2: error: the MediaBox is 72 x 0 units; sides go from 3 to") {
      $0.replacing("/MediaBox[0 0 72 48]", "/MediaBox[0 0 72 00]", only: 1)
    },
    Damage("no MediaBox", "3: error: the MediaBox is missing") {
      $0.replacing("/MediaBox[", "/MediaBux[", only: 2)
    },
    Damage("unbalanced q", "2: error: the page's content has 1 'q' without 'Q'") {
      $0.replacing("Do Q\n", "Do n\n", only: 1)
    },
    Damage("unbalanced Q", "2: error: the page's content has 1 'Q' without 'q'") {
      $0.replacing("q 72 0 0", "n 72 0 0", only: 1)
    },
    Damage("unknown operator", "3: error: the page's content has the unknown operator 'dO'") {
      $0.replacing("/P Do", "/P dO", only: 2)
    },
    Damage("missing resource", "3: error: the page draws 'Q', which its resources do not have") {
      $0.replacing("cm/P Do", "cm/Q Do", only: 2)
    },
    Damage("wrong stream length", "2: error: the stream of object 7 is") { book in
      let lengths = book.places(of: "/Filter/DCTDecode/Length ")
      var bytes = book.bytes
      bytes[lengths[1] + 25] ^= 1
      return bytes
    },
    Damage("wrong count", "error: object 6 of the page tree counts 5 pages; there are 4") {
      $0.replacing("/Count 4", "/Count 5")
    },
    Damage("0 pages", "error: the document has no pages") { book in
      let kids = book.text(from: "/Kids[", to: "]")
      return book.replacing(kids, "/Kids[" + String(repeating: " ", count: kids.count - 7) + "]")
    },
    Damage("no root", "error: there is no document catalogue") {
      $0.replacing("/Root 2 0 R", "/Riot 2 0 R")
    },
    Damage("12-bit JPEG", "2: error: picture 1 cannot be decoded") { book in
      var bytes = book.bytes
      bytes[book.pictureByte(1, marker: 0xc0) + 4] = 12
      return bytes
    },
    Damage("damaged JPEG", "3: error: picture 1 cannot be decoded") { book in
      var bytes = book.bytes
      let scan = book.pictureByte(2, marker: 0xda)
      bytes.replaceSubrange(scan + 200..<scan + 202, with: [0xff, 0xd9])
      return bytes
    },
    Damage("wrong size stated", "2: error: picture 1 states 69x64 pixels; its data has 96x64") {
      $0.replacing("/Width 96", "/Width 69", only: 1)
    },
    Damage("not a PDF", "error: the file is not a PDF; it does not begin with %PDF-") {
      $0.replacing("%PDF-1.4", "%PNG-1.4")
    },
    Damage("empty", "error: the file is empty") { _ in [] },
    Damage("moved content", "1: error: the page's content is missing") {
      $0.replacing("/Contents ", "/Cantents ", only: 0)
    },
    Damage("other pixels of the same bytes", "2: error: picture 1 has 64x96 pixels instead of") {
      book in
      book.replacing("/Width 96/Height 64", "/Width 64/Height 96", only: 1)
    },
  ]

  @Test(arguments: sampled(DamagedBooksTests.damages)) func isCaught(damage: Damage) throws {
    let book = try TestBook()
    let report = try book.verify(damage.make(book))
    #expect(!report.isVerified)
    #expect(
      report.lines.contains { $0.hasPrefix(damage.line) },
      "\(damage.line) is not among \(report.lines)")
  }

  /// Pixels that are not what was meant although the stream's digest was not expected to differ.
  @Test func fingerprintsTellPicturesApart() throws {
    var book = try TestBook()
    let fingerprints = book.expected.pages.map { $0.pictures[0].fingerprint }
    for (index, other) in [0, 2, 1, 3].enumerated() {
      let page = book.expected.pages[index]
      book.expected.pages[index] = PageExpectation(
        width: page.width, height: page.height,
        pictures: [page.pictures[0].with(fingerprint: fingerprints[other])])
    }
    let lines = try book.verify().lines
    #expect(lines.contains { $0.hasPrefix("2: error: picture 1 does not look as meant: ") })
    #expect(lines.contains { $0.hasPrefix("2: error: picture 1 looks more like page 3 (") })
    #expect(!lines.contains { $0.hasPrefix("1:") || $0.hasPrefix("4:") })
  }

  /// Numbers without measure end in a finding, not in a trap.
  @Test(arguments: [
    ".00000 0 0 .0000 0 0 cm", "9e9999 0 0 1 0 0 cm", "99999999999999999999 0 0 9 0 cm",
  ])
  func absurdNumbersAreSurvived(matrix: String) throws {
    let objects = [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<</F 5 0 R>>>>"
        + "/Contents 4 0 R>>",
      "<</Length 999>>stream\n99999999999999999999 g 0 0 99 99 re f q \(matrix) /F Do Q\nendstream",
      "<</Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
        + "stream\nA\nendstream",
    ]
    let report = try TestBook().verify(TestBook.file(objects), expecting: false)
    #expect(report.lines.contains { $0.hasPrefix("1: error: the stream of object 4 is ") })
    #expect(report.lines.contains { $0.contains("picture 1") })
  }

  @Test func scribblesAreCaught() throws {
    let book = try TestBook { writer, add in
      for number in 1...2 {
        let picture = TestPicture(number)
        let reference = try writer.add(PDFPicture(jpeg: picture.jpeg(quality: 95)))
        var page = try PageSetup().page(reference)
        add(page, [picture.fingerprint])
        if number == 2 { page.captions = [Caption("X", centre: 36, baseline: 20, fontSize: 8)] }
        try writer.addPage(page)
      }
    }
    let lines = try book.verify().lines
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("2: error: picture 1 is not shown as it is stored: ") == true)
  }

  /// Any few damaged bytes gives a report, never a crash.
  @Test func randomDamageIsSurvived() throws {
    let book = try TestBook([TestPicture(1, width: 16, height: 16)])
    var generator = SplitMix(20_261_121)
    for _ in 0..<rounds(200) {
      var bytes = book.bytes
      for _ in 0..<3 { bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(generator.next() & 0xff) }
      _ = try book.verify(bytes, jobs: 1)
    }
  }

  private static func pad(_ text: String, _ count: Int) -> String {
    text + String(repeating: " ", count: count - text.count)
  }

  /// Returns the book with pages in another order; -1 is the first picture, shifted left by a pixel.
  private static func rebuilt(_ book: TestBook, order: [Int?], orientation: Orientation = .upright, of turned: Int = -1)
    throws -> [UInt8]
  {
    try book.folder.book("rebuilt.pdf") { writer in
      for (index, number) in order.enumerated() {
        guard let number else {
          try writer.addPage(PDFPage(size: PageSize(width: 72, height: 48)))
          continue
        }
        let picture = number < 0 ? TestPicture(1).shiftedLeft() : TestPicture(number + 1)
        let reference = try writer.add(PDFPicture(jpeg: picture.jpeg(quality: 95)))
        try writer.addPage(PageSetup().page(reference, orientation: index == turned ? orientation : .upright))
      }
    }.bytes
  }
}
