import ImageCore

/// Pages of a document that earlier runs have written and that are unchanged. A new document takes them from the
/// earlier ones.
package struct EarlierPages: Sendable {
  /// A document of an earlier run, whole or as far as it got before the run ended.
  package struct Source: Sendable, Hashable {
    package let documentPath: String
    /// The path of its index: see `PageIndex`.
    package let indexPath: String

    package init(documentPath: String, indexPath: String) {
      (self.documentPath, self.indexPath) = (documentPath, indexPath)
    }
  }

  /// A page of an earlier document.
  package struct Place: Sendable {
    /// The document, by its place in `sources`.
    package let source: Int
    /// The index of the page there.
    package let index: Int

    package init(source: Int, index: Int) { (self.source, self.index) = (source, index) }
  }

  package let sources: [Source]
  /// The earlier pages by their indices in the new document.
  package let pages: [Int: Place]
  /// The pages, by their indices in the new document, whose files had other metadata in the earlier one.
  package let pagesOfChangedFiles: Set<Int>

  package init(sources: [Source], pages: [Int: Place], pagesOfChangedFiles: Set<Int>) {
    (self.sources, self.pages, self.pagesOfChangedFiles) = (sources, pages, pagesOfChangedFiles)
  }

  /// A part of a document whose digest is known.
  package typealias Part = (place: Range<Int>, digest: SHA256Digest)
}
