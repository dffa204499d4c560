import ImageCore
import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// Books that were changed after they were written: the expectations inside them must reveal the change and its place.
@Suite struct ChangedBooksTests {
  /// A kind of change, the function that makes it, and a line that must be in the report.
  struct Change: Sendable, CustomTestStringConvertible {
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

  static let changes: [Change] = [
    Change("swapped content", "4: error: the page has the content meant for page 3") { book in
      let contents = book.places(of: "/Contents ").map { place in
        Array(book.bytes[place...].prefix { $0 != UInt8(ascii: "R") })
      }
      var bytes = book.bytes
      for (index, other) in [(2, 3), (3, 2)] {
        let place = book.places(of: "/Contents ")[index]
        bytes.replaceSubrange(place..<place + contents[index].count, with: contents[other])
      }
      return bytes
    },
    Change("a page twice", "error: the page tree has object") { $0.ordered([1, 2, 2, 4]) },
    Change("another page's picture", "3: error: picture 1 is the one meant for page 2") { book in
      let references = pictureReferences(book)
      return patched(book.bytes, references[2], references[1])
    },
    Change("a bit of a picture", "3: error: the stored bytes of picture 1 are not those that") {
      book in
      var bytes = book.bytes
      bytes[book.pictureByte(2, marker: 0xda) + 300] ^= 4
      return bytes
    },
    Change("mirrored picture", "2: error: picture 1 is turned as EXIF orientation 2 instead of 1") {
      patched($0.bytes, "q 72 0 0 48 0 20 cm/P Do Q\n0 g BT", "q -72 0 0 48 72 20 cm/P Do Q BT", only: 1)
    },
    Change("moved picture", "4: error: picture 1 lies at (0, 25, 72, 48) instead of (0, 20, 72, 48)") {
      patched($0.bytes, "48 0 20 cm", "48 0 25 cm", only: 3)
    },
    Change("stretched picture", "1: error: picture 1 lies at (0, 20, 72, 58) instead of") {
      patched($0.bytes, "72 0 0 48", "72 0 0 58", only: 0)
    },
    Change("covered picture", "3: error: the page's content was changed after it was written") {
      patched($0.bytes, "0 g BT", "9 w BT", only: 2)
    },
    Change("blank page", "3: error: the page shows 0 pictures instead of 1") {
      patched($0.bytes, "q 72 0 0 48 0 20 cm/P Do Q\n", "", only: 2)
    },
    Change("lost caption", "2: error: the text 'Paris 2' is missing") {
      patched($0.bytes, "(Paris 2) Tj", "")
    },
    Change("another caption", "2: error: the text 'Paris 2' reads 'Milan 2'") {
      patched($0.bytes, "(Paris 2)", "(Milan 2)")
    },
    Change("moved caption", "2: error: the text 'Paris 2' is not where it was put") {
      patched($0.bytes, " 8 Td (Paris 2)", " 60 Td(Paris 2)")
    },
    Change("exchanged captions", "2: error: where the text 'Paris 2' should be is 'Paris 3', which belongs on page 3") {
      book in
      var bytes = book.bytes
      for (from, to) in [(1, "3"), (2, "2")] { bytes[book.places(of: "(Paris ")[from] + 7] = Array(to.utf8)[0] }
      return bytes
    },
    Change("lost font", "1: error: the page sets text in font 'F', which its resources do not") {
      patched($0.bytes, "/Font<</F", "/Funt<</F", only: 0)
    },
    Change("broken font", "1: error: the page's font 'F' is not a font") {
      patched($0.bytes, "/Font/Subtype/Type1", "/Font/Subtype/Type7")
    },
    Change("exotic font", "1: error: the font Helvetico is not embedded; readers") {
      patched($0.bytes, "/BaseFont/Helvetica", "/BaseFont/Helvetico")
    },
    Change("changed list", "error: the expectations that imghost wrote into the file are missing or damaged") {
      book in
      var bytes = book.bytes
      bytes[listStart(book) + 20] ^= 0x40
      return bytes
    },
    Change("lost list", "error: the expectations that imghost wrote into the file are missing or damaged") {
      patched($0.bytes, "/Private ", "/Privote ")
    },
    Change("no list", "error: the file names imghost as its producer, but its expectations are missing") {
      patched($0.bytes, "/PieceInfo", "/PieceInfx")
    },
    Change("half a file", "error: the file is truncated; its end is missing") {
      Array($0.bytes.prefix($0.bytes.count / 2))
    },
    Change("last bytes lost", "error: the file is truncated; its end is missing") {
      Array($0.bytes.dropLast(6))
    },
    Change("start beyond the end", "error: the end of the file does not say where the cross-") {
      book in
      let start = book.text(from: "startxref\n", to: "\n%%EOF")
      return patched(
        book.bytes, start,
        "startxref\n" + String(repeating: "9", count: start.utf8.count - 16) + "\n%%EOF")
    },
    Change("wrong size in the trailer", "error: the trailer counts 3 objects; the cross-reference") {
      book in
      let size = book.text(from: "/Size ", to: "/Root")
      return patched(book.bytes, size, "/Size 3 /Root".padding(size.utf8.count, before: "/Root"))
    },
    Change("free entry", "error: the page tree is broken at object") { book in
      var bytes = book.bytes
      let page = Int(book.text(from: "/Kids[", to: " 0 R").dropFirst(6).dropLast(4))!
      let table = book.offset(of: "xref\n0 ")
      let rows = bytes[(table + 5)...].firstIndex(of: 10)! + 1
      bytes[rows + page * 20 + 17] = UInt8(ascii: "f")
      return bytes
    },
    Change("arithmetic JPEG", "2: error: picture 1 cannot be decoded") { book in
      var bytes = book.bytes
      bytes[book.pictureByte(1, marker: 0xc0) + 1] = 0xc9
      return bytes
    },
    Change("other filter", "2: error: picture 1 cannot be decoded: it is not JPEG 2000 data") {
      patched($0.bytes, "/Filter/DCTDecode", "/Filter/JPXDecode", only: 1)
    },
    Change("foreign filter", "2: error: the page is not as it was written: picture 1: it is compr") {
      patched($0.bytes, "/Filter/DCTDecode", "/Filter/LZWDecode", only: 1)
    },
    Change("unknown filter", "2: error: picture 1 cannot be decoded: it uses the unknown filter") {
      patched($0.bytes, "/Filter/DCTDecode", "/Filter/DCTDecodf", only: 1)
    },
    Change("interpolation", "3: error: the page is not as it was written: picture 1 has the entry") {
      patched($0.bytes, "/BitsPerComponent 8", "/Interpolate true", only: 2)
    },
    Change("added Decode", "3: error: the page is not as it was written: picture 1 has a Decode") {
      patched($0.bytes, "/BitsPerComponent 8", "/Decode[0 1]", only: 2)
    },
    Change("action of a page", "2: error: the page is not as it was written: the page has the en") {
      patched($0.bytes, "/Type/Page/Parent", "/AA<<>>/Parent", only: 1)
    },
    Change("generation", "2: error: poppler says: Internal error") { book in
      var bytes = book.bytes
      let picture = Int(pictureReferences(book)[1].dropFirst(3).dropLast(4))!
      let table = book.offset(of: "xref\n0 ")
      let rows = bytes[(table + 5)...].firstIndex(of: 10)! + 1
      bytes[rows + picture * 20 + 15] = UInt8(ascii: "1")
      return bytes
    },
  ]

  @Test(arguments: ChangedBooksTests.changes) func isNoticed(change: Change) throws {
    let book = try Self.captioned.get()
    let report = try book.verify(change.make(book), expecting: false, as: change.name)
    #expect(
      report.lines.contains { $0.hasPrefix(change.line) },
      "\(change.line) is not among \(report.lines)")
    if change.line.contains("error") { #expect(!report.isVerified) }
  }

  @Test func unchangedBooksVerify() throws {
    let book = try Self.captioned.get()
    #expect(try book.verify(expecting: false).lines == [])
    #expect(
      try book.verify(expecting: false).pages.allSatisfy { $0.pictures[0].isExpectedStream == true }
    )
  }

  /// Two colours of a palette changed places: the stream is as it was.
  @Test func palettesAreSealed() throws {
    // Each row begins with PNG's filter 0.
    let rows: [UInt8] = [0, 0, 1, 0, 1, 0, 1, 0, 1, 0]
    let picture = PDFPicture(
      data: .bytes(Deflater.compress(rows, level: 9)), compression: .flate,
      format: PDFPicture.Format(width: 4, height: 2, colourSpace: .indexed(palette: [255, 0, 0, 0, 0, 255])),
      iccProfile: [])
    let book = try TestBook { writer, _ in
      try writer.addPage(PageSetup(dpi: 20).page(writer.add(picture)))
    }
    #expect(try book.verify(expecting: false).lines == [])
    let lines = try book.verify(book.patched("<ff00000000ff>", "<0000ffff0000>"), expecting: false, as: "palette").lines
    #expect(
      lines.contains { $0.hasPrefix("1: error: the stored bytes of picture 1 are not") }, "\(lines)"
    )
  }

  /// Changes are found on pages that their pictures fill, although no digest of their content is kept.
  @Test(arguments: [
    ("72 0 0 48 0 0 cm", "72\t0 0 48 0 0 cm", "the page's content was changed after it was"),
    ("72 0 0 48 0 0 cm", "72 0 0 48 1 0 cm", "picture 1 lies at (1, 0, 72, 48) instead of (0, 0, "),
    ("/MediaBox[0 0 72 48]", "/MediaBox[0 0 72 49]", "the page is 72 x 49 points instead of"),
  ])
  func fullPagesAreSealed(old: String, new: String, line: String) throws {
    var settings = DocumentSettings()
    settings.sharesContents = true
    let book = try TestBook(settings: settings) { writer, _ in
      for number in 1...2 {
        let picture = try PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95))
        try writer.addPage(PageSetup(dpi: 96).page(writer.add(picture)))
      }
    }
    #expect(try book.verify(expecting: false).lines == [])
    let lines = try book.verify(book.patched(old, new), expecting: false).lines
    #expect(lines.contains { $0.hasPrefix("1: error: \(line)") }, "\(lines)")
  }

  /// Readers show nothing of a picture whose profile is for two components.
  @Test func profilesHaveComponents() throws {
    let book = try TestBook([TestPicture(1)], iccProfile: TestProfile.swapped)
    let lines = try book.verify(book.patched("<</N 3", "<</N 2"), expecting: false).lines
    #expect(
      lines.contains(
        "1: error: picture 1 cannot be decoded: its ICC profile has an invalid number of components"
      ), "\(lines)")
  }

  /// Rows are read in another way: the stream is as it was.
  @Test func predictorsAreSealed() throws {
    let layout = PictureLayout(width: 20, height: 20, format: .rgb8)
    let pixels = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let book = try TestBook { writer, _ in
      let encoder = FlateEncoder(layout)
      try pixels.withUnsafeBytes {
        try encoder.write(20, from: $0.baseAddress!, stride: layout.rowByteCount)
      }
      try encoder.finish()
      try writer.addPage(PageSetup().page(writer.add(encoder.picture)))
    }
    #expect(try book.verify(expecting: false).lines == [])
    let start = "1: error: the page is not as it was written: "
    let more = start + "picture 1: its compressed data has more than the rows that it states"
    let renamed = try book.verify(book.patched("<</Predictor", "<</Xredictor"), expecting: false, as: "renamed").lines
    #expect(
      renamed == [
        more,
        start
          + "what picture 1 says of its compression has the entry 'Xredictor', which imghost never "
          + "writes",
      ])
    let entry = book.text(from: "/DecodeParms<<", to: ">>")
    let lost = try book.verify(book.patched(entry, ""), expecting: false, as: "lost").lines
    #expect(lost == [more])
  }

  /// Soft masks and profiles count as well.
  @Test func masksAndProfilesAreSealed() throws {
    let layout = PictureLayout(width: 20, height: 20, format: .rgba8)
    let pixels = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let book = try TestBook { writer, _ in
      let encoder = FlateEncoder(layout, iccProfile: TestProfile.swapped)
      try pixels.withUnsafeBytes {
        try encoder.write(20, from: $0.baseAddress!, stride: layout.rowByteCount)
      }
      try encoder.finish()
      try writer.addPage(PageSetup().page(writer.add(encoder.picture)))
    }
    #expect(try book.verify(expecting: false).lines == [])
    for (start, offset) in [("/ColorSpace/DeviceGray", 12), ("<</N 3", 12)] {
      var bytes = book.bytes
      let object = book.offset(of: start)
      let stream = book.places(of: "stream\n").first { $0 > object }! + 7
      bytes[stream + offset] ^= 1
      let lines = try book.verify(bytes, expecting: false).lines
      #expect(lines.contains { $0.hasPrefix("1: error: the stored bytes of picture 1 or of its ") })
    }
  }

  private static let captioned = Result {
    try TestBook { writer, _ in
      for number in 1...4 {
        let reference = try writer.add(
          PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        let rectangle = PageRectangle(left: 0, bottom: 20, width: 72, height: 48)
        try writer.addPage(
          PDFPage(
            size: PageSize(width: 72, height: 80),
            placements: [Placement(reference, in: rectangle)],
            captions: [Caption("Paris \(number)", centre: 36, baseline: 8)]))
      }
    }
  }

  /// Returns the reference `/P 7 0 R` of each page.
  private static func pictureReferences(_ book: TestBook) -> [String] {
    book.places(of: "<</P ").compactMap { place in
      let text = String(decoding: book.bytes[place + 2..<place + 15], as: Unicode.ASCII.self)
      guard let end = text.range(of: " 0 R") else { return nil }
      return String(text[..<end.upperBound])
    }
  }

  private static func listStart(_ book: TestBook) -> Int {
    let number = book.text(from: "/Private ", to: " 0 R").dropFirst(9).dropLast(4)
    let object = book.offset(of: "\n\(number) 0 obj\n")
    return book.places(of: "stream\n").first { $0 > object }! + 7
  }

  /// Returns the bytes with one occurrence of a text replaced by one of the same length or shorter, padded with spaces.
  private static func patched(_ bytes: [UInt8], _ old: String, _ new: String, only index: Int = 0) -> [UInt8] {
    let needle = Array(old.utf8)
    let places = bytes.indices.filter {
      bytes[$0] == needle[0] && bytes[$0...].starts(with: needle)
    }
    guard index < places.count, new.utf8.count <= needle.count else {
      Issue.record("'\(old)' cannot become '\(new)'")
      return bytes
    }
    var result = bytes
    let filled = Array(new.utf8) + Array(repeating: 32, count: needle.count - new.utf8.count)
    result.replaceSubrange(places[index]..<places[index] + needle.count, with: filled)
    return result
  }
}

extension String {
  /// Returns the text padded with spaces before its end, to a length.
  fileprivate func padding(_ count: Int, before end: String) -> String {
    dropLast(end.count) + String(repeating: " ", count: max(0, count - utf8.count)) + end
  }
}
