import ImageCore
import ImagePipeline
import PDFBook

/// Unchanged pages of a book, which are taken from the file that an earlier run has written.
extension BookAssembler {
  /// Options that no stored picture depends on.
  private static let ownOptions: Set = ["title", "author", "subject", "keywords", "metadata"]

  func facts(of page: DocumentEntry) -> String? {
    guard !QPDFPass(arguments).isNeeded else { return nil }
    let facts = self.page(page)
    let cut = cut(of: page).map { "\($0)" } ?? "known later"
    return
      "\(cut) on \(background(of: page)), lossless \(facts.isLossless), \(arguments.allValues(but: Self.ownOptions))"
  }

  func take(_ pages: EarlierPages, _ entries: [DocumentEntry]) {
    earlier = pages
    state.withLock { state in
      for entry in entries {
        guard let index = pages.pages[entry.index] else { continue }
        let changed = pages.pagesOfChangedFiles.contains(entry.index) ? entry.picture : nil
        state.waiting[entry.index] = .earlier(index: index, origin: entry.picture.origin?.path, changed: changed)
      }
    }
  }

  /// Returns the digests of the files from which a picture was made, except those that can no longer be read.
  func sources(of picture: Picture) -> PictureSources {
    let (files, isDrawn) = picture.sources
    var sources = PictureSources()
    sources.isDrawn = isDrawn
    for file in files {
      let isFirst = file.path == picture.origin?.path
      guard let digest = digests.digest(of: file, isShared: !isFirst) else { continue }
      if isFirst {
        sources.first = digest
      } else if !sources.others.contains(digest) {
        sources.others.append(digest)
      }
    }
    return sources
  }

  /// Returns a page of the earlier book, with the texts of this one.
  func earlierPage(_ place: Int, _ origin: String?, _ changed: Picture?, as index: Int) throws(PictureError)
    -> EncodedPicture
  {
    guard let earlier, let page = pages[index] else { preconditionFailure("no page is taken from an earlier book") }
    let reader: PageIndexReader
    if let earlierReader { reader = earlierReader } else { reader = try PageIndexReader(earlier) }
    earlierReader = reader
    let (picture, facts) = try reader.picture(place)
    return EncodedPicture(
      content: .taken(picture, facts.orientation, facts.digest), place: Int(page.place), origin: origin, index: index,
      texts: page.texts, intended: facts.intended, sources: changed.map(sources) ?? facts.sources,
      isFlattened: facts.isFlattened,
      isCut: facts.isCut, focus: facts.focus)
  }
}
