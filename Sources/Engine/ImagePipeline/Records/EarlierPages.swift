import ImageCore

/// Unchanged pages of documents that earlier runs have written. A new document copies them.
package struct EarlierPages: Sendable {
  /// A document of an earlier run. It is incomplete if that run ended early.
  package struct Source: Sendable, Hashable {
    package let documentPath: String
    /// The path of the document's index; see `PageIndex`.
    package let indexPath: String
    /// The file that the records have examined; nil if its streams are compared with the index.
    package let version: Version?

    package init(documentPath: String, indexPath: String, _ version: Version?) {
      (self.documentPath, self.indexPath, self.version) = (documentPath, indexPath, version)
    }
  }

  /// Identifies a file that no other has replaced.
  package struct Version: Sendable, Hashable {
    private let inode: UInt64
    private let byteCount: UInt64
    /// The time of the last change of its bytes, in nanoseconds since 1970.
    private let modified: UInt64

    package init(inode: UInt64, byteCount: UInt64, modified: UInt64) {
      (self.inode, self.byteCount, self.modified) = (inode, byteCount, modified)
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
