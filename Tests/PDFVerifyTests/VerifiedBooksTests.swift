import Foundation
import ImageCore
import PDFTestSupport
import Platform
import Testing

@testable import PDFBook
@testable import PDFVerify

/// Books that are right must verify, exactly.
@Suite struct VerifiedBooksTests {
  @Test(arguments: [1, 2]) func aPlainBook(jobs: Int) throws {
    let report = try TestBook().verify(jobs: jobs)
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal, .equal, .equal, .equal])
    #expect(report.text.hasPrefix("\(report.path): 4 pages, verified\n"))
    #expect(report.json.contains("\"verified\":true"))
  }

  @Test(arguments: Orientation.allCases) func everyOrientation(orientation: Orientation) throws {
    let book = try TestBook([TestPicture(3, width: 61, height: 37)], orientation: orientation)
    let report = try book.verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  static let papers = ["a4", "10x15", "letter landscape", "333pt x 777pt"]

  @Test(arguments: VerifiedBooksTests.papers, PageFit.allCases)
  func paperAndFit(paper: String, fit: PageFit) throws {
    var setup = PageSetup(fit: fit, background: Colour(red: 0.2, green: 0.4, blue: 0.6))
    try setup.setPaper(paper)
    try setup.setMargins("11mm 7mm 9mm 5mm")
    let book = try TestBook([TestPicture(5, width: 93, height: 71)], setup: setup, caption: "Été")
    let report = try book.verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  @Test func grayAndProgressive() throws {
    let book = try TestBook { writer, add in
      for components in [1, 3] {
        let picture = TestPicture(components, components: components)
        let page = try PageSetup().page(writer.add(PDFPicture(jpeg: picture.jpeg(quality: 95, progressive: true))))
        add(page, [picture.fingerprint])
        try writer.addPage(page)
      }
    }
    let report = try book.verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal, .equal])
  }

  @Test func cmykIsComparedRoughly() throws {
    let book = try TestBook { writer, add in
      let jpeg = TestPicture(2, components: 4).jpeg()
      let page = try PageSetup().page(writer.add(PDFPicture(jpeg: jpeg)))
      add(page, [])
      try writer.addPage(page)
    }
    let report = try book.verify()
    #expect(report.lines == [])
    guard case .rough = report.comparisons()[0] else {
      Issue.record("\(report.comparisons())")
      return
    }
    // Poppler's colours are too rough to tell.
    for (new, words) in [("", "has lost the Decode array"), ("/Decode[1 0 1 0]", "has another Dec")] {
      let lines = try book.verify(book.patched("/Decode[1 0 1 0 1 0 1 0]", new), as: "decode \(new.count)").lines
      #expect(
        lines.contains {
          $0.hasPrefix("1: error: the page is not as it was written: picture 1 \(words)")
        },
        "\(lines)")
    }
  }

  static let formats: [PixelFormat] = [
    .gray8, .rgb8, .rgba8, PixelFormat(.u16, .rgb), PixelFormat(.u16, .gray, alpha: true),
  ]

  @Test(arguments: VerifiedBooksTests.formats) func losslessPages(format: PixelFormat) throws {
    let layout = PictureLayout(width: 57, height: 43, format: format)
    var bytes = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 * $0 / 97 + $0 * 7) }
    if format.sample == .u16 { bytes = bytes.map { $0 / 3 * 2 } }
    var accumulator = PixelFingerprint.Accumulator(layout)
    let book = try TestBook { writer, add in
      let encoder = FlateEncoder(layout)
      try bytes.withUnsafeBytes {
        try encoder.write(layout.height, from: $0.baseAddress!, stride: layout.rowByteCount)
        accumulator.add(layout.height, from: $0.baseAddress!, stride: layout.rowByteCount)
      }
      try encoder.finish()
      let setup = PageSetup(background: Colour(red: 1, green: 0.5, blue: 0))
      let page = try setup.page(writer.add(encoder.picture))
      add(page, [accumulator.finish()])
      try writer.addPage(page)
    }
    let report = try book.verify()
    #expect(report.lines == [])
    switch report.comparisons()[0] {
    case .equal: #expect(format.sample == .u8 && !format.hasAlpha)
    case .within(let difference): #expect(difference <= (format.hasAlpha ? 2 : 1))
    case let other: Issue.record("\(other)")
    }
    if let check = try runTool("qpdf", ["--check", book.folder.write(book.bytes, as: "checked.pdf")]) {
      #expect(check.status == 0, "\(check.text)")
    }
  }

  @Test func profilesAreSetAside() throws {
    let book = try TestBook([TestPicture(1), TestPicture(2)], iccProfile: TestProfile.swapped)
    #expect(String(decoding: book.bytes, as: Unicode.ASCII.self).contains("[/ICCBased "))
    let report = try book.verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equalWithoutProfile, .equalWithoutProfile])
  }

  /// A change for each picture made books of 20,000 pages take six times as long: each holds a page of memory, and
  /// splits the mapping.
  @Test func sharedProfilesAreSetAsideOnce() throws {
    let book = try TestBook((1...40).map { TestPicture($0) }, iccProfile: TestProfile.swapped)
    let input = try InputFile(path: book.folder.write(book.bytes, as: "shared.pdf"))
    let file = try PDFFile(FileMapping(input))
    let pages = PageTreeReader(file).pages
    #expect(pages.count == 40)
    let view = try ProfileRemoval.view(of: file, pages: pages, input: input)
    #expect((1...2).contains(view.changed.count), "\(view.changed)")
  }

  @Test func hugePagesUseUserUnit() throws {
    var setup = PageSetup()
    try setup.setPaper("10000mm x 5000mm")
    let book = try TestBook([TestPicture(1)], setup: setup)
    #expect(String(decoding: book.bytes, as: Unicode.ASCII.self).contains("/UserUnit 2"))
    let report = try book.verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  @Test func referenceStreamsAreRead() throws {
    let folder = TestFolder()
    let descriptor = open(folder.file("large.pdf"), O_CREAT | O_WRONLY, 0o644)
    let writer = try PDFWriter(descriptor: descriptor, path: "", settings: DocumentSettings(), tableLimit: 1)
    for number in 1...40 {
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg()))
      try writer.addPage(PageSetup().page(picture))
    }
    _ = try writer.finish()
    close(descriptor)
    let report = try TestBook().verify(folder.read("large.pdf"), expecting: false)
    #expect(report.lines == [])
    #expect(report.comparisons() == Array(repeating: .equal, count: 40))
  }

  /// Objects in object streams, profiles among them, and files that have tables and streams at once.
  @Test(arguments: [["--object-streams=generate"], ["--object-streams=generate", "--linearize"]])
  func objectStreamsAreRead(options: [String]) throws {
    let book = try TestBook((1...40).map { TestPicture($0) }, caption: "Page", iccProfile: TestProfile.swapped)
    let path = book.folder.write(book.bytes, as: "plain.pdf")
    let packed = book.folder.file("packed.pdf")
    guard try runTool("qpdf", options + [path, packed]) != nil else { return }
    let report = try book.verify(book.folder.read("packed.pdf"))
    #expect(report.lines == [])
    #expect(report.comparisons() == Array(repeating: .equalWithoutProfile, count: 40))
    #expect(
      report.allLines == [
        "1: note: the font Helvetica is not embedded; readers use their own, or a similar one"
      ])
  }

  /// qpdf writes the content of a blank page as a packed stream of no bytes.
  @Test func blankPagesOfRewrittenBooks() throws {
    let book = try TestBook { writer, add in
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      for page in [try PageSetup().page(picture), PDFPage(size: PageSize(width: 72, height: 48))] {
        add(page, [])
        try writer.addPage(page)
      }
    }
    let path = book.folder.write(book.bytes, as: "plain.pdf")
    let other = book.folder.file("other.pdf")
    guard
      try runTool("qpdf", ["--linearize", "--object-streams=generate", path, other]) != nil
    else { return }
    #expect(try book.verify(book.folder.read("other.pdf"), expecting: false).lines == [])
  }

  /// Lines and text over pictures are nobody's fault where nothing says what is meant.
  @Test func othersMayDrawOverPictures() throws {
    let picture = "<</Subtype/Image/Width 40/Height 40/ColorSpace/DeviceGray/BitsPerComponent 1"
    let content =
      "q 80 0 0 80 9 9 cm /P Do Q 1 w 9 9 80 80 re S 20 20 m 40 60 l S "
      + "BT /F 12 Tf 30 40 Td (over) Tj ET"
    let rows = String(repeating: "5A3C5", count: 40)
    let bytes = TestBook.file([
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<</P 5 0 R>>"
        + "/Font<</F 6 0 R>>>>/Contents 4 0 R>>",
      HandmadeFaultsTests.stream(content),
      picture + "/Length \(rows.utf8.count)>>stream\n\(rows)\nendstream",
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ])
    let report = try TestBook([TestPicture(1, width: 8, height: 8)]).verify(bytes, expecting: false)
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
    #expect(report.allLines.first?.hasPrefix("note: no expectations found; checked") == true)
  }

  @Test func hybridFilesAreRead() throws {
    let report = try TestBook().verify(HybridFile.bytes, expecting: false)
    #expect(report.lines == [])
    #expect(report.pages.count == 1)
  }

  @Test func aHundredPages() throws {
    let pictures = (0..<100).map { TestPicture($0, width: 40, height: 40) }
    let report = try TestBook(pictures).verify()
    #expect(report.lines == [])
    #expect(report.pages.count == 100)
  }
}
