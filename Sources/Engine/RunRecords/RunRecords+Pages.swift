import ImageCore
import ImagePipeline
import Platform
import Synchronization

/// The identity of a page: everything that its stream and its facts depend on. Two pages are equal if they have equal
/// recipes and equal sources in the same order. The positions of the pages in documents and the names of the source
/// files do not count.
struct PageKey: Hashable {
  enum Source: Hashable {
    case missing
    case digest(SHA256Digest)
    case stamp(FileStamp)
  }
  let recipe: SHA256Digest
  let sources: [Source]

  /// Creates a key; nil if a source is unknown.
  private init?(_ recipe: SHA256Digest, _ sources: [Source?]) {
    let known = sources.compactMap { $0 }
    guard known.count == sources.count else { return nil }
    (self.recipe, self.sources) = (recipe, known)
  }

  /// Returns the keys of a page, one with the digests of its sources and one with their stamps, if these are known.
  static func keys(_ recipe: SHA256Digest, _ sources: [RecordedSource]) -> [PageKey] {
    let digests = sources.map { $0.known.map { Source.digest($0.whole) } }
    // An unsettled stamp does not identify a file's contents.
    let stamps = sources.map { source in
      source.stamp.map { $0.changed == 0 ? nil : Source.stamp($0) } ?? .missing
    }
    return [digests, stamps].compactMap { PageKey(recipe, $0) }
  }

  /// Returns a key with the digests of everything that the pixels of an encoded page depend on; nil if a digest is
  /// unknown.
  static func ofPixels(_ recipe: SHA256Digest, _ sources: [RecordedSource]) -> PageKey? {
    PageKey(recipe, sources.map { $0.known.map { Source.digest($0.shown) } })
  }
}

/// Reuses unchanged pages of earlier documents.
extension RunRecords {
  package func pageJournal(of key: String, for file: OutputFile) -> PageJournal? {
    let (path, key) = (folder.place(of: key), folder.key(key))
    guard journal != nil, let planned = state.withLock({ $0.planned[key] }), !planned.pages.isEmpty else { return nil }
    var contents = RecordContents()
    contents.outputs = [
      state.withLock { state in
        var sources = sources(planned.recipe.sources, state)
        for (index, source) in sources.enumerated() {
          if let stamp = source.stamp, !stamp.isSettled(at: started) { sources[index].stamp = stamp.unsettled }
        }
        return RecordedOutput(
          key: key, path: path, recipe: "", sources: sources, stamp: .none, digest: nil, totalByteCount: 0, pages: 0,
          verification: "", entries: recordedPages(of: planned))
      }
    ]
    guard let (document, index) = folder.begin(key, file, head: contents.bytes) else { return nil }
    state.withLock { $0.journals[key] = document }
    return index
  }

  package func hasShown(_ place: InternedPath) {
    // The hard link is removed now, because removing it after the stamp is recorded would alter the file's time of
    // change.
    let document = state.withLock { state in state.keys[place].flatMap { state.journals[$0] } }
    if let document { folder.removePart(of: document) }
  }

  func recordedPages(of output: PlannedOutput) -> [RecordedPage] {
    var places = PathTable<Int>()
    for (place, path) in output.recipe.sources.enumerated() { places[path] = place }
    return output.pages.map { page in
      RecordedPage(
        index: page.index, recipe: page.recipe.digest, sources: page.recipe.sources.compactMap { places[$0] })
    }
  }

  /// Returns the index of a complete document; nil if the output has no pages to reuse, or if its index is missing,
  /// damaged, or belongs to another file.
  func index(of output: RecordedOutput) -> PageIndex? {
    guard !output.entries.isEmpty, let file = folder.open(folder.indexName(of: output.key)),
      let index = PageIndex(file),
      index.belongs(
        toInode: output.stamp.inode, byteCount: output.stamp.byteCount, modified: output.stamp.modified)
    else { return nil }
    return index
  }

  /// Returns the parts of a document that have digests in its index; empty for other outputs.
  func parts(of output: RecordedOutput) -> [EarlierPages.Part] {
    let parts = index(of: output)?.parts ?? []
    return parts.allSatisfy { $0.place.upperBound <= Int(clamping: output.stamp.byteCount) } ? parts : []
  }

  // MARK: - Reusing pages

  /// A page that the new document needs.
  private struct Wanted {
    let index: Int
    let keys: [PageKey]
    /// The key that finds pages with the same pixels; nil if the page copies bytes of its source, or if a digest is
    /// unknown.
    let pixels: PageKey?
  }

  /// An earlier page that the new document can reuse.
  private struct Match {
    let page: PageIndex.Page
    /// Whether the metadata of the page's source files have changed.
    let hasChangedFiles: Bool
  }

  /// An earlier document with pages that the new one can reuse.
  private struct Candidate {
    let source: EarlierPages.Source
    /// The unfinished document; nil for a complete one.
    var begun: RecordFolder.BegunDocument?
    /// The document, if its streams have to be compared with their digests; nil if they are known to be right.
    var unproven: InputFile?
    /// The reusable pages, by their indices in the new document.
    let pages: [Int: Match]
  }

  /// Returns the pages of a document that can be taken from earlier documents, because they are unchanged; nil if there
  /// are none.
  ///
  /// - Parameters:
  ///   - known: the record of the earlier complete document.
  ///   - isThere: whether the file of that document is as recorded.
  func earlierPages(_ output: PlannedOutput, _ key: String, _ known: RecordedOutput?, isThere: Bool) -> EarlierPages? {
    guard !output.pages.isEmpty else { return nil }
    let wanted = state.withLock { state in
      var sources = PathTable<RecordedSource>()
      for source in self.sources(output.recipe.sources, state) { sources[source.path] = source }
      return output.pages.map { page in
        let (recipe, own) = (page.recipe.digest, page.recipe.sources.compactMap { sources[$0] })
        return Wanted(
          index: page.index, keys: PageKey.keys(recipe, own),
          pixels: page.isEncoded ? PageKey.ofPixels(recipe, own) : nil)
      }
    }
    let candidates = candidates(output, key, known, isThere: isThere, wanted)
    var sources: [EarlierPages.Source] = []
    var pages: [Int: EarlierPages.Place] = [:]
    var changed: Set<Int> = []
    var useless: Set<RecordFolder.BegunDocument> = []
    for candidate in candidates {
      let new = checked(candidate.pages.filter { pages[$0.key] == nil }, in: candidate.unproven)
      if new.isEmpty {
        if let begun = candidate.begun { useless.insert(begun) }
        continue
      }
      for (index, match) in new {
        pages[index] = EarlierPages.Place(source: sources.count, index: match.page.index)
        if match.hasChangedFiles { changed.insert(index) }
      }
      sources.append(candidate.source)
    }
    if !options.isDryRun { forget(useless) }
    return pages.isEmpty ? nil : EarlierPages(sources: sources, pages: pages, pagesOfChangedFiles: changed)
  }

  /// Returns the earlier documents that may have wanted pages, those with the most first. Unfinished documents without
  /// wanted pages are included, too.
  private func candidates(
    _ output: PlannedOutput, _ key: String, _ known: RecordedOutput?, isThere: Bool, _ wanted: [Wanted]
  ) -> [Candidate] {
    func pages(of index: PageIndex, _ record: RecordedOutput) -> [Int: Match] {
      let stored = Dictionary(index.pages.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
      var (equal, equalPixels) = ([PageKey: PageIndex.Page](), [PageKey: PageIndex.Page]())
      for entry in record.entries {
        guard let page = stored[entry.index] else { continue }
        let sources = entry.sources.map { record.sources[$0] }
        for key in PageKey.keys(entry.recipe, sources) { equal[key] = page }
        if let key = PageKey.ofPixels(entry.recipe, sources) { equalPixels[key] = page }
      }
      return Dictionary(
        uniqueKeysWithValues: wanted.compactMap { wanted in
          if let page = wanted.keys.lazy.compactMap({ equal[$0] }).first {
            return (wanted.index, Match(page: page, hasChangedFiles: false))
          }
          return wanted.pixels.flatMap { equalPixels[$0] }.map {
            (wanted.index, Match(page: $0, hasChangedFiles: true))
          }
        })
    }
    var candidates: [Candidate] = []
    let place = output.place?.text
    let ownIndex = folder.indexName(of: key)
    var isProven = false
    func add(_ complete: RecordedOutput, _ index: PageIndex) {
      let indexPath = folder.path(folder.indexName(of: complete.key))
      let path = folder.folder.absolute(complete.path)
      let stamp = FileStamp(path: path)
      candidates.append(
        Candidate(
          source: EarlierPages.Source(documentPath: path, indexPath: indexPath) { status in
            stamp.map { FileStamp(status).isRenamed(from: $0) } ?? false
          },
          pages: pages(of: index, complete)))
    }
    if isThere, let known, let index = index(of: known) {
      isProven = true
      add(known, index)
    }
    if known == nil { renamed(wanted, add) }
    /// Adds a document that is not in the record because its run ended early. Its file may have only the temporary name
    /// `part`, or already the final name.
    func add(_ indexName: String, _ part: String?, _ begun: RecordFolder.BegunDocument?) {
      guard let file = folder.open(indexName) else { return }
      let document = part.flatMap(folder.open) ?? place.flatMap { try? InputFile(path: $0) }
      let index = PageIndex(file)
      let record = index.flatMap { RecordContents($0.head)?.outputs.first }
      var found: [Int: Match] = [:]
      if let index, let record, document != nil { found = pages(of: index, record) }
      guard !found.isEmpty || begun != nil else { return }
      candidates.append(
        Candidate(
          // Any file is accepted here, because `checked` compares its streams with their digests.
          source: EarlierPages.Source(documentPath: document?.path ?? "", indexPath: folder.path(indexName)) { _ in true
          },
          begun: begun, unproven: document, pages: found))
    }
    if !isProven { add(ownIndex, nil, nil) }
    let mark = folder.mark(of: key)
    for document in state.withLock({ $0.begun }).filter({ $0.mark == mark }).sorted(by: { $0.tag < $1.tag }) {
      add(folder.indexName(of: document), folder.partName(of: document), document)
    }
    return candidates.enumerated().sorted { ($1.element.pages.count, $0.offset) < ($0.element.pages.count, $1.offset) }
      .map(\.element)
  }

  /// Calls `body` for complete, unchanged documents that have wanted pages, unless the script has requested them: the
  /// new document may be one of them under another name. The run does not replace their files, so their pages can be
  /// read at any time.
  private func renamed(_ wanted: [Wanted], _ body: (RecordedOutput, PageIndex) -> Void) {
    var documents: [String: Set<Int>] = [:]
    state.withLock { state in
      let known = state.documents ?? documentsByPage()
      state.documents = known
      for page in wanted {
        for key in Set((page.keys + [page.pixels].compactMap(\.self)).flatMap { known[$0] ?? [] }) {
          documents[key, default: []].insert(page.index)
        }
      }
    }
    // The document with the most pages comes first; others are looked at only for pages that it lacks.
    var left = Set(wanted.map(\.index))
    for (key, pages) in documents.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) })
    where !left.isDisjoint(with: pages) && !isAsked(key) {
      guard let document = earlier[key], let index = index(of: document), condition(of: document).isIntact else {
        continue
      }
      body(document, index)
      left.subtract(pages)
    }
  }

  /// Returns the keys of the complete documents, by their pages.
  private func documentsByPage() -> [PageKey: [String]] {
    var documents: [PageKey: [String]] = [:]
    for (_, output) in earlier.all where !output.recipe.isEmpty {
      for entry in output.entries {
        let sources = entry.sources.map { output.sources[$0] }
        for key in PageKey.keys(entry.recipe, sources) + [PageKey.ofPixels(entry.recipe, sources)].compactMap(\.self) {
          if documents[key]?.last != output.key { documents[key, default: []].append(output.key) }
        }
      }
    }
    return documents
  }

  /// Returns the pages whose streams match the digests in the index; all pages if `document` is nil.
  private func checked(_ pages: [Int: Match], in document: InputFile?) -> [Int: Match] {
    guard let document else { return pages }
    // Pages with equal pictures share a stream.
    let streams = Array(
      Dictionary(
        pages.values.map { ($0.page.stream.place, $0.page.stream.digest) }, uniquingKeysWith: { first, _ in first }))
    let isWhole = OrderedWork.map(streams, threads: options.threads) { place, digest in
      place.upperBound <= document.byteCount
        && (try? SHA256.digest(of: document, at: place.lowerBound, count: place.count)) == digest
    }
    let whole = Set(zip(streams, isWhole).compactMap { $1 ? $0.key : nil })
    return pages.filter { whole.contains($0.value.page.stream.place) }
  }

  // MARK: - Unfinished documents

  private func forget(_ documents: Set<RecordFolder.BegunDocument>) {
    folder.remove(documents)
    state.withLock { $0.begun.subtract(documents) }
  }

  /// The keys of all outputs that the script has requested in this run.
  private var askedKeys: [String] {
    let now = state.withLock { $0 }
    let known = earlier.all.lazy.filter { $0.number.map(now.unchanged.contains) ?? false }.map(\.output.key)
    return now.asked + Array(known)
  }

  /// Removes unfinished documents of earlier runs that the script has not requested.
  package func forgetUnfinished() {
    let begun = state.withLock { $0.begun }
    guard !begun.isEmpty else { return }
    let asked = Set(askedKeys.map(folder.mark))
    forget(begun.filter { !asked.contains($0.mark) })
  }

  /// Gives the indices of complete documents their final names. Removes unfinished versions of these documents, and of
  /// kept ones, that earlier runs have left. Other unfinished documents and their indices stay.
  func settleDocuments(of run: Run) {
    let now = state.withLock { $0 }
    var over: Set<String> = []
    for (key, document) in now.journals {
      guard let output = now.planned[key], output.byteCount(in: run) != nil else { continue }
      folder.complete(document, key)
      over.insert(folder.mark(of: key))
    }
    guard !now.begun.isEmpty else { return }
    let kept = askedKeys.filter { now.planned[$0] == nil && !now.refused.contains($0) }
    over.formUnion(kept.map(folder.mark))
    forget(now.begun.filter { over.contains($0.mark) })
  }
}
