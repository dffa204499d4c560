import BookExpectations
import ImageCore
import Synchronization

/// The facts about a document that several checks need, read once.
final class DocumentContext: Sendable {
  let file: PDFFile
  let settings: CheckSettings
  /// Whether the file was encrypted. The checks then read qpdf's decrypted copy.
  let isDecrypted: Bool
  let catalogue: [String: PDFValue]
  /// Faults of single objects.
  let objects: ObjectSweep.Result
  let tree: PageTreeReader
  let metadata: Metadata
  /// The expectations of what the document shows; nil if there are none.
  let expectations: ExpectationIndex?
  /// The fault of missing or unusable expectations; nil for none.
  let expectationFault: Fault?
  let tags: TagTree
  let identities: PictureIdentities
  /// The document's pages matched with the expected ones; nil without expectations or without pages.
  let alignment: PageAlignment?
  let statements: DocumentReader
  /// Faults of pages whose tags are no longer in the written order, by page from 0.
  let tagOrder: [Int: Fault]
  let fonts: FontCatalog

  var pages: [PageRecord] { tree.pages }
  /// The expected declarations of the document about itself; nil if the expectations lack them, or if there are no
  /// expectations.
  var meant: DocumentExpectation? { expectations?.expected.document }
  /// Whether there are expectations of the document.
  var isWritten: Bool { expectations != nil }

  /// - Parameter given: the caller's expectations; nil to use those inside the document.
  init(
    _ file: PDFFile, given: VerificationExpectations?, isDecrypted: Bool, _ settings: CheckSettings,
    _ watchdog: Watchdog
  ) {
    self.file = file
    self.settings = settings
    self.isDecrypted = isDecrypted
    catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    // During the sweep, the sweep's own threads are watched instead of this one.
    watchdog.end(worker: 0)
    objects = ObjectSweep(file: file, watchdog: watchdog).run(jobs: settings.jobs)
    watchdog.begin(0, worker: 0)
    tree = PageTreeReader(file)
    metadata = Metadata(file)
    let embedded = EmbeddedExpectations(
      file, given: given, metadata.packet, areRequired: settings.requirements.isSealed)
    expectations = embedded.merged.map(ExpectationIndex.init)
    expectationFault = embedded.fault
    let meant = expectations?.expected.document
    let pages = tree.pages
    let tags = TagTree(file, pages: pages, hasDigests: meant != nil)
    self.tags = tags
    identities = PictureIdentities(file)
    alignment = Self.alignment(of: pages, file, expectations, identities, settings.jobs, watchdog)
    statements = DocumentReader(file, pages: pages, counterparts: alignment?.counterparts)
    tagOrder = alignment.map { TagOrder.faults(tags.order, pages, $0.counterparts) } ?? [:]
    fonts = FontCatalog(file)
  }

  private static func alignment(
    of pages: [PageRecord], _ file: PDFFile, _ expectations: ExpectationIndex?,
    _ identities: PictureIdentities, _ jobs: Int, _ watchdog: Watchdog
  ) -> PageAlignment? {
    guard let expectations, !pages.isEmpty else { return nil }
    // The threads that read the pages are watched instead of this one.
    watchdog.end(worker: 0)
    defer { watchdog.begin(0, worker: 0) }
    let reader = SignatureReader(
      file: file, identities: identities, watchdog: watchdog,
      knowsContent: expectations.knows(content:))
    return PageAlignment(meant: expectations.signatures, found: reader.signatures(of: pages, jobs: jobs))
  }
}

/// Compares the reading order of a tagged document's pages with the order of the written book.
enum TagOrder {
  /// Returns faults by page, from 0.
  ///
  /// - Parameters:
  ///   - order: the object numbers of pages, in reading order.
  ///   - counterparts: for each page, the index of the expected page.
  static func faults(_ order: [Int], _ pages: [PageRecord], _ counterparts: [Int?]) -> [Int: Fault] {
    let numbers = Dictionary(pages.enumerated().map { ($0.element.object, $0.offset) }, uniquingKeysWith: { $1 })
    let known = order.compactMap { numbers[$0] }.filter { counterparts[$0] != nil }
    let inOrder = Set(LongestRun.indices(of: known.map { counterparts[$0]! }))
    var faults: [Int: Fault] = [:]
    for index in known.indices where !inOrder.contains(index) {
      faults[known[index]] = .tags(.order(after: index > 0 ? known[index - 1] + 1 : nil))
    }
    return faults
  }
}

/// The fonts of a document. The facts about a font with an object of its own are kept for the other pages that use it.
final class FontCatalog: Sendable {
  private let file: PDFFile
  private let known = Mutex<[Int: FontFacts?]>([:])

  init(_ file: PDFFile) { self.file = file }

  /// Returns the fonts in the resources of a page and its forms, by name; nil for a resource that is not a font. The
  /// names of fonts in forms get a suffix.
  func fonts(of resources: [String: PDFValue]) -> [String: FontFacts?] {
    var found: [String: FontFacts?] = [:]
    var visited: Set<Int> = []
    collect(resources, into: &found, &visited, depth: 0)
    return found
  }

  private func collect(
    _ resources: [String: PDFValue], into found: inout [String: FontFacts?], _ visited: inout Set<Int>, depth: Int
  ) {
    for (name, value) in file.resolve(resources["Font"]).dictionary ?? [:] {
      // Fonts of forms are checked, too. Their keys contain spaces, by which `ResourceCheck` recognises them.
      let key = depth == 0 ? name : "\(name) of a form \(visited.count)"
      if found[key] == nil { found[key] = .some(facts(value)) }
    }
    guard depth < 8 else { return }
    for (_, value) in (file.resolve(resources["XObject"]).dictionary ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let number = value.reference, visited.insert(number).inserted,
        let entries = file.object(number)?.dictionary, entries["Subtype"]?.name == "Form",
        let inner = file.resolve(entries["Resources"]).dictionary
      else { continue }
      collect(inner, into: &found, &visited, depth: depth + 1)
    }
  }

  private func facts(_ value: PDFValue) -> FontFacts? {
    guard let number = value.reference else { return value.dictionary.flatMap { FontFacts($0, file) } }
    if let facts = known.withLock({ $0[number] }) { return facts }
    let facts = file.object(number).flatMap { FontFacts($0.dictionary, file) }
    known.withLock { $0[number] = .some(facts) }
    return facts
  }
}

/// Settings and requirements of a document's checks.
struct CheckSettings: Sendable {
  /// The number of threads that check pages.
  let jobs: Int
  let limits: MemoryLimits
  let requirements: Requirements
  let sources: SourceFolder?
  let decodeJPEG: JPEGDecoding
  /// Whether the report can draw a contact sheet.
  let drawsPages: Bool
  /// The maximum number of pixels that poppler may decode for one page to render each picture at its own scale.
  let nativePixels: Int
}

/// The expectations inside a document that imghost wrote, stored as page-piece data of the catalogue (PDF 32000-1:2008,
/// 14.5), and merged with the caller's.
private struct EmbeddedExpectations {
  private(set) var merged: VerificationExpectations?
  private(set) var fault: Fault?

  /// - Parameters:
  ///   - given: the caller's expectations, which take precedence. If they lack `document`, the embedded one is used. If
  ///     a page of them lacks `content` or `tags`, the embedded page's is used if the two pages have equal pictures.
  ///   - areRequired: whether missing expectations are an error; otherwise, they are only noted.
  init(
    _ file: PDFFile, given: VerificationExpectations?, _ packet: XMPForm?, areRequired: Bool
  ) {
    merged = given
    let embedded: VerificationExpectations?
    do {
      embedded = try Self.read(file)
    } catch {
      fault = error
      return
    }
    if embedded == nil, Self.areLost(file, packet) {
      fault = .expectations(.lost)
    } else if given == nil, embedded == nil {
      fault = .expectations(.notFound(areRequired: areRequired))
    }
    guard let embedded else { return }
    merged = given.map { Self.merge($0, embedded) } ?? embedded
  }

  private static func merge(
    _ given: VerificationExpectations, _ embedded: VerificationExpectations
  ) -> VerificationExpectations {
    var merged = given
    merged.document = merged.document ?? embedded.document
    for (index, page) in zip(merged.pages.indices, embedded.pages)
    where merged.pages[index].pictures.map(\.digest) == page.pictures.map(\.digest) {
      merged.pages[index].content = merged.pages[index].content ?? page.content
      merged.pages[index].tags = merged.pages[index].tags ?? page.tags
    }
    return merged
  }

  /// The maximum size of the expectations. They have one line per page and one per picture, so that 256 MB suffice for
  /// a million pages.
  private static let maximumBytes = 256 << 20

  /// Returns whether a document without expectations claims to be made by imghost, so that it must have lost them:
  /// imghost writes expectations into every document.
  ///
  /// Programs that rewrite a file may extend the producer's name, or change only Info or only XMP.
  private static func areLost(_ file: PDFFile, _ packet: XMPForm?) -> Bool {
    let info = file.resolve(file.trailer["Info"]).dictionary ?? [:]
    let names = [packet?.properties["http://ns.adobe.com/pdf/1.3/Producer"], file.text(info["Producer"])]
    return names.contains { $0?.contains("imghost") == true }
  }

  /// Returns the expectations in the document; nil if it has none.
  private static func read(_ file: PDFFile) throws(Fault) -> VerificationExpectations? {
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    let pieces = file.resolve(catalogue["PieceInfo"]).dictionary ?? [:]
    guard let own = file.resolve(pieces["imghost"]).dictionary else { return nil }
    guard let number = own["Private"]?.reference, let object = file.object(number),
      object.stream != nil, let bytes = file.decoded(object, limit: maximumBytes)
    else { throw .expectations(.damaged) }
    do throws(ExpectationsError) {
      return try VerificationExpectations(text: String(decoding: bytes, as: UTF8.self))
    } catch .notExpectations {
      throw .expectations(.unknownVersion)
    } catch {
      throw .expectations(.changed)
    }
  }
}
