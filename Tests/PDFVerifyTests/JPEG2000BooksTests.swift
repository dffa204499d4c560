import COpenJPEG
import ImageCodecs
import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import TestSupport
import Testing

/// Books of JPEG 2000 files, exchanged pictures, and damaged ones.
@Suite struct JPEG2000BooksTests {
  /// A book with a page for each of these, in all orientations by turns from the first.
  ///
  /// - Parameter meant: what the pages should show; the stored bytes' digests are expected in any case.
  private static func book(_ pictures: [TestJPEG2000], meant: [TestJPEG2000]? = nil, first: Int = 0)
    throws
    -> TestBook
  {
    let files = TestFolder()
    return try TestBook { writer, add in
      for (index, picture) in pictures.enumerated() {
        let file = try InputFile(path: files.write(picture.encoded(), as: "\(index).jp2"))
        let header = try JPEG2000Codec().readHeader(file)
        let reference = try writer.add(
          PDFPicture(
            jpeg2000File: file, width: picture.width, height: picture.height, components: picture.components,
            bits: picture.bits, isCodestream: picture.isCodestream, hasAlpha: header.layout.format.hasAlpha))
        let orientation = Orientation.allCases[(first + index) % 8]
        let page = try PageSetup().page(reference, orientation: orientation)
        add(page, [meant?[index].fingerprint])
        try writer.addPage(page)
      }
    }
  }

  private static let eight = (1...8).map { TestJPEG2000(width: 96, height: 64, seed: $0) }

  @Test func verifyInAllOrientations() throws {
    let report = try Self.book(Self.eight).verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == Array(repeating: .equal, count: 8))
  }

  /// Pictures of different kinds verify as imghost stores them.
  @Test func verifyInAllKinds() throws {
    let report = try Self.book([
      TestJPEG2000(bits: 12), TestJPEG2000(components: 1, colours: OPJ_CLRSPC_GRAY),
      TestJPEG2000(isCodestream: true), TestJPEG2000(components: 4, hasAlpha: true),
    ]).verify()
    // Since 24.12 poppler draws opacity in data, which is then not compared.
    let drawsOpacity = PopplerVersion.drawsOpacityInData
    let words = drawsOpacity ? "was not compared exactly: poppler shows the opacity" : "has opacity in its"
    #expect(report.lines.count == 1 && report.lines[0].hasPrefix("4: warning: picture 1 \(words)"), "\(report.lines)")
    #expect(report.comparisons() == [.equal, .equal, .equal, drawsOpacity ? .notCompared : .equal])
  }

  /// The pixels that poppler shows are those meant, and not only those stored.
  @Test func pixelsAreThoseMeant() throws {
    let one = [Self.eight[0]]
    #expect(try Self.book(one, meant: one).verify().lines == [])
    let lines = try Self.book([Self.eight[1]], meant: one).verify().lines
    #expect(lines.contains { $0.hasPrefix("1: error: ") && $0.contains(" dB") }, "\(lines)")
  }

  /// Two files of the same size, one in the place of the other.
  @Test func exchangedBytesAreNamed() throws {
    let book = try Self.book(Array(Self.eight[..<2]))
    let other = try Self.book([Self.eight[1], Self.eight[0]])
    let lines = try book.verify(other.bytes).lines
    #expect(lines.contains { $0.hasPrefix("1: error: ") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("2: error: ") }, "\(lines)")
  }

  /// The picture is turned upside down by its matrix, with all of its bytes as they were.
  @Test func anotherOrientationIsNamed() throws {
    let book = try Self.book([Self.eight[0]], meant: [Self.eight[0]])
    let turned = try Self.book([Self.eight[0]], first: 2)
    let lines = try book.verify(turned.bytes).lines
    #expect(lines.contains { $0.hasPrefix("1: error: ") }, "\(lines)")
  }

  /// Bytes changed and cut off by a fixed sequence: nothing crashes, and what the library still
  /// reads is compared with the same in poppler.
  @Test(arguments: 1...6) func damagedFilesDoNotCrash(seed: Int) throws {
    var random = SplitMix(UInt64(seed))
    let kinds =
      [
        TestJPEG2000(), TestJPEG2000(components: 1, colours: OPJ_CLRSPC_GRAY),
        TestJPEG2000(isCodestream: true), TestJPEG2000(components: 4, hasAlpha: true),
        TestJPEG2000(bits: 16), TestJPEG2000(isTiled: true),
        TestJPEG2000(subsampling: 2, colours: OPJ_CLRSPC_SYCC),
      ].map { $0.encoded() } + [
        TestJPEG2000.adding(TestJPEG2000.palette, to: TestJPEG2000(components: 1).encoded())
      ]
    let pages = (0..<28).map { index in
      JPEG2000Pages.Page(
        data: random.damaged(kinds[index % kinds.count]),
        entries: index % 5 == 0 ? "/SMaskInData 1" : "")
    }
    let report = try JPEG2000Pages.verify(pages)
    #expect(report.pages.count == 28)
    #expect(!report.comparisons().contains(.different), "\(report.lines)")
    #expect(report.comparisons().contains(.notCompared))
  }
}

extension SplitMix {
  /// A few bytes changed, most of them among the headers; sometimes cut off.
  fileprivate mutating func damaged(_ file: [UInt8]) -> [UInt8] {
    var bytes = file
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let end = Bool.random(using: &self) ? bytes.count : min(200, bytes.count)
      let place = Int.random(in: 0..<end, using: &self)
      bytes[place] = UInt8.random(in: 0...255, using: &self)
    }
    if Int.random(in: 0..<4, using: &self) == 0 {
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &self))
    }
    return bytes
  }
}
