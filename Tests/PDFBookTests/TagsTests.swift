import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

/// The structure of tagged books.
@Suite struct TagsTests {
  @Test(arguments: [
    "en", "en-GB", "zh-Hant-TW", "de-CH-1996", "sl-rozaj-biske", "es-419", "x-mine", "fr-x-own",
    "zh-yue", "en-u-co-phonebk", "EN-gb",
  ])
  func languages(tag: String) { #expect(LanguageTag.isWellFormed(tag)) }

  @Test(arguments: [
    "", "e", "english language", "en_GB", "en-", "-en", "en--GB", "en-GB-US", "x", "en-a", "12",
    "e1", "en-u-u-x", "abcdefghi", "de-Latn-Latn", "é", "en-a-bb-a-cc",
  ])
  func wrongLanguages(tag: String) { #expect(!LanguageTag.isWellFormed(tag)) }

  @Test(arguments: [
    ("  a\n\tb \u{1}c\u{85}", "a b c"), ("", ""), ("\n", ""), ("été 東京", "été 東京"),
    (String(repeating: "a", count: 5_000), String(repeating: "a", count: 2_000)),
  ])
  func alternativesAreOneLine(text: String, line: String) { #expect(AlternativeText.cleaned(text) == line) }

  /// A page of two pictures, the first of which opens an address and has a caption.
  @Test func elementsOfAPage() throws {
    let (first, second) = (Self.placement("A dog", object: 3), Self.placement("", object: 4))
    var page = PDFPage(size: PageSize(width: 100, height: 100), placements: [first, second])
    var caption = Caption("Rex", centre: 50, baseline: 5)
    caption.placement = 0
    page.captions = [caption, Caption("Words", centre: 50, baseline: 90)]
    var link = PageLink("http://x", over: first.rectangle)
    link.placement = 0
    page.links = [link]
    var marks = MarkedContent(isOn: true)
    let content = try page.content(isTerse: true, marks: &marks)
    #expect(
      String(content).split(separator: "\n").filter { $0.contains("BDC") || $0 == "EMC" } == [
        "/Figure<</MCID 0>>BDC", "EMC", "/Figure<</MCID 1>>BDC", "EMC", "/P<</MCID 2>>BDC", "EMC",
        "/P<</MCID 3>>BDC", "EMC",
      ])
    var number = 100
    var tree = StructureTree(root: 9)
    let tags = tree.add(page, object: 50, marks: marks) {
      number += 1
      return number
    }
    #expect(tags.entries == "/StructParents 0/Tabs/S" && tags.annotations == [104])
    let box = "/A<</O/Layout/Placement/Block/BBox[10 20 40 60]>>"
    #expect(
      Dictionary(uniqueKeysWithValues: tags.objects.map { ($0.object, $0.dictionary) }) == [
        101: "<</S/Sect/P 102 0 R/K[105 0 R 109 0 R 110 0 R]>>",
        103: "<</S/Link/P 105 0 R/K[106 0 R <</Type/OBJR/Pg 50 0 R/Obj 104 0 R>>]>>",
        104: "<</Type/Annot/Subtype/Link/F 4/Border[0 0 0]/Rect[10 20 40 60]"
          + "/A<</S/URI/URI(http://x)>>/StructParent 1/Contents(A dog)>>",
        105: "<</S/Div/P 101 0 R/K[103 0 R 107 0 R]>>",
        106: "<</S/Figure/P 103 0 R/K 0/Pg 50 0 R/Alt(A dog)\(box)>>",
        107: "<</S/Caption/P 105 0 R/K 108 0 R>>", 108: "<</S/P/P 107 0 R/K 2/Pg 50 0 R>>",
        109: "<</S/Figure/P 101 0 R/K 1/Pg 50 0 R\(box)>>", 110: "<</S/P/P 101 0 R/K 3/Pg 50 0 R>>",
        111: "[106 0 R 109 0 R 108 0 R 110 0 R]",
      ])
  }

  /// A picture over two pages is one figure, which is written with the second.
  @Test func aSpreadIsOneFigure() throws {
    var number = 100
    var tree = StructureTree(root: 9)
    var all: [Int: String] = [:]
    for (index, share) in [PicturePart.first, .second, .whole].enumerated() {
      var placement = Self.placement("Sea", object: index < 2 ? 3 : 4)
      placement.part = share
      let page = PDFPage(size: PageSize(width: 100, height: 100), placements: [placement])
      var marks = MarkedContent(isOn: true)
      _ = try page.content(isTerse: true, marks: &marks)
      let tags = tree.add(page, object: 50 + index, marks: marks) {
        number += 1
        return number
      }
      for object in tags.objects { all[object.object] = object.dictionary }
    }
    let figures = all.filter { $0.value.contains("/S/Figure") }
    #expect(
      figures[103]
        == "<</S/Figure/P 101 0 R/Pg 50 0 R/K[0<</Type/MCR/Pg 51 0 R/MCID 0>>]/Alt(Sea)>>")
    #expect(figures.count == 2)
    #expect(all.values.filter { $0 == "[103 0 R]" }.count == 2)
  }

  /// Trees of any number of pages have small nodes, ascending keys and few open nodes.
  @Test func treesGrowInBoundedNodes() throws {
    var number = 100
    var tree = StructureTree(root: 9)
    var objects: StructureTree.Objects = []
    let reserve = {
      number += 1
      return number
    }
    let page = PDFPage(size: PageSize(width: 100, height: 100))
    for index in 0..<2_100 {
      objects += tree.add(page, object: index, marks: MarkedContent(isOn: true), reserve: reserve).objects
    }
    // Open nodes are written at the end.
    let rest = tree.finish(reserve: reserve)
    #expect(rest.count < 10)
    objects += rest
    #expect(Set(objects.map(\.object)).count == objects.count)
    let parts = objects.filter { $0.dictionary.hasPrefix("<</S/Part") }.map(\.dictionary)
    #expect(parts.map { $0.split(separator: " R").count - 2 } == [1_000, 1_000, 100])
    #expect(objects.last!.dictionary.contains("/ParentTreeNextKey 2100"))
    let limits = objects.filter { $0.dictionary.contains("/Nums") }.map {
      $0.dictionary.prefix { $0 != "]" }
    }
    #expect(limits.count == 66)
    #expect(limits[0] == "<</Limits[0 31" && limits[65] == "<</Limits[2080 2099")
    #expect(objects.filter { $0.dictionary.hasPrefix("<</Kids") }.count == 1)
  }

  /// The bytes of a page without its picture, in a book with short texts.
  @Test(arguments: [(false, 740), (true, 300)])
  func bytesAPage(compact: Bool, most: Int) throws {
    var settings = DocumentSettings()
    (settings.isCompact, settings.sharesContents, settings.isTagged) = (compact, true, true)
    let pages = 200
    let (bytes, _) = try TestFolder().book(settings: settings) { writer in
      for number in 0..<pages {
        let facts = JPEGHeader(width: 4_000, height: 3_000, components: 3)
        let data = [UInt8](repeating: UInt8(number), count: 1_000)
        var page = try PageSetup(dpi: 300).page(
          writer.add(PDFPicture(facts, data: .bytes(data))))
        page.placements[0].alternative = "A photograph of IMG\(1_000 + number)"
        try writer.addPage(page)
      }
    }
    let cost = bytes.count / pages - 1_000
    #expect(cost <= most, "\(cost) bytes a page")
  }

  private static func placement(_ alternative: String, object: Int) -> Placement {
    let digest = SHA256.digest(of: [])
    let picture = PictureReference(
      object: object, width: 3, height: 4, digest: digest, combinedDigest: digest, version: .v14)
    var placement = Placement(picture, in: PageRectangle(left: 10, bottom: 20, width: 30, height: 40))
    placement.alternative = alternative
    return placement
  }
}
