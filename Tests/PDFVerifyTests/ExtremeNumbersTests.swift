import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook
@testable import PDFVerify

/// Numbers in hostile files that no sum may overflow: nothing crashes, and a wrong file is reported.
@Suite struct ExtremeNumbersTests {
  private static let extremes = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-1", "999999999999999", "4294967296",
    "2147483648", "-999999999999999",
  ]

  /// Every number of every object, one at a time and drawn at random, in a book with an outline, links and captions.
  @Test(arguments: 0..<4) func replaceNumbersOfObjects(seed: Int) throws {
    let book = try StructureTests.book.get()
    var generator = SplitMix(UInt64(seed) * 104_729 + 5)
    let numbers = try Regex("-?[0-9]+(\\.[0-9]+)?")
    for _ in 0..<rounds(120) {
      var pieces = BookPieces(book.bytes)
      let index = Int.random(in: pieces.objects.indices, using: &generator)
      let (number, bytes) = pieces.objects[index]
      // One character for each byte.
      let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      let end = text.range(of: "stream\n") ?? text.range(of: "endobj")
      let body = text.range(of: " obj\n")!.upperBound..<end!.lowerBound
      guard let place = text[body].ranges(of: numbers).randomElement(using: &generator) else { continue }
      let value = Self.extremes.randomElement(using: &generator)!
      let changed = text[..<place.lowerBound] + value + text[place.upperBound...]
      pieces.objects[index] = (number, changed.unicodeScalars.map { UInt8($0.value) })
      _ = try book.verify(pieces.bytes, expecting: seed % 2 == 0, as: "seed \(seed), object \(number)")
    }
  }

  @Test(arguments: extremes) func replaceNumbersOfTheFile(value: String) throws {
    let book = try StructureTests.book.get()
    let report = { (pieces: BookPieces) in try book.verify(pieces.bytes, expecting: false, as: "file").lines }
    for key in ["Size", "Prev", "Root", "XRefStm"] {
      var pieces = BookPieces(book.bytes)
      pieces.trailer = pieces.trailer.replacing(try Regex("/\(key) [0-9]+"), with: "") + "/\(key) \(value)"
      #expect(try key == "Size" || !report(pieces).isEmpty, "\(key)")
    }
    var pieces = BookPieces(book.bytes)
    pieces.entries[3] = "\(value) 00000 n \n"
    #expect(try !report(pieces).isEmpty)
    pieces = BookPieces(book.bytes)
    pieces.table = "\(value) 1\n0000000009 00000 n \n"
    #expect(try !report(pieces).isEmpty)
    pieces.table = "3 \(value)\n0000000009 00000 n \n"
    #expect(try !report(pieces).isEmpty)
  }

  /// Eight bytes of a cross-reference stream, as the offset of an object and as the number of an object stream.
  @Test(arguments: ["\u{1}", "\u{2}"], ["\u{7f}", "\u{80}", "\u{ff}"])
  func fillAStream(kind: String, first: String) throws {
    let place = first + String(repeating: first == "\u{80}" ? "\u{0}" : "\u{ff}", count: 7)
    let objects = [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>",
      "<</Type/XRef/W[1 8 1]/Index[4 1]/Size 5/Root 1 0 R/Length 10>>stream\n\(kind)\(place)\u{0}\nendstream",
    ]
    var text = "%PDF-1.5\n"
    var start = 0
    for (index, object) in objects.enumerated() {
      start = text.unicodeScalars.count
      text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let file = text.unicodeScalars.map { UInt8($0.value) } + Array("startxref\n\(start)\n%%EOF\n".utf8)
    #expect(try !StructureTests.book.get().verify(file, expecting: false, as: "stream").lines.isEmpty)
  }
}
