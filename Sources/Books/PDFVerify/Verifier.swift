import BookExpectations
import ImageCore
import Platform
import Synchronization

/// Proves a PDF: its structure by a reader of its own, its pictures by their digests, and every page by
/// rendering it with poppler at its pictures' native scale and comparing pixels.
///
/// Poppler may crash on a hostile file: run it in a process of its own, as `imghost-verify` does, where files may
/// be hostile. What hangs is given up after a time, and an error of the report.
public struct Verifier: Sendable {
  /// Threads that check pages, each with a document of its own.
  public var jobs: Int
  /// Seconds that opening the document, or one page, may take.
  public var deadline: Int
  /// What is wanted beside what the document's writer meant.
  public var requirements = Requirements()
  /// Where the pictures come from: each must be one of its files, or made of one.
  public var sources: SourceFolder?
  /// What opens an encrypted document: the user's password or the owner's; nil for none.
  public var password: String?
  /// Whether the report can draw a contact sheet.
  public var drawsPages = false
  /// Told on any thread after each page how many are done, of how many.
  public var onPage: @Sendable (_ done: Int, _ pages: Int) -> Void = { _, _ in }
  /// Pixels that poppler may decode for one page to render each picture at its own scale: half a second.
  /// Pages with more are rendered once, and their pictures compared as they are seen there.
  package var nativePixels = 128 << 20
  private let decodeJPEG: JPEGDecoding
  /// The same with CMYK as amounts of ink, whatever an Adobe segment says. Without it, YCCK that is not inverted is
  /// not compared, and a warning says so.
  public var decodeInk: JPEGDecoding?
  /// Bytes that pages in work may take. A page that needs more is an error of the report, and is not rendered; a
  /// document that makes poppler take far more is given up. On Linux only, that counts all that the process takes.
  public var memory = 2 << 30
  /// Milliseconds of a clock that only goes forward.
  package var now: @Sendable () -> Int = Watchdog.milliseconds
  private let onGivenUp: @Sendable (VerificationReport) -> Void
  private var limits: MemoryLimits { MemoryLimits(bytes: memory) }

  /// - Parameters:
  ///   - decodeJPEG: independent of poppler; called on any thread.
  ///   - onGivenUp: called by `verify` before it returns the report of a document that exceeded the deadline, or
  ///     its memory.
  public init(
    jobs: Int = 1, deadline: Int = 60, decodeJPEG: @escaping JPEGDecoding,
    onGivenUp: @escaping @Sendable (VerificationReport) -> Void = { _ in }
  ) {
    self.jobs = jobs
    self.deadline = deadline
    self.decodeJPEG = decodeJPEG
    self.onGivenUp = onGivenUp
  }

  /// Checks one PDF. Blocks until that is done; may be called from several threads. Whatever is wrong with it is
  /// a finding.
  ///
  /// Where opening the document or a page exceeds the deadline, the report is that one error. The threads that
  /// hang cannot be ended: they are left behind, with what memory they have, until they come back or the process
  /// ends. Meanwhile the file must not be made shorter.
  public func verify(_ path: String, expecting expected: VerificationExpectations? = nil)
    -> VerificationReport
  {
    let decryption = Decryption()
    let watchdog = Watchdog(seconds: deadline, now: now, takesTooMuch: memoryGuard())
    let result = Result()
    let isStarted = Threads.startAlone {
      watchdog.begin(0, worker: 0)
      let outcome = run(path, expected, watchdog, decryption)
      result.outcome.withLock { $0 = outcome }
    }
    // Without a second thread nobody watches.
    guard isStarted else { return run(path, expected, watchdog, decryption).report(path) }
    if let reason = watchdog.watch(until: { result.outcome.withLock { $0 != nil } }) {
      decryption.stop()
      let report = VerificationReport(path: path, givenUp: reason, deadline: deadline, limits)
      onGivenUp(report)
      return report
    }
    return (result.outcome.withLock { $0 } ?? Outcome()).report(path)
  }

  /// Tells whether the process has taken far more memory than pages may, since now.
  private func memoryGuard() -> @Sendable () -> Bool {
    let (before, most) = (ProcessMemory.bytes(), limits.processBytes)
    return {
      guard ProcessMemory.bytes() - before > most else { return false }
      ProcessMemory.trim()
      return ProcessMemory.bytes() - before > most
    }
  }

  /// What the thread at work hands over.
  private final class Result: Sendable {
    let outcome = Mutex<Outcome?>(nil)
  }

  private func run(
    _ path: String, _ expected: VerificationExpectations?, _ watchdog: Watchdog,
    _ decryption: Decryption
  ) -> Outcome {
    var outcome = Outcome()
    LogCapture.start()
    _ = LogCapture.take()
    do {
      let (input, mapping) = try Self.open(path)
      do {
        try check(input, mapping, expected, watchdog, &outcome)
      } catch .encrypted {
        guard let plain = try decryption.open(path, password: password ?? "") else {
          try checkEncrypted(mapping, expected, watchdog, &outcome)
          outcome.faults += LogCapture.take()
          return outcome
        }
        outcome.faults += plain.faults + [.decrypted]
        outcome.isDecrypted = true
        try check(plain.file, Self.mapping(plain.file), expected, watchdog, &outcome)
      }
    } catch {
      outcome.faults.append(error)
    }
    outcome.faults += LogCapture.take()
    return outcome
  }

  private func check(
    _ input: InputFile, _ mapping: FileMapping, _ expected: VerificationExpectations?,
    _ watchdog: Watchdog, _ outcome: inout Outcome
  ) throws(Fault) {
    let file = try PDFFile(mapping)
    outcome.faults += file.faults
    try checkPages(file, input, expected, watchdog, &outcome)
  }

  /// Without qpdf only poppler has the means to open it, and that without a password alone: version 22.12 of
  /// `poppler_document_new_from_bytes` crashes where one is wrong.
  private func checkEncrypted(
    _ mapping: FileMapping, _ expected: VerificationExpectations?, _ watchdog: Watchdog,
    _ outcome: inout Outcome
  ) throws(Fault) {
    do throws(Fault) {
      try RenderingOnlyCheck(mapping, expected, requirements).run(watchdog, &outcome)
    } catch .popplerRefuses {
      throw password == nil ? .locked : .lockedWithoutProgram
    }
    outcome.faults.append(.encrypted)
  }

  private static func open(_ path: String) throws(Fault) -> (InputFile, FileMapping) {
    do throws(FileError) {
      let file = try InputFile(path: path)
      guard file.byteCount > 0 else { throw FileError(.read, path: path, code: 0) }
      return (file, try FileMapping(file))
    } catch {
      // Swift reads what is no UTF-8 as replacement characters.
      if error.code == ENOENT, path.unicodeScalars.contains("\u{fffd}") {
        throw .unreadable("there is no such file, or its name is not UTF-8: then rename it")
      }
      throw error.code == 0 ? .empty : .unreadable(error.description)
    }
  }

  private static func mapping(_ file: InputFile) throws(Fault) -> FileMapping {
    do throws(FileError) {
      guard file.byteCount > 0 else { throw FileError(.read, path: file.path, code: EIO) }
      return try FileMapping(file)
    } catch {
      throw .unreadable(error.description)
    }
  }

  /// What is expected: what the caller says, with the digests of content that travel with the document, or
  /// else what travels with it.
  private func expectations(
    _ given: VerificationExpectations?, _ file: PDFFile, _ packet: XMPForm?,
    _ outcome: inout Outcome
  ) -> VerificationExpectations? {
    let embedded: VerificationExpectations?
    do throws(Fault) {
      embedded = try EmbeddedExpectations.read(file)
    } catch {
      outcome.faults.append(error)
      return given
    }
    if embedded == nil, EmbeddedExpectations.areLost(file, packet) {
      outcome.faults.append(.expectationsLost)
    } else if given == nil, embedded == nil {
      outcome.faults.append(.noExpectations(areWanted: requirements.isSealed))
    }
    guard var merged = given, let embedded else { return given ?? embedded }
    merged.document = merged.document ?? embedded.document
    for (index, page) in zip(merged.pages.indices, embedded.pages)
    where merged.pages[index].pictures.map(\.digest) == page.pictures.map(\.digest) {
      merged.pages[index].content = merged.pages[index].content ?? page.content
      merged.pages[index].tags = merged.pages[index].tags ?? page.tags
    }
    return merged
  }

  private func align(
    _ pages: [PageRecord], _ expectation: ExpectationCheck, _ file: PDFFile,
    _ identities: PictureIdentities, _ watchdog: Watchdog
  ) -> PageAlignment {
    // Its threads are watched page by page.
    watchdog.end(worker: 0)
    defer { watchdog.begin(0, worker: 0) }
    let reader = SignatureReader(
      file: file, identities: identities, watchdog: watchdog, isOlder: expectation.isOlder,
      knowsContent: expectation.knows(content:))
    return PageAlignment(
      meant: expectation.signatures, found: reader.signatures(of: pages, jobs: jobs))
  }

  /// Renders a page for nothing: fonts and colour tables that poppler and its libraries share are set up here,
  /// before threads.
  ///
  /// - Returns: false where the first pages are too large for that.
  private func warmUp(
    _ renderer: PopplerRenderer, _ pages: [PageRecord], _ file: PDFFile, _ watchdog: Watchdog
  ) -> Bool {
    for index in pages.indices.prefix(Self.fewPages) where !watchdog.hasGivenUp {
      watchdog.begin(index + 1, worker: 0)
      let entries = pages[index].entries(file)
      guard PageCost(entries, file, limits).bytes <= limits.bytes,
        PageContent(
          entries, visible: PageBox(left: 0, bottom: 0, right: 1, top: 1), file,
          known: { _ in false }
        )
        .isRenderable
      else { continue }
      _ = renderer.page(index)?.render(
        left: 0, top: 0, scaleX: 0.1, scaleY: 0.1, width: 8, height: 8)
      return true
    }
    return false
  }
  private static let fewPages = 64

  private func checkPages(
    _ file: PDFFile, _ input: InputFile, _ expected: VerificationExpectations?,
    _ watchdog: Watchdog, _ outcome: inout Outcome
  ) throws(Fault) {
    watchdog.end(worker: 0)
    let sweep = ObjectSweep(file: file, watchdog: watchdog).run(jobs: jobs)
    watchdog.begin(0, worker: 0)
    outcome.faults += sweep.faults + (sources?.faults ?? [])
    var tree = PageTreeReader(file)
    tree.read()
    outcome.faults += tree.faults + OutlineCheck.faults(file)
    defer { outcome.add(sweep.lengths) }
    let metadata = MetadataCheck(file)
    outcome.faults += metadata.faults
    if outcome.isDecrypted, metadata.archivalPart != nil {
      outcome.faults.append(
        .archiveBroken(metadata.archivalClaim, "it is encrypted, which PDF/A forbids"))
    }
    outcome.faults += LinearizationCheck(file: file, pages: tree.pages).faults()
    let expectation = expectations(expected, file, metadata.packet, &outcome)
      .map(ExpectationCheck.init)
    outcome.isWritten = expectation != nil
    if outcome.isWritten { outcome.faults += WrittenDocument(file: file).faults() }
    let meant = expectation?.expected.document
    outcome.faults += HeaderCheck(file).faults(meant: meant?.version)
    let tags = TagTree(file, pages: tree.pages, isSealed: meant?.knowsTags == true)
    outcome.faults += tags.faults
    guard !tree.pages.isEmpty else {
      outcome.faults += expectation?.check(pageCount: 0) ?? []
      return
    }
    let identities = PictureIdentities(file)
    let alignment = expectation.map { align(tree.pages, $0, file, identities, watchdog) }
    outcome.faults += alignment?.faults ?? []
    outcome.missingPages = alignment?.missing ?? []
    let document = DocumentReader(file, pages: tree.pages, alignment: alignment)
    if let meant {
      let found = document.read(knowsForm: meant.knowsMetadataForm)
      outcome.faults += DocumentCheck(found: found, meant: meant, packet: metadata.packet).run()
      outcome.faults += tags.faults(of: meant)
    }
    let tagOrder = alignment.map { TagOrder.faults(tags.order, tree.pages, $0.counterparts) }

    let mapping: FileMapping
    do {
      mapping = try ProfileRemoval.view(of: file, pages: tree.pages, input: input)
    } catch {
      throw .unreadable(error.description)
    }
    let renderer = try PopplerRenderer(mapping)
    if renderer.pageCount != tree.pages.count {
      outcome.faults.append(.popplerPages(own: tree.pages.count, poppler: renderer.pageCount))
    }
    let isWarm = warmUp(renderer, tree.pages, file, watchdog)
    outcome.faults += LogCapture.take()
    watchdog.end(worker: 0)
    let (fonts, count) = (FontCatalog(file), tree.pages.count)
    let decoders = EmbeddedDecoders(usual: decodeJPEG, ink: decodeInk)
    outcome.expectedPageCount = expectation?.expected.pages.count ?? requirements.pages
    let queue = PageQueue(tree.pages, watchdog, limits, onPage: onPage) {
      guard let renderer = try? PopplerRenderer(mapping) else { return nil }
      return PageChecker(
        file: file, renderer: renderer, decoders: decoders, fonts: fonts,
        identities: identities, expectations: expectation, alignment: alignment,
        document: document, tags: tags, tagOrder: tagOrder ?? [:],
        requirements: RequirementCheck(requirements: requirements),
        sources: sources, thumbnailSide: drawsPages ? ContactSheet.side(pages: count) : 0,
        nativePixels: nativePixels, archivalPart: metadata.archivalPart, limits: limits)
    }
    outcome.pages = queue.run(jobs: isWarm ? jobs : 1)
    outcome.faults += RequirementCheck(requirements: requirements).check(outcome.pages)
    let fontCheck = FontCheck(
      archivalPart: metadata.archivalPart, isStrict: requirements.hasEmbeddedFonts,
      isWritten: outcome.isWritten)
    outcome.fonts = fontCheck.check(&outcome.pages)
    if let fonts = meant?.fonts {
      let check = FontSealCheck(meant: fonts, isWhole: meant?.knowsTags == true)
      outcome.faults += check.faults(outcome.pages)
    }
  }
}

/// What has been found so far.
struct Outcome: Sendable {
  var faults: [Fault] = []
  var pages: [PageChecker.Result] = []
  var fonts: [FontReport] = []
  var expectedPageCount: Int?
  var missingPages: [MissingPage] = []
  /// Whether something says what the document was written as.
  var isWritten = false
  /// Whether it was encrypted, and what qpdf decrypted was checked.
  var isDecrypted = false

  /// Adds what is wrong with the lengths of streams, but of those that pages have told of.
  mutating func add(_ lengths: [Int: Fault]) {
    let told = Set(
      (faults + pages.flatMap(\.faults)).compactMap { fault in
        if case .streamLength(let object, _, _) = fault { object } else { nil }
      })
    faults += lengths.sorted { $0.key < $1.key }.filter { !told.contains($0.key) }
      .prefix(ObjectSweep.maximum).map(\.value)
  }

  func report(_ path: String) -> VerificationReport {
    // What the writer and the caller want both is told once.
    var seen: Set<Finding> = []
    var limit = PopplerLimit()
    let own = limit.kept(isWritten ? faults.map { $0.asWritten() } : faults)
    var findings = own.map { Finding($0, page: nil) }.filter { seen.insert($0).inserted }
    for page in pages {
      let names = page.report.pictures.map { $0.name.isEmpty ? $0.source ?? "" : $0.name }
      findings += limit.kept(page.faults).map {
        Finding($0, page: page.report.number, names: names)
      }
    }
    if limit.omitted > 0 { findings.append(Finding(.morePoppler(limit.omitted), page: nil)) }
    var thumbnails = Thumbnails()
    for page in pages { thumbnails.pictures[page.report.number] = page.thumbnail }
    let isUnreadable = faults.contains {
      if case .unreadable = $0 { true } else { false }
    }
    return VerificationReport(
      path: path, pages: pages.map(\.report), findings: findings, isSealed: isWritten,
      isUnreadable: isUnreadable, fonts: fonts, expectedPageCount: expectedPageCount,
      missingPages: missingPages,
      thumbnails: thumbnails)
  }
}
