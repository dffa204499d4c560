import ImageCodecs
import BookExpectations
import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import Testing

/// A book of synthetic pages, with its expectations.
struct TestBook {
  let folder = TestFolder()
  private(set) var bytes: [UInt8] = []
  var expected = VerificationExpectations()

  /// Creates a book with one picture on each page.
  init(
    _ pictures: [TestPicture] = (1...4).map { TestPicture($0) }, orientation: Orientation = .upright,
    setup: PageSetup = PageSetup(), caption: String = "", iccProfile: [UInt8] = []
  ) throws {
    try self.init { writer, add in
      for picture in pictures {
        let reference = try writer.add(PDFPicture(jpeg: picture.jpeg(quality: 95), iccProfile: iccProfile))
        let page = try setup.page(reference, orientation: orientation, caption: caption)
        add(page, [orientation == .upright ? picture.fingerprint : nil])
        try writer.addPage(page)
      }
    }
  }

  /// Creates a book with a closure that adds pages and expectations.
  init(
    settings: DocumentSettings = DocumentSettings(),
    _ body: (PDFWriter, (PDFPage, [PixelFingerprint?]) -> Void) throws -> Void
  ) throws {
    var pages: [PageExpectation] = []
    let (bytes, _) = try folder.book(settings: settings) { writer in
      try body(writer) { page, fingerprints in
        pages.append(page.expectation(fingerprints: fingerprints))
      }
    }
    self.bytes = bytes
    expected.pages = pages
  }

  /// Verifies these bytes, or those of the book, against the book's expectations, which are converted to text and back.
  func verify(
    _ damaged: [UInt8]? = nil, jobs: Int = 2, expecting: Bool = true, as name: String = "checked",
    nativePixels: Int = 128 << 20
  ) throws -> VerificationReport {
    // A separate folder, because cases of one test run at the same time and share the book.
    let place = TestFolder()
    let path = place.write(damaged ?? bytes, as: name + ".pdf")
    defer { withExtendedLifetime(place) {} }
    var verifier = Verifier(jobs: jobs, deadline: 3_600) { (bytes) throws(PictureError) in
      let details = try JPEGCodec().readHeader(bytes).details
      guard details["arithmetic"] == nil, details["bits"] == .integer(8) else {
        throw .codec(.unsupported("arithmetic coding"))
      }
      return try JPEGCodec().makeDecoder(bytes)
    } onGivenUp: { report in
      preconditionFailure(report.text)
    }
    verifier.nativePixels = nativePixels
    let read = try VerificationExpectations(text: expected.text)
    #expect(read == expected)
    return verifier.verify(path, expecting: expecting ? read : nil)
  }

  /// Returns a PDF with these objects, numbered from 1; the first one is the catalogue.
  static func file(_ objects: [String]) -> [UInt8] {
    var text = "%PDF-1.4\n"
    var table = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for (index, object) in objects.enumerated() {
      let digits = String(text.utf8.count)
      table += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
      text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let start = text.utf8.count
    text += table + "trailer\n<</Size \(objects.count + 1)/Root 1 0 R>>\n"
    return Array((text + "startxref\n\(start)\n%%EOF\n").utf8)
  }

  /// Returns the book as if some objects had been written with other values, or further objects had been written.
  func updated(_ objects: [Int: String]) -> [UInt8] {
    var pieces = BookPieces(bytes)
    for (number, object) in objects.sorted(by: { $0.key < $1.key }) { pieces.set(number, object) }
    return pieces.bytes
  }

  /// Returns the book with new versions of objects at its end, as programs write them after a change (PDF 32000-1:2008,
  /// 7.5.6).
  func revised(_ objects: [Int: String]) -> [UInt8] {
    let trailer = text(from: "trailer\n<<", to: ">>").dropLast(2)
    let start = text(from: "startxref\n", to: "\n%%EOF").split(separator: "\n")[1]
    var (result, table) = (bytes, "xref\n")
    for (number, object) in objects.sorted(by: { $0.key < $1.key }) {
      let digits = String(result.count)
      table += "\(number) 1\n" + String(repeating: "0", count: 10 - digits.count) + digits
      table += " 00000 n \n"
      result += Array("\(number) 0 obj\n\(object)\nendobj\n".utf8)
    }
    let place = result.count
    return result + Array((table + trailer + "/Prev \(start)>>\nstartxref\n\(place)\n%%EOF\n").utf8)
  }

  /// Returns the book with its pages, numbered from 1, in another order.
  func ordered(_ order: [Int]) -> [UInt8] {
    let pages = text(from: "/Kids[", to: "]").dropFirst(6).dropLast().split(separator: " 0 R")
    let tree = Int(text(from: "/Pages ", to: " 0 R").dropFirst(7).dropLast(4))!
    let kids = order.map { pages[$0 - 1] + " 0 R" }.joined(separator: " ")
    return updated([tree: "<</Type/Pages/Kids[\(kids)]/Count \(order.count)>>"])
  }

  /// Returns the book with one occurrence of a text replaced by one of the same length or shorter, padded with spaces.
  func patched(_ old: String, _ new: String, only index: Int = 0) -> [UInt8] {
    let places = places(of: old)
    guard index < places.count, new.utf8.count <= old.utf8.count else {
      Issue.record("'\(old)' cannot become '\(new)'")
      return bytes
    }
    var result = bytes
    let filled = new + String(repeating: " ", count: old.utf8.count - new.utf8.count)
    result.replaceSubrange(places[index]..<places[index] + old.utf8.count, with: filled.utf8)
    return result
  }

  /// Returns the book with all occurrences of a text, or one of them, replaced by one of the same length.
  func replacing(_ old: String, _ new: String, only index: Int? = nil) -> [UInt8] {
    #expect(old.utf8.count == new.utf8.count)
    var result = bytes
    let places = places(of: old)
    #expect(places.count > index ?? 0, "'\(old)' is not in the book")
    for (number, place) in places.enumerated() where index == nil || index == number {
      result.replaceSubrange(place..<place + new.utf8.count, with: new.utf8)
    }
    return result
  }

  func places(of text: String) -> [Int] {
    let needle = Array(text.utf8)
    return bytes.indices.filter { bytes[$0] == needle[0] && bytes[$0...].starts(with: needle) }
  }

  func offset(of text: String) -> Int { places(of: text)[0] }

  /// Returns the text from one string to another, both included.
  func text(from start: String, to end: String) -> String {
    let rest = String(decoding: bytes[offset(of: start)...], as: Unicode.ASCII.self)
    return String(rest[..<rest.range(of: end)!.upperBound])
  }

  /// Returns the first object with this beginning, without its stream.
  func object(beginning start: String) throws -> (number: Int, text: String) {
    let place = try #require(places(of: " 0 obj\n" + start).first, "no object begins \(start)")
    let digits = bytes[..<place].reversed().prefix { (0x30...0x39).contains($0) }.reversed()
    let text = bytes[(place + 7)...].prefix { $0 != 10 }
    let number = try #require(Int(String(decoding: Array(digits), as: UTF8.self)))
    return (number, String(decoding: text, as: UTF8.self))
  }

  /// Returns the offset of a marker of the picture on a page; pages count from 0.
  func pictureByte(_ page: Int, marker: UInt8) -> Int {
    let start = places(of: "/Subtype/Image")[page]
    return bytes.indices.first { $0 > start && bytes[$0] == 0xff && bytes[$0 + 1] == marker }!
  }
}

extension VerificationReport {
  /// The errors and warnings as lines: `2: error: …`, without a number for the whole document.
  var lines: [String] { allLines.filter { !$0.contains("note: ") } }

  /// The errors, warnings and notes as lines.
  var allLines: [String] {
    findings.map { finding in
      (finding.page.map { "\($0): " } ?? "") + "\(finding.severity.rawValue): \(finding.text)"
    }
  }

  func comparisons() -> [Comparison] { pages.flatMap { $0.pictures.map(\.comparison) } }
}
