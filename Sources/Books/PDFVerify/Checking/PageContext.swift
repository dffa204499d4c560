import BookExpectations
import ImageCore

/// The facts about a page that its checks need.
struct PageContext {
  let document: DocumentContext
  let renderer: PopplerRenderer
  let rendering: RenderingPage
  let record: PageRecord
  /// The page's index, from 0.
  let index: Int
  /// The page's own and inherited entries.
  let entries: [String: PDFValue]
  let geometry: PageGeometry
  let content: PageContent
  let cost: PageCost
  /// The expectation of the page; nil if there is none.
  let expected: PageExpectation?
  /// The number of the corresponding expected page, from 1; nil for an added page, or without expectations.
  let meantNumber: Int?

  var file: PDFFile { document.file }
  var settings: CheckSettings { document.settings }
  /// The resources of the page's content.
  var resources: [String: PDFValue] { file.resolve(entries["Resources"]).dictionary ?? [:] }
  /// Whether the page duplicates another one. A duplicate is not part of the tag structure, which was written for the
  /// original.
  var isCopy: Bool { document.alignment?.copies.contains(index) == true }
  /// Whether the page needs so much memory that it is rendered only once, at a reduced scale.
  var mustBeSmall: Bool { cost.bytes > settings.limits.bytes }
  /// Whether the content is known to be unchanged since it was written.
  var isAsWritten: Bool { expected?.content != nil && expected?.content == content.digest }
  /// Whether the content is known to have changed since it was written.
  var isChanged: Bool { expected?.content != nil && !isAsWritten }
  /// The number of the one other page that the changed content was written for; nil if there is no such page.
  var contentOwner: Int? { isChanged ? document.expectations?.page(withContent: content.digest) : nil }
  /// The comparison of the page's marked content with the tag structure.
  var tags: PageTags {
    PageTags(file: file, tags: document.tags, page: record.object, entries: entries, content: content.reader)
  }
}

/// A page's report, its faults, and the facts that later checks need.
struct PageResult: Sendable {
  var report: PageReport
  var faults: [Fault] = []
  /// The places of the pictures, to be compared with the expected ones.
  var places: [AffineMatrix] = []
  /// The areas of the page that its pictures cover, by the pictures' numbers, in the page's units.
  var areas: [Int: PageBox] = [:]
  /// The visible part of the page, in its units; nil if readers rotate the page, or if the part is unknown.
  var visible: PageBox?
  var fonts: [FontFacts] = []
  /// The letters of the page's text; empty unless texts are required or reported.
  var letters = ""
  var thumbnail: RenderedPixels?
  /// The size of the page's unit in points.
  var unit = 1.0
  /// The size of the finished page in points; nil if the page's boxes or its UserUnit are invalid.
  var finishedSize: PageSize?
  /// Whether the remaining checks of the page are skipped.
  var isGivenUp = false

  /// - Parameter size: the size in points, after the rotation that readers apply.
  init(number: Int, size: PageSize = PageSize(width: 0, height: 0), isStructureChecked: Bool = true) {
    report = PageReport(
      number: number, width: size.width, height: size.height, pictures: [],
      isStructureChecked: isStructureChecked)
  }
}
