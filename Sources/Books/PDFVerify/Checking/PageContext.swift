import BookExpectations
import ImageCore

/// A page as its checks see it.
struct PageContext {
  let document: DocumentContext
  let renderer: PopplerRenderer
  let rendering: RenderingPage
  let record: PageRecord
  /// From 0.
  let index: Int
  /// The page's own entries and those it inherits.
  let entries: [String: PDFValue]
  let geometry: PageGeometry
  let content: PageContent
  let cost: PageCost
  /// The expectation of the page; nil where nobody says.
  let expected: PageExpectation?
  /// The number of the page that it was meant to be, from 1; nil for one that was added.
  let meantNumber: Int?

  var file: PDFFile { document.file }
  var settings: CheckSettings { document.settings }
  /// The resources of the page's content.
  var resources: [String: PDFValue] { file.resolve(entries["Resources"]).dictionary ?? [:] }
  /// Whether the page is a second copy, which is no part of the structure of tags: that was written for the first.
  var isCopy: Bool { document.alignment?.copies.contains(index) == true }
  /// Whether the page is so large that it is rendered once, at a smaller scale.
  var mustBeSmall: Bool { cost.bytes > settings.limits.bytes }
  /// Whether the content is the one that was written.
  var isAsWritten: Bool { expected?.content != nil && expected?.content == content.digest }
  /// Whether the content is another one than was written.
  var isChanged: Bool { expected?.content != nil && !isAsWritten }
  /// The page that the content was written for, where that is another.
  var contentOwner: Int? { isChanged ? document.expectations?.page(withContent: content.digest) : nil }
  /// Compares the page's marked content with the structure of tags.
  var tags: PageTags {
    PageTags(file: file, tags: document.tags, page: record.object, entries: entries, content: content.reader)
  }
}
