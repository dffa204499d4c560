import BookExpectations
import ImageCore

/// A page as its checks see it.
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
  /// The number of the expected page, from 1; nil for an added page.
  let meantNumber: Int?

  var file: PDFFile { document.file }
  var settings: CheckSettings { document.settings }
  /// The resources of the page's content.
  var resources: [String: PDFValue] { file.resolve(entries["Resources"]).dictionary ?? [:] }
  /// Whether the page repeats another one. A repeated page is not part of the structure of tags, which was written for
  /// the first.
  var isCopy: Bool { document.alignment?.copies.contains(index) == true }
  /// Whether the page is so large that it is rendered only once, at a smaller scale.
  var mustBeSmall: Bool { cost.bytes > settings.limits.bytes }
  /// Whether the content is known to be as written.
  var isAsWritten: Bool { expected?.content != nil && expected?.content == content.digest }
  /// Whether the content is known to differ from what was written.
  var isChanged: Bool { expected?.content != nil && !isAsWritten }
  /// The other page that the content was written for; nil if there is none.
  var contentOwner: Int? { isChanged ? document.expectations?.page(withContent: content.digest) : nil }
  /// Compares the page's marked content with the structure of tags.
  var tags: PageTags {
    PageTags(file: file, tags: document.tags, page: record.object, entries: entries, content: content.reader)
  }
}
