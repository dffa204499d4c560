import ImageCore
import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook
@testable import TextShaping

/// Tags that are well formed, but not as they were written: other types, orders, texts and places.
@Suite struct ChangedTagsTests {
  private static let line =
    "2: error: the page's tags are not as they were written: types, order, texts or places of their"

  /// The text to replace on the second page, and its replacement.
  static let changes: [(old: String, new: String)] = [
    ("<</S/Figure", "<</S/Span"), ("<</S/Caption", "<</S/Note"), ("<</S/P/", "<</S/Q/"),
    ("<</S/Sect", "<</S/Part"), ("/BBox[0 40 72 88]", "/BBox[0 40 71 88]"),
    ("/Placement/Block", "/Placement/Start"), ("/O/Layout", "/O/List"),
    ("/Contents(View 2)", "/Contents(Vuew 2)"), ("/Contents(View 2)", ""),
    ("/Alt(View 2)", "/E(View 2)"), ("/ActualText(Paris in May)", "/ActualText(Paris in June)"),
    ("/ActualText(Paris in May)", ""), ("/Lang(en)", "/Lang(fr)"), ("/Lang(en)", "/T(en)"),
  ]

  @Test(arguments: ChangedTagsTests.changes) func isTold(old: String, new: String) throws {
    let book = try Self.book.get()
    let page = old.hasSuffix("2)") ? 0 : 1
    let new = new.replacing("/S/Q", with: "/S/H")
    let bytes =
      new.utf8.count > old.utf8.count
      ? book.replacing(old, String(new.prefix(old.utf8.count - 1)) + ")", only: page)
      : book.patched(old, new, only: page)
    let name = String((old + new).filter(\.isLetter))
    let report = try book.verify(bytes, expecting: false, as: name)
    #expect(report.lines.contains { $0.hasPrefix(Self.line) }, "\(report.lines)")
  }

  /// The kids of an element of the second page in another order.
  @Test(arguments: ["Sect", "Link"]) func orderIsTold(type: String) throws {
    let book = try Self.book.get()
    let start = book.places(of: "<</S/\(type)/P ")[1]
    let element = String(decoding: book.bytes[start...].prefix { $0 != UInt8(ascii: "\n") }, as: Unicode.ASCII.self)
    let list = element.split(separator: "/K[")[1].split(separator: "]")[0]
    let first = list.split(separator: " 0 R", maxSplits: 1)[0] + " 0 R"
    let rest = list.dropFirst(first.count)
    let turned = element.replacing(list, with: rest + " " + first)
    let lines = try book.verify(
      book.updated([book.object(beginning: element).number: turned]), expecting: false, as: type
    ).lines
    #expect(lines.count == 1 && lines[0].hasPrefix(Self.line), "\(lines)")
  }

  /// The document's kids: one section a page.
  @Test func orderOfPagesIsTold() throws {
    let book = try Self.book.get()
    let element = book.text(from: "<</S/Document", to: ">>")
    let kids = element.split(separator: "/K[")[1].split(separator: "]")[0]
      .split(separator: " 0 R").map { $0.trimmed + " 0 R" }
    let turned = ([kids[0], kids[2], kids[1]] + kids[3...]).joined(separator: " ")
    let number = try book.object(beginning: element).number
    let changed = book.updated([number: "<</S/Document/P 3 0 R/K[\(turned)]>>"])
    let lines = try book.verify(changed, expecting: false, as: "document").lines
    let reason = "error: the page's tags come after those of page"
    #expect(lines.count == 1 && lines[0].contains(reason), "\(lines)")
  }

  /// Texts for all of the document, or for what is of no page.
  @Test(arguments: [
    "/Alt(x)", "/ActualText<FEFF0041>",
  ])
  func textsOfTheDocumentAreTold(entry: String) throws {
    let book = try Self.book.get()
    let element = book.text(from: "<</S/Document", to: ">>")
    let changed = book.updated([try book.object(beginning: element).number: element.dropLast(2) + entry + ">>"])
    let lines = try book.verify(changed, expecting: false, as: "\(entry.count)").lines
    let start = "error: the structure of tags is not as it was written: the element in object "
    #expect(lines.contains { $0.hasPrefix(start) }, "\(lines)")
  }

  /// Types may be called otherwise by a map of roles.
  @Test func rolesCount() throws {
    let book = try Self.book.get()
    let root = book.text(from: "<</Type/StructTreeRoot", to: ">>")
    let changed = book.updated([
      3: root.dropLast(2) + "/RoleMap<</Figure/Span>>>>"
    ])
    let lines = try book.verify(changed, expecting: false, as: "roles").lines
    #expect(lines.filter { $0.contains("the page's tags are not as they were") }.count == 4)
  }

  /// A structure in a book that has none.
  @Test func addedTagsAreTold() throws {
    let book = try TestBook()
    let changed = book.updated([
      2: book.text(from: "<</Type/Catalog", to: ">>>>>>").dropLast(2)
        + "/StructTreeRoot 91 0 R>>",
      90: "<</S/Document/P 91 0 R/Alt(Something else)>>",
      91: "<</Type/StructTreeRoot/K 90 0 R/ParentTree<</Nums[]>>>>",
    ])
    let lines = try book.verify(changed, expecting: false, as: "added").lines
    #expect(lines.contains { $0.hasSuffix("the book was written without tags") }, "\(lines)")
  }

  /// Objects' numbers and places do not count.
  @Test(arguments: [["--object-streams=generate"], ["--linearize"], ["--object-streams=disable"]])
  func rewrittenTagsAreTheSame(options: [String]) throws {
    let book = try Self.book.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    guard try runTool("qpdf", options + [path, folder.file("other.pdf")]) != nil else { return }
    let lines = try book.verify(folder.read("other.pdf"), expecting: false, as: "rewritten" + options[0]).lines
    #expect(lines == [])
  }

  /// A picture over two pages: its second half is in a figure of the page before.
  @Test func halvesOfFiguresAreTheirPages() throws {
    let book = try TestBook(settings: Self.settings) { writer, _ in
      let reference = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      for share in [PicturePart.first, .second] {
        let left = share == .first ? 0.0 : -72.0
        var placement = Placement(
          reference, in: PageRectangle(left: left, bottom: 0, width: 144, height: 96),
          clip: PageRectangle(left: 0, bottom: 0, width: 72, height: 96))
        placement.part = share
        placement.alternative = "Sea"
        try writer.addPage(
          PDFPage(size: PageSize(width: 72, height: 96), placements: [placement]))
      }
    }
    #expect(try book.verify(expecting: false).lines == [])
    let element = book.text(from: "<</S/Figure", to: ")>>")
    let halves = element.split(separator: "/K[")[1].split(separator: "]")[0]
    let turned = element.replacing(halves, with: halves.dropFirst() + " 0")
    let changed = book.updated([try book.object(beginning: element).number: turned])
    let lines = try book.verify(changed, expecting: false, as: "halves").lines
    #expect(lines.contains { $0.hasPrefix(Self.line) }, "\(lines)")
  }

  private static let settings = {
    var settings = DocumentSettings()
    settings.isTagged = true
    settings.language = "en"
    return settings
  }()

  /// Pages with a picture that is a link, and a caption of two lines in a language of its own.
  private static let book = Result {
    let block = try TextLayouter().layout("Paris in May", style: TextStyle(size: 9, alignment: .start), width: 40)
    return try TestBook(settings: settings) { writer, _ in
      for number in 1...4 {
        let reference = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        let rectangle = PageRectangle(left: 0, bottom: 40, width: 72, height: 48)
        var placement = Placement(reference, in: rectangle)
        placement.alternative = "View \(number)"
        var page = PDFPage(size: PageSize(width: 72, height: 88), placements: [placement])
        var text = PlacedText(block, left: 1, top: 38)
        text.language = "en"
        text.role = .caption(0)
        page.texts = [text]
        var link = PageLink("https://example.org/\(number)", over: rectangle)
        link.placement = 0
        page.links = [link]
        try writer.addPage(page)
      }
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}
