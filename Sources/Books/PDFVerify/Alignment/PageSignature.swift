import BookExpectations
import ImageCore
import Platform
import Synchronization

/// Traits that identify a page wherever it is in the document.
struct PageSignature: Sendable, Hashable {
  /// The digest of its content without compression; nil if no digest is expected.
  var content: ShortDigest?
  /// Digests of its stored pictures, in drawing order.
  var pictures: [ShortDigest] = []
  /// The pixel dimensions of its pictures, which describe its rough look.
  var shape: [Int] = []

  /// Makes the signature of an expected page.
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
  /// The number of pages after which memory is released.
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
