import ImageCore
@testable import PDFBook
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFVerify

/// Sealed books that were changed so that two readers may show different documents.
@Suite struct ForgedBooksTests {
  /// One way to forge a book.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (inout BookPieces) -> Void
    var testDescription: String { name }

    init(_ name: String, _ change: @escaping @Sendable (inout BookPieces) -> Void) {
      (self.name, self.change) = (name, change)
    }

    /// Replaces a text of an object.
    init(_ name: String, _ old: String, _ new: String) { self.init(name) { $0.replace(old, new) } }
  }

  private static let book = Result { try TestBook([TestPicture(1), TestPicture(2)], caption: "A caption") }

  private static let trailers: [Forgery] = [
    Forgery("another Root after the first") { $0.trailer += "/Root \($0.addOther()) 0 R" },
    Forgery("another Root before the first") { $0.trailer = "/Root \($0.addOther()) 0 R" + $0.trailer },
    Forgery("another Root by an escape") { $0.trailer += "/R#6fot \($0.addOther()) 0 R" },
    Forgery("another Root by an escape, first") { $0.trailer = "/#52oot \($0.addOther()) 0 R" + $0.trailer },
    Forgery("Root twice, the same") {
      $0.trailer += $0.trailer.split(separator: "/").filter { $0.hasPrefix("Root") }.map { "/" + $0 }.joined()
    },
    Forgery("Root and null") { $0.trailer += "/Root null" },
    Forgery("an encryption that is null") { $0.trailer += "/Encrypt null" },
    Forgery("an encryption of nothing") { $0.trailer += "/Encrypt<<>>" },
    Forgery("an earlier section that is null") { $0.trailer += "/Prev null" },
    Forgery("an encryption that is an object of null") { pieces in
      pieces.trailer += "/Encrypt \(pieces.next) 0 R"
      pieces.set(pieces.next, "null")
    },
    Forgery("a catalogue in the trailer") { pieces in
      let words = pieces.trailer.split(separator: "/").map { "/" + $0 }
      let catalogue = pieces.value(pieces.number(of: "/Type/Catalog"))
      pieces.trailer = words.map { $0.hasPrefix("/Root") ? "/Root" + catalogue : $0 }.joined()
    },
    Forgery("an identifier of three parts") { pieces in
      pieces.trailer = pieces.trailer.replacing("]", with: "<00>]")
    },
    Forgery("a comment in the trailer") { $0.trailer += "%>>\n" },
    Forgery("another entry") { $0.trailer += "/Extra 1" },
    Forgery("an earlier section that is none") { $0.trailer += "/Prev 15" },
    Forgery("a stream beside the table") { pieces in
      let (root, number) = (pieces.addOther(), pieces.next)
      // The old catalogue's entry leads to the new one.
      let old = pieces.number(of: "/Type/Catalog")
      let offset = pieces.head.count + pieces.objects.prefix { $0.number != root }.reduce(0) { $0 + $1.bytes.count }
      let entry = [1] + [24, 16, 8, 0].map { UInt8(offset >> $0 & 0xff) } + [0]
      let stream = "<</Type/XRef/W[1 4 1]/Index[\(old) 1]/Size \(number + 1)/Length 6>>stream\n"
      let place = pieces.head.count + pieces.objects.reduce(0) { $0 + $1.bytes.count }
      pieces.objects.append(
        (number, Array("\(number) 0 obj\n\(stream)".utf8) + entry + Array("\nendstream\nendobj\n".utf8)))
      pieces.trailer += "/XRefStm \(place)"
    },
    Forgery("an empty stream beside the table") { pieces in
      let number = pieces.next
      let place = pieces.head.count + pieces.objects.reduce(0) { $0 + $1.bytes.count }
      pieces.set(number, "<</Type/XRef/W[1 4 1]/Index[0 0]/Size \(number + 1)/Length 0>>stream\n\nendstream")
      pieces.trailer += "/XRefStm \(place)"
    },
  ]

  private static let dictionaries: [Forgery] = [
    Forgery("Pages twice", "/Type/Catalog", "/Type/Catalog/Pages 1 0 R"),
    Forgery("Type twice, the same", "/Type/Catalog", "/Type/Catalog/Type/Catalog"),
    Forgery("Contents twice", "/Type/Page/", "/Type/Page/Contents 1 0 R/"),
    Forgery("Contents twice, by an escape", "/Type/Page/", "/Type/Page/C#6fntents 1 0 R/"),
    Forgery("Contents and null", "/Type/Page/", "/Type/Page/Contents null/"),
    Forgery("Width twice", "/Subtype/Image", "/Subtype/Image/Width 5"),
    Forgery("MediaBox twice, in the tree", "/Type/Pages", "/Type/Pages/MediaBox[0 0 9 9]/MediaBox[0 0 9 9]"),
    Forgery("an entry that is null", "/Type/Catalog", "/Type/Catalog/Lang null"),
    Forgery("an entry of a picture that is null", "/Subtype/Image", "/Subtype/Image/Decode null"),
    Forgery("an entry in a list that is null", "/Type/Page/", "/Type/Page/B[<</A null>>]/"),
    Forgery("an entry that is an object of null") { pieces in
      pieces.replace("/Type/Catalog", "/Type/Catalog/Lang \(pieces.next) 0 R")
      pieces.set(pieces.next, "null")
    },
    Forgery("a keyword in capitals", "/Type/Catalog", "/Type/Catalog/NeedsRendering FALSE"),
    Forgery("an escape in a value", "/Type/Catalog", "/Type/C#61talog"),
    Forgery("an escape in a filter", "/DCTDecode", "/DCT#44ecode"),
    Forgery("an escaped zero", "/Type/Catalog", "/Type/Catalog/Lang#00 (x)"),
    Forgery("a comment", "/Type/Catalog", "/Type%\n/Catalog"),
    Forgery("a comment that hides an entry", "/Type/Catalog", "/Type/Catalog%\r/Pages 1 0 R\n"),
    Forgery("a zero as white space", "/Type/Catalog", "/Type\0/Catalog"),
    Forgery("a form feed as white space", "/Type/Catalog", "/Type\u{c}/Catalog"),
    Forgery("a carriage return in a string", "/Producer(", "/Subject(a\rb)/Producer("),
    Forgery("a number with a plus", "/Count ", "/Count +"),
    Forgery("a number with a zero", "/Count ", "/Count 0"),
    Forgery("a number with two signs", "/Subtype/Image", "/Subtype/Image/X --5"),
    Forgery("a number beyond 32 bits", "/Count 2", "/Count 4294967298"),
    Forgery("a number with a radix", "/Count 2", "/Count 16#2"),
    Forgery("a reference to another generation", "/Type/Catalog", "/Type/Catalog/Lang 1 1 R"),
    Forgery("a reference to nothing", "/Type/Catalog", "/Type/Catalog/Lang 4000 0 R"),
    Forgery("a reference with a zero", "/Pages ", "/Pages 0"),
  ]

  private static let bodies: [Forgery] = [
    Forgery("a comment between objects") { $0.objects[1].bytes += Array("% comment\n".utf8) },
    Forgery("words between objects") { $0.objects[1].bytes += Array("endobj\n".utf8) },
    Forgery("an end of file between objects") { $0.objects[1].bytes += Array("%%EOF\n".utf8) },
    Forgery("bytes before the header") { $0.head = Array("x\n".utf8) + $0.head },
    Forgery("a second header") { $0.head += Array("%PDF-1.7\n".utf8) },
    Forgery("a longer header") { $0.head.insert(contentsOf: Array(" x".utf8), at: 8) },
    Forgery("a byte after the end") { $0.tail = Array("x".utf8) },
    Forgery("a comment after the end") { $0.tail = Array("%PDF\n".utf8) },
    Forgery("an object that the table does not name") { pieces in
      pieces.objects.insert((0, Array("999 0 obj\n<</Type/Catalog>>\nendobj\n".utf8)), at: 2)
    },
    Forgery("an older copy of an object") { pieces in
      pieces.objects.insert(pieces.objects[2], at: 1)
    },
    Forgery("a newer copy that the table does not name") { pieces in
      let number = pieces.number(of: "/Type/Catalog")
      pieces.objects.append((0, Array("\(number) 0 obj\n<</Type/Catalog/Pages 1 0 R>>\nendobj\n".utf8)))
    },
    Forgery("an object that nothing uses") { $0.set($0.next, "<</Type/Catalog>>") },
    Forgery("another document that nothing uses") { _ = $0.addOther() },
    Forgery("an object stream that the table does not name") { pieces in
      let number = pieces.number(of: "/Type/Catalog")
      pieces.set(pieces.next, "<</Type/ObjStm/N 1/First 4/Length 22>>stream\n\(number) 0 <</Type/Catalog>>\nendstream")
    },
    Forgery("an object that ends otherwise") { $0.replace("endobj", "endobx") },
    Forgery("a stream with carriage returns") { $0.replace("stream\n", "stream\r\n") },
    Forgery("a stream in another file", "/Subtype/Image", "/Subtype/Image/F(other)"),
    Forgery("a length of its own") { pieces in
      let number = pieces.next
      let length = pieces.text(pieces.number(of: "/Subtype/Image"))
      let stated = Int(length.split(separator: "/Length ")[1].prefix { $0.isNumber })!
      pieces.replace("/Length \(stated)>>", "/Length \(number) 0 R>>")
      pieces.set(number, "\(stated)")
    },
    Forgery("a length that is too short") { pieces in
      let text = pieces.text(pieces.number(of: "/Subtype/Image"))
      let stated = Int(text.split(separator: "/Length ")[1].prefix { $0.isNumber })!
      pieces.replace("/Length \(stated)>>", "/Length \(stated - 1)>>")
    },
    Forgery("a length beyond the next object") { pieces in
      let index = pieces.objects.firstIndex { $0.number == pieces.number(of: "/Subtype/Image") }!
      let text = pieces.text(pieces.objects[index].number)
      let stated = Int(text.split(separator: "/Length ")[1].prefix { $0.isNumber })!
      let next = Array("99 0 obj\n<</Length 1>>stream\nx".utf8)
      pieces.objects[index].bytes.removeLast("\nendstream\nendobj\n".utf8.count)
      pieces.objects[index].bytes += Array("\nendstream\nendobj\n".utf8) + next + Array("\nendstream\nendobj\n".utf8)
      pieces.replace("/Length \(stated)>>", "/Length \(stated + "\nendstream\nendobj\n".utf8.count + next.count)>>")
    },
  ]

  private static let tables: [Forgery] = [
    Forgery("a section for an object that was there") { pieces in
      let number = pieces.number(of: "/Type/Catalog")
      pieces.table = "\(number) 1\n" + BookPieces.entry(pieces.head.count)
    },
    Forgery("the same entry again") { pieces in
      pieces.table = "\(pieces.objects[0].number) 1\n" + BookPieces.entry(pieces.head.count)
    },
    Forgery("an entry for a free object") { $0.table = "\($0.next) 1\n0000000000 00000 f \n" },
    Forgery("another generation") { pieces in
      let offset = pieces.head.count
      pieces.entries[pieces.objects[0].number] = String(BookPieces.entry(offset).prefix(11)) + "00001 n \n"
    },
    Forgery("carriage returns in the table") { pieces in
      pieces.entries[pieces.objects[0].number] = String(BookPieces.entry(pieces.head.count).prefix(18)) + "\r\n"
    },
    Forgery("a comment in the table") { $0.table = "% comment\n" },
    Forgery("an offset before the object's") { pieces in
      pieces.objects[0].bytes.insert(10, at: 0)
    },
  ]

  static let all = trailers + dictionaries + bodies + tables

  @Test(arguments: sampled(all)) func forgedBooks(forgery: Forgery) throws {
    let book = try Self.book.get()
    var pieces = BookPieces(book.bytes)
    #expect(pieces.bytes == book.bytes)
    forgery.change(&pieces)
    let report = try book.verify(pieces.bytes, expecting: false, as: "forged")
    #expect(!report.isVerified && report.lines.contains { $0.contains("error: ") }, "\(report.lines)")
  }

  /// One way to forge a book with an object stream.
  struct PackedForgery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout PackedPieces) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout PackedPieces) -> Void) {
      (testDescription, self.change) = (name, change)
    }
  }

  static let packed: [PackedForgery] = [
    PackedForgery("two objects exchanged by index") { pieces in
      let (first, last) = (pieces.members.first!.number, pieces.members.last!.number)
      (pieces.indices[first], pieces.indices[last]) = (pieces.indices[last], pieces.indices[first])
    },
    PackedForgery("an index beyond the last") { $0.indices[$0.members.last!.number] = 99 },
    PackedForgery("an object twice") { $0.members.append(($0.members[0].number, $0.members[1].text)) },
    PackedForgery("an object that the cross-reference does not name") { $0.members.append((900, "<</Type/Catalog>>")) },
    PackedForgery("text between objects") { $0.members[0].text += " null" },
    PackedForgery("text after the last object") { $0.end = "<</Type/Catalog>>" },
    PackedForgery("a comment") { $0.members[0].text += "%\n" },
    PackedForgery("an entry twice") { pieces in
      let index = pieces.members.firstIndex { $0.text.contains("/Type/Catalog") }!
      pieces.members[index].text = pieces.members[index].text.replacing("<</Type", with: "<</Pages 1 0 R/Type")
    },
    PackedForgery("an entry twice by an escape") { pieces in
      let index = pieces.members.firstIndex { $0.text.contains("/Type/Catalog") }!
      pieces.members[index].text = pieces.members[index].text.replacing("<</Type", with: "<</P#61ges 1 0 R/Type")
    },
    PackedForgery("another stream that has it, too") { $0.entries = "/Extends 1 0 R" },
    PackedForgery("the number of objects twice") { $0.entries = "/N 1" },
    PackedForgery("a section before it") { $0.references = "/Prev 15" },
    PackedForgery("more entries than it says") { $0.more = [UInt8](repeating: 0, count: 7) },
    PackedForgery("half an entry") { $0.more = [1, 2] },
    PackedForgery("an entry for object 0") { $0.freeKind = 1 },
    PackedForgery("widths twice") { $0.references = "/W[1 2 1]" },
    PackedForgery("another entry") { $0.references = "/XRefStm 15" },
  ]

  private static let packedBook = Result {
    var settings = DocumentSettings()
    settings.version = .v15
    return try TestBook(settings: settings) { writer, add in
      for number in 1...2 {
        let reference = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        let page = try PageSetup().page(reference, orientation: .upright, caption: "")
        add(page, [nil])
        try writer.addPage(page)
      }
    }
  }

  @Test func packedBooksAreRight() throws {
    let book = try Self.packedBook.get()
    #expect(try book.verify(expecting: false).lines == [])
    #expect(try book.verify(PackedPieces(book.bytes).bytes, expecting: false, as: "packed").lines == [])
  }

  @Test(arguments: packed) func forgedPackedBooks(forgery: PackedForgery) throws {
    let book = try Self.packedBook.get()
    var pieces = PackedPieces(book.bytes)
    forgery.change(&pieces)
    let report = try book.verify(pieces.bytes, expecting: false, as: "packed forged")
    #expect(!report.isVerified && report.lines.contains { $0.contains("error: ") }, "\(report.lines)")
  }

  /// Some readers look objects up by index and others by number. In an encrypted book, only the cross-reference shows
  /// that they would find different ones.
  @Test func twoObjectsAtOneIndex() throws {
    var pieces = PackedPieces(try Self.packedBook.get().bytes)
    pieces.references = "/Encrypt 1 0 R"
    pieces.members.sort { $0.number < $1.number }
    func fault(missing: Int? = nil, for other: Int = 0) throws -> FormFault? {
      var forged = pieces
      if let missing { forged.members.remove(at: missing) }
      for (index, member) in forged.members.enumerated() { forged.indices[member.number] = index }
      if let missing { forged.indices[pieces.members[missing].number] = forged.indices[pieces.members[other].number] }
      let folder = TestFolder()
      let file = try InputFile(path: folder.write(forged.bytes, as: "forged.pdf"))
      return PlainForm.fault(in: try FileMapping(file), isEncrypted: true)
    }
    #expect(try fault() == nil)
    for one in pieces.members.indices {
      for other in pieces.members.indices where other != one {
        #expect(try fault(missing: one, for: other) != nil, "\(one) \(other)")
      }
    }
  }

  /// Whatever the last pass has made is in the form that is checked, and a change after it is found.
  @Test(arguments: [
    ["--linearize"], ["--linearize", "--object-streams=generate"], ["--encrypt", "", "o", "256", "--"],
    ["--linearize", "--encrypt", "", "o", "256", "--"],
    ["--object-streams=generate", "--encrypt", "", "o", "256", "--"],
  ])
  func booksAfterTheLastPass(options: [String]) throws {
    let book = try Self.book.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    guard try runTool("qpdf", options + [path, folder.file("last.pdf")]) != nil else { return }
    let bytes = folder.read("last.pdf")
    #expect(try book.verify(bytes, expecting: false, as: "last").lines == [])
    let start = bytes.lastRange(of: Array("startxref".utf8))!.lowerBound
    let comment = Array("% \n".utf8)
    var commented = bytes
    commented.insert(contentsOf: comment, at: start)
    for changed in [commented, bytes + Array("%%EOF\n".utf8)] {
      let report = try book.verify(changed, expecting: false, as: "last forged")
      #expect(!report.isVerified && report.lines.contains { $0.contains("error: ") }, "\(report.lines)")
    }
  }

  /// In files that nothing is said of, only what is read in two ways is an error.
  @Test(arguments: [
    ("/Type/Page/", "/Type/Page/MediaBox[0 0 9 9]/", true), ("/Type/Page/", "/Type/Page/Type/Page/", false),
    ("/Type/Page/", "/Type/Page/T#79pe/Page/", false), ("/Type/Page/", "/Type/Page/M#65diaBox[0 0 9 9]/", true),
    ("/Type/Page/", "/Type/Page/Contents null/", true), ("/Type/Page/", "/Type/Page/Rotate null/", false),
    ("/Type/Page/", "/Type/Page%x\n/", false), ("/Root 1 0 R", "/Root 1 0 R/Root 1 0 R", false),
    ("/Root 1 0 R", "/Root 1 0 R/Root 2 0 R", true), ("/Root 1 0 R", "/Root 2 0 R/R#6fot 1 0 R", true),
    ("xref\n0 5\n", "xref\n3 1\n0000000015 00000 n \n0 5\n", true),
  ])
  func otherFiles(old: String, new: String, isError: Bool) throws {
    let plain = TestBook.file([
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<<>>/Contents 4 0 R>>",
      HandmadeFaultsTests.stream("0 0 9 9 re f"),
    ])
    var text = String(decoding: plain, as: UTF8.self)
    text = text.replacing(old, with: new, maxReplacements: 1)
    // The table begins so much later; of objects only the last moves.
    let moved = old.hasPrefix("/Type") ? new.utf8.count - old.utf8.count : 0
    text = Self.moving(text, by: moved)
    let report = try Self.book.get().verify(Array(text.utf8), expecting: false, as: "other")
    #expect(report.lines.contains { $0.hasPrefix("error: ") } == isError, "\(report.lines)")
  }

  /// Returns the file with its last object and the table moved towards the end.
  private static func moving(_ text: String, by distance: Int) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let last = lines.lastIndex { $0.hasSuffix(" 00000 n ") }!
    lines[last] = String(BookPieces.entry(Int(lines[last].prefix(10))! + distance).dropLast())
    let start = lines.lastIndex(of: "startxref")! + 1
    lines[start] = String(Int(lines[start])! + distance)
    return lines.joined(separator: "\n")
  }

  /// Programs that show PDFs, and how to get the number of pages from each.
  private static let readers: [(program: String, arguments: @Sendable (String) -> [String], before: String)] = [
    ("pdfinfo", { [$0] }, "Pages:"),
    ("mutool", { ["info", $0] }, "Pages:"),
    (
      "gs",
      { ["-q", "-dNODISPLAY", "-dNOSAFER", "-c", "(Pages: ) print (\($0)) (r) file runpdfbegin pdfpagecount = quit"] },
      "Pages:"
    ),
  ]

  /// Messages name what is wrong.
  @Test(arguments: [
    ("a number with a plus", "the number at byte "),
    ("an encryption that is null", "the entry 'Encrypt' at byte "),
    ("an entry of a picture that is null", "the entry 'Decode' at byte "),
    ("an entry that is an object of null", " is null, which imghost never writes"),
    ("an identifier of three parts", "the trailer's entry 'ID' is not as imghost and qpdf write it"),
  ])
  func messages(_ name: String, _ words: String) throws {
    let book = try Self.book.get()
    var pieces = BookPieces(book.bytes)
    try #require(Self.all.first { $0.name == name }).change(&pieces)
    let lines = try book.verify(pieces.bytes, expecting: false, as: "forged").lines
    #expect(lines.contains { $0.hasPrefix("error: readers may show another") && $0.contains(words) }, "\(lines)")
  }

  /// Two forgeries really have two readings: these programs disagree about the number of pages.
  @Test func readersDisagree() throws {
    let book = try Self.book.get()
    var counts: Set<Set<Int>> = []
    var asked: Set<String> = []
    for name in ["another Root after the first", "another Root before the first", "a stream beside the table"] {
      var pieces = BookPieces(book.bytes)
      Self.all.first { $0.name == name }!.change(&pieces)
      let path = book.folder.write(pieces.bytes, as: "two.pdf")
      var found: Set<Int> = []
      for reader in Self.readers {
        guard let text = try runTool(reader.program, reader.arguments(path))?.text,
          let line = text.split(separator: "\n").first(where: { $0.contains(reader.before) })
        else { continue }
        asked.insert(reader.program)
        if let count = Int(line.split(separator: ":").last!.filter(\.isNumber)) { found.insert(count) }
      }
      counts.insert(found)
    }
    guard asked.count == Self.readers.count else {
      print("readersDisagree: skipped; it needs pdfinfo, mutool and gs, and found \(asked.sorted())")
      return
    }
    #expect(counts.contains { $0.count > 1 }, "\(counts)")
  }

  /// Programs add such things at the end (PDF 32000-1:2008, 7.5.6).
  @Test(arguments: [true, false]) func revisions(isChanged: Bool) throws {
    let book = try Self.book.get()
    let number = BookPieces(book.bytes).number(of: "/Type/Catalog")
    let bytes = book.revised(isChanged ? [number: BookPieces(book.bytes).value(number)] : [:])
    let lines = try book.verify(bytes, expecting: false, as: "revised").lines
    #expect(
      lines.contains { $0.hasPrefix("error: readers may show another document: the file was changed") }, "\(lines)")
  }

  /// Random bytes of a book's structure are changed; whatever the report says, it calls none verified that another
  /// reader may read otherwise. Bytes of streams are for digests.
  @Test func anyByteOfTheStructure() throws {
    let book = try TestBook([TestPicture(1)])
    let pieces = BookPieces(book.bytes)
    var random = SplitMix(17)
    let places = Self.structure(of: pieces)
    for _ in 0..<150 {
      var bytes = book.bytes
      let place = places[random.below(places.count)]
      let byte = UInt8(truncatingIfNeeded: random.next())
      guard bytes[place] != byte else { continue }
      let old = bytes[place]
      bytes[place] = byte
      let report = try book.verify(bytes, expecting: false, as: "byte")
      let isHarmless = [old, byte].allSatisfy { [10, 32].contains($0) }
      #expect(!report.isVerified || isHarmless, "byte \(place): \(old) became \(byte)")
    }
  }

  /// Returns the positions of all bytes outside of streams, and outside of the parts that programs may change: Info,
  /// and the file's identifier.
  private static func structure(of pieces: BookPieces) -> [Int] {
    var (result, offset) = ([Int](), pieces.head.count)
    for (_, bytes) in pieces.objects {
      let text = String(decoding: bytes, as: Unicode.ASCII.self)
      let end = text.range(of: ">>stream\n").map { text[..<$0.lowerBound].utf8.count } ?? bytes.count
      // The date in PieceInfo says nothing.
      let date = text.range(of: "/LastModified(D:").map { text[..<$0.lowerBound].utf8.count } ?? end
      if !text.contains("/Producer") {
        result += offset..<offset + date
        if date < end { result += offset + date + 34..<offset + end }
      }
      offset += bytes.count
    }
    let text = String(decoding: pieces.bytes, as: Unicode.ASCII.self)
    let identifier = text[text.range(of: "/ID[")!.lowerBound...].utf8.count
    return result + Array(offset..<pieces.bytes.count - identifier)
  }
}
