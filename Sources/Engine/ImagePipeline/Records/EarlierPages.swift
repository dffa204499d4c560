import ImageCore
import Platform

/// Unchanged pages of documents that earlier runs have written. A new document copies them.
package struct EarlierPages: Sendable {
  /// A document of an earlier run. It is incomplete if that run ended early.
  package struct Source: Sendable {
    package let documentPath: String
    /// The path of the document's index; see `PageIndex`.
    package let indexPath: String
    /// Returns whether an open file is the one that the records have examined.
    package let isExamined: @Sendable (stat) -> Bool

    package init(documentPath: String, indexPath: String, _ isExamined: @escaping @Sendable (stat) -> Bool) {
      (self.documentPath, self.indexPath, self.isExamined) = (documentPath, indexPath, isExamined)
    }
  }

  /// A page of an earlier document.
  package struct Place: Sendable {
    /// The index of the document in `sources`.
    package let source: Int
    /// The index of the page in that document.
    package let index: Int

    package init(source: Int, index: Int) { (self.source, self.index) = (source, index) }
  }

  package let sources: [Source]
  /// The earlier pages, by their indices in the new document.
  package let pages: [Int: Place]
  /// The indices, in the new document, of pages whose source files had other metadata when the earlier document was
  /// written.
  package let pagesOfChangedFiles: Set<Int>

  package init(sources: [Source], pages: [Int: Place], pagesOfChangedFiles: Set<Int>) {
    (self.sources, self.pages, self.pagesOfChangedFiles) = (sources, pages, pagesOfChangedFiles)
  }

  /// A part of a document, and its digest.
  package typealias Part = (place: Range<Int>, digest: SHA256Digest)
}
