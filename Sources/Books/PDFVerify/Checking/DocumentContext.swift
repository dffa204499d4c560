import BookExpectations
import ImageCore

/// A document as its checks see it: everything that several of them need, read once.
final class DocumentContext: Sendable {
  let file: PDFFile
  let settings: CheckSettings
  /// Whether the file was encrypted, and is the copy that qpdf decrypted.
  let isDecrypted: Bool
  let catalogue: [String: PDFValue]
  /// Faults of single objects.
  let objects: ObjectSweep.Result
  let tree: PageTreeReader
  let metadata: Metadata
  /// The expectations of what the document shows; nil where nobody says.
  let expectations: ExpectationIndex?
  /// The fault of the expectations themselves.
  let expectationFault: Fault?
  let tags: TagTree
  let identities: PictureIdentities
  /// The page that each page was meant to be; nil where nobody says.
  let alignment: PageAlignment?
  let statements: DocumentReader
  /// Faults of pages whose tags are read elsewhere than they were written, by page from 0.
  let tagOrder: [Int: Fault]
  let fonts: FontCatalog

  var pages: [PageRecord] { tree.pages }
  /// The statements about itself that the document was written with; nil where nobody says.
  var meant: DocumentExpectation? { expectations?.expected.document }
  /// Whether something says what the document was written as.
  var isWritten: Bool { expectations != nil }

  /// - Parameter given: what the caller expects; nil to rely on what travels with the document.
  init(
    _ file: PDFFile, given: VerificationExpectations?, isDecrypted: Bool, _ settings: CheckSettings,
    _ watchdog: Watchdog
  ) {
    self.file = file
    self.settings = settings
    self.isDecrypted = isDecrypted
    catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    // Its threads are watched one by one.
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
    // Its threads are watched page by page.
    watchdog.end(worker: 0)
    defer { watchdog.begin(0, worker: 0) }
    let reader = SignatureReader(
      file: file, identities: identities, watchdog: watchdog,
      knowsContent: expectations.knows(content:))
    return PageAlignment(meant: expectations.signatures, found: reader.signatures(of: pages, jobs: jobs))
  }
}
