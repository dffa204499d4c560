import ImageCore
import ImagePipeline
import Synchronization

/// Pages of documents that are unchanged.
extension RunRecords {
  package func indexPath(of key: String) -> String? {
    // The folder exists, because the journal is in it.
    journal == nil ? nil : folder.indexPath(of: folder.folder.relative(key))
  }

  /// Returns the parts of a document whose digests its index holds; empty for any other output.
  func parts(of output: RecordedOutput) -> [EarlierPages.Part] {
    guard !output.entries.isEmpty else { return [] }
    return EarlierPages.parts(
      indexPath: folder.indexPath(of: output.key), inode: output.stamp.inode, byteCount: output.stamp.byteCount,
      modified: output.stamp.modified) ?? []
  }

  /// Returns the pages of a document that are unchanged in the one that an earlier run has written; nil for none.
  func earlierPages(_ output: PlannedOutput, _ known: RecordedOutput) -> EarlierPages? {
    let indexPath = folder.indexPath(of: known.key)
    guard !output.pages.isEmpty, !parts(of: known).isEmpty else { return nil }
    // Pages are equal if their recipes and their sources are, in whatever order and under whatever names.
    func candidates(_ digest: (PictureDigest) -> SHA256Digest) -> [Ingredients: Int] {
      Dictionary(
        known.entries.compactMap { page in
          Ingredients(page.recipe, page.sources.map { known.sources[$0].known.map(digest) }).map { ($0, page.index) }
        }, uniquingKeysWith: { first, _ in first })
    }
    let equal = candidates(\.whole)
    let equalPixels = candidates(\.shown)
    var pages: [Int: Int] = [:]
    var changed: Set<Int> = []
    for page in output.pages {
      let sources = state.withLock { state in page.recipe.sources.map { state.digests[$0] } }
      if let index = Ingredients(page.recipe.digest, sources.map { $0?.whole }).flatMap({ equal[$0] }) {
        pages[page.index] = index
      } else if page.isEncoded,
        let index = Ingredients(page.recipe.digest, sources.map { $0?.shown }).flatMap({ equalPixels[$0] })
      {
        pages[page.index] = index
        changed.insert(page.index)
      }
    }
    return pages.isEmpty
      ? nil
      : EarlierPages(
        documentPath: folder.folder.absolute(known.path), indexPath: indexPath, pages: pages,
        pagesOfChangedFiles: changed)
  }
}
