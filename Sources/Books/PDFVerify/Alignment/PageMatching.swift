import BookExpectations
import ImageCore
import Platform
import Synchronization

/// Finds the expected page that each page of a document corresponds to.
struct PageMatching {
  private let meant: [PageSignature]
  private let found: [PageSignature]
  /// For each page of the document, the index of the expected page; nil for none.
  private(set) var counterparts: [Int?]
  /// For each expected page, the index of the page of the document; nil for none.
  private(set) var places: [Int?]
  /// The indices of expected pages that were found, by the digests of their pictures.
  private var originals: [[ShortDigest]: [Int]] = [:]
  /// Whether any page was recognised by its traits, so that the others can be matched by their neighbours.
  private(set) var isCertain = false

  init(meant: [PageSignature], found: [PageSignature]) {
    (self.meant, self.found) = (meant, found)
    counterparts = Array(repeating: nil, count: found.count)
    places = Array(repeating: nil, count: meant.count)
    // The keys include the pictures, because similar pages may have equal content.
    pairAlike {
      $0.content == nil ? nil : PageSignature(content: $0.content, pictures: $0.pictures)
    }
    pairAlike { $0.pictures.isEmpty ? nil : PageSignature(content: nil, pictures: $0.pictures) }
    pairByContent()
    isCertain = counterparts.contains { $0 != nil }
    for page in meant.indices where places[page] != nil {
      originals[meant[page].pictures, default: []].append(page)
    }
    if meant.count == found.count { pairInPlace() }
  }

  var lost: [Int] { places.indices.filter { places[$0] == nil } }
  var added: [Int] { counterparts.indices.filter { counterparts[$0] == nil } }

  private mutating func pair(_ page: Int, with place: Int) {
    places[page] = place
    counterparts[place] = page
  }

  // MARK: Unchanged pages

  /// Pairs pages with the same key: first in order, so that equal pages keep their neighbours, then anywhere.
  private mutating func pairAlike(_ key: (PageSignature) -> PageSignature?) {
    let meant = lost.compactMap { index in key(self.meant[index]).map { (index, $0) } }
    let found = added.compactMap { index in key(self.found[index]).map { (index, $0) } }
    for (left, right) in CommonOrder.pairs(meant.map(\.1), found.map(\.1)) {
      pair(meant[left].0, with: found[right].0)
    }
    var waiting: [PageSignature: [Int]] = [:]
    for (page, key) in meant.reversed() where places[page] == nil { waiting[key, default: []].append(page) }
    for (place, key) in found where counterparts[place] == nil {
      if let page = waiting[key]?.popLast() { pair(page, with: place) }
    }
  }

  /// Pairs pages whose pictures were exchanged. They are recognised by content that exactly one page is expected to
  /// have.
  private mutating func pairByContent() {
    let counts = meant.reduce(into: [ShortDigest: Int]()) { counts, page in
      if let content = page.content { counts[content, default: 0] += 1 }
    }
    var pages: [ShortDigest: Int] = [:]
    for page in lost { if let content = meant[page].content, counts[content] == 1 { pages[content] = page } }
    for place in added {
      guard let content = found[place].content, let page = pages.removeValue(forKey: content)
      else { continue }
      pair(page, with: place)
    }
  }

  // MARK: Pages that were changed

  private mutating func pairInPlace() {
    for place in added where places[place] == nil && !isCopy(place) { pair(place, with: place) }
  }

  /// Returns whether an unmatched page duplicates another page of the document.
  func isCopy(_ place: Int) -> Bool { original(of: place) != nil }

  /// Returns the expected page that an unmatched page duplicates; nil if there is none, and for pages without pictures.
  func original(of place: Int) -> Int? {
    let page = found[place]
    guard counterparts[place] == nil, !page.pictures.isEmpty else { return nil }
    return originals[page.pictures]?.first {
      meant[$0].content == nil || meant[$0].content == page.content
    }
  }

  /// Pairs the remaining pages in each gap between paired pages, in order. If a gap has more or fewer expected pages
  /// than found ones, pages whose pictures have equal sizes come first. Paired pages that are out of order do not
  /// delimit gaps.
  mutating func pairBetween() {
    let known = counterparts.indices.filter { counterparts[$0] != nil }
    let order = LongestRun.indices(of: known.map { counterparts[$0]! }).map { known[$0] }
    var (place, page) = (0, 0)
    for end in order + [counterparts.count] {
      let lastPage = end < counterparts.count ? counterparts[end]! : places.count
      let pages = (page..<lastPage).filter { places[$0] == nil }
      pairGap(pages, (place..<end).filter { counterparts[$0] == nil && !isCopy($0) })
      (place, page) = (end + 1, lastPage + 1)
    }
  }

  private mutating func pairGap(_ pages: [Int], _ gap: [Int]) {
    guard !pages.isEmpty, !gap.isEmpty else { return }
    if pages.count != gap.count {
      for (left, right) in CommonOrder.pairs(pages.map { meant[$0].shape }, gap.map { found[$0].shape }) {
        pair(pages[left], with: gap[right])
      }
    }
    let rest = pages.filter { places[$0] == nil }
    for (page, place) in zip(rest, gap.filter { counterparts[$0] == nil }) { pair(page, with: place) }
  }
}

/// Traits that identify a page wherever it is in the document.
struct PageSignature: Sendable, Hashable {
  /// The digest of the page's uncompressed content; nil if none is expected, or if the content could not be read.
  var content: ShortDigest?
  /// The digests of the page's stored pictures, in drawing order.
  var pictures: [ShortDigest] = []
  /// The widths and heights of the page's pictures in pixels, a rough description of its appearance.
  var shape: [Int] = []

  init(_ meant: PageExpectation) {
    content = meant.content
    pictures = meant.pictures.map(\.digest)
    shape = meant.pictures.flatMap { [$0.pixelWidth, $0.pixelHeight] }
  }

  init(content: ShortDigest?, pictures: [ShortDigest], shape: [Int] = []) {
    (self.content, self.pictures, self.shape) = (content, pictures, shape)
  }
}

/// Reads the signatures of a document's pages on several threads, without rendering a page or decoding a picture.
struct SignatureReader {
  let file: PDFFile
  let identities: PictureIdentities
  let watchdog: Watchdog
  /// Returns whether any page is expected to have this content.
  let knowsContent: @Sendable (ShortDigest) -> Bool
  private static let releaseInterval = 32

  func signatures(of pages: [PageRecord], jobs: Int) -> [PageSignature] {
    let next = Atomic(0)
    let found = Mutex<[Int: PageSignature]>([:])
    let body: @Sendable (Int) -> Void = { worker in
      defer { watchdog.end(worker: worker) }
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < pages.count, !watchdog.hasGivenUp else { return }
        watchdog.begin(index + 1, worker: worker)
        let signature = signature(pages[index].entries(file))
        found.withLock { $0[index] = signature }
        if index % Self.releaseInterval == Self.releaseInterval - 1 { file.mapping.release() }
      }
    }
    runOnThreads((1...max(1, min(jobs, pages.count))).map { worker in { body(worker) } })
    return found.withLock { found in
      pages.indices.map { found[$0] ?? PageSignature(content: nil, pictures: []) }
    }
  }

  private func signature(_ entries: [String: PDFValue]) -> PageSignature {
    let everything = PageBox(left: -1e6, bottom: -1e6, right: 1e6, top: 1e6)
    let content = PageContent(entries, visible: everything, file, known: knowsContent)
    var signature = PageSignature(content: content.digest, pictures: [])
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    let names = file.resolve(resources["XObject"]).dictionary ?? [:]
    for draw in content.reader.draws {
      guard let number = names[draw.name]?.reference, let object = file.object(number),
        let facts = PictureFacts(number, object.dictionary, file), let stream = object.stream
      else { continue }
      let identity = identities.identity(of: facts, stream: stream)
      file.mapping.release(stream)
      signature.pictures.append(identity.all)
      signature.shape += [facts.width, facts.height]
    }
    return signature
  }
}
