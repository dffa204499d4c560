import ImageCore
import ImagePipeline
import PDFBook

/// Checks the request for one book: its texts, its plan and its pictures.
struct BookChecker {
  let request: OutputRequest
  let sink: BookSink
  var checks: SinkChecker
  var tools: BookTools { sink.tools }

  mutating func mistake(_ message: String) { checks.mistake(request, message) }

  mutating func mistake(_ option: String, _ clause: String) { mistake(OptionProblem(option, clause)) }

  mutating func mistake(_ problem: OptionProblem) { checks.mistake(request, problem) }

  /// Adds a note, which does not prevent the run.
  mutating func note(_ message: String, file: String? = nil) { checks.note(message, request, file: file) }

  mutating func check() {
    guard let raw = withBook(), var arguments = checks.arguments(raw, BookOptions.all, request) else {
      return checks.tellUnreadable(request)
    }
    arguments = arguments.withDefaults(CaptionOptions.defaults(for: arguments))
    let areOptionsRight = checkOptions(&arguments)
    let arePagesRight = checkPages(arguments)
    guard let texts = templates(arguments) else { return checks.tellUnreadable(request) }
    noteStrays(in: texts)
    guard let file = claimFile(arguments) else { return }
    var chapters = ChapterTexts(texts.chapter, request)
    var candidates = readPictures(arguments, texts, &chapters)
    var designing: BookDesigning?
    if areOptionsRight {
      let problems = BookFormat.problems(ofPictures: candidates.found.map(\.planned), arguments: arguments)
      candidates.lose(problems, request)
      if arguments.isDesigned {
        designing = self.designing(arguments)
        guard let designing else { return checks.tellUnreadable(request) }
        arguments = designing.arguments
      }
    }
    var plan = arrange(
      &candidates, arguments, designing, chapters, isPlanned: areOptionsRight && arePagesRight)
    if let arranged = plan {
      arguments = placingTitle(arguments, arranged, candidates)
      plan = arranged.withSpine(spineColour(arguments, arranged, candidates))
      bind(arranged)
    }
    tell(candidates, plan, of: file.path)
    addPages(
      candidates,
      BookAssembler.Book(
        path: file.path, place: file.place, hashed: file.hashed,
        key: file.hashed == nil ? file.path : checks.key(file.path, at: file.place),
        pictureCount: request.pictures.count - candidates.leftOut.count, plan: plan, arguments: arguments,
        options: raw, skipsFailedPages: checks.options.onError == .continue, job: request.job,
        position: request.position))
  }

  // MARK: - The call

  /// Checks the options, apart from texts and pages, and returns whether the book can be planned with them.
  private mutating func checkOptions(_ arguments: inout Arguments) -> Bool {
    let problems = BookOptions.problems(with: arguments, tools.verifier)
    for problem in problems { mistake(problem) }
    if problems.isEmpty { arguments = droppingSpineText(arguments) }
    checkGroups(arguments)
    return problems.isEmpty
  }

  private mutating func checkGroups(_ arguments: Arguments) {
    if request.groups.isEmpty, let option = arguments.given.first(where: { $0.name.hasPrefix("section_") })?.name {
      mistake(option, "needs groups of pictures: img.book(path, photos:group_by(\"day\"), …)")
    }
    if arguments.has("section_heading"), !arguments.boolean("section_page_break"), arguments.text("layout") != "single"
    {
      mistake("section_heading", "stands at the top of a page; leave out section_page_break = false")
    }
    if request.groups.isEmpty, arguments.has("chapter") {
      mistake("chapter", "needs groups of pictures: img.book(path, photos:group_by(\"day\"), …)")
    }
    if arguments.has("chapter"), !arguments.boolean("section_page_break") {
      mistake("chapter", "begins a page; leave out section_page_break = false")
    }
  }

  /// Checks the path of the book, and claims it for this request: see `SinkChecker.claim`. Returns nil if the path
  /// cannot be claimed, or if the book has no pictures for a reason that has already been reported.
  private mutating func claimFile(_ arguments: Arguments) -> (path: String, place: InternedPath, hashed: HashedName?)? {
    let path = request.name
    let whole = checks.options.outputPath(path, of: request)
    let isPipe = OutputPipe(whole) != nil
    if isPipe, arguments.boolean("verify") {
      mistake("verify", "needs a file, and '\(path)' is a pipe; verify the file that it is written to")
    }
    if !isPipe, PathName.fileExtension(path) != "pdf" {
      mistake("a \(request.isContactSheet ? "contact sheet" : "book") is a PDF: '\(path)' should end in .pdf")
    }
    if request.pictures.isEmpty, checks.lacksPictures {
      checks.fail(.reported, request.job, path: whole)
      return nil
    }
    if request.pictures.isEmpty { mistake("there are no pictures to put into '\(path)'") }
    let hashed = checks.hashedName(request)
    do throws(Picture.Problem) {
      return (whole, try checks.claim(whole, for: nil, request, isHashed: hashed != nil), hashed)
    } catch {
      checks.fail(error, request.job, path: whole)
      checks.tellUnreadable(request)
      return nil
    }
  }

  /// Records an arranged book or cover, so that covers can be compared with their books.
  private mutating func bind(_ plan: BookPlan) {
    sink.boundBooks.append(BookSink.BoundBook(path: request.name, binding: plan.binding, request: request))
    if checks.options.keepsSinkRecords, let inside = request.coverOf,
      let book = sink.boundBooks.first(where: { $0.request.job === inside })
    {
      checks.keep(DesignRecord.Cover(request, ofBook: book.path))
    }
  }

  // MARK: - Pictures

  /// Reads the headers and texts of the pictures, and leaves out those that hints skip.
  private mutating func readPictures(
    _ arguments: Arguments, _ texts: PageTemplates, _ chapters: inout ChapterTexts
  ) -> BookCandidates {
    var candidates = BookCandidates()
    candidates.keepsPlaces = arguments.text("layout") == LayoutKind.cover.rawValue
    candidates.found.reserveCapacity(request.pictures.count)
    var missing = MissingFields()
    for (index, picture) in request.pictures.enumerated() {
      read(picture, index, texts, &chapters, &missing, into: &candidates)
    }
    noteMissing(missing)
    // The design of a book leaves out skipped pictures itself, and a cover shows all its pictures.
    if !arguments.isDesigned, !candidates.keepsPlaces {
      let found = candidates.found
      candidates.leaveOut(Set(found.indices.filter { request.hint(for: found[$0].picture)?.skip ?? false }))
    }
    return candidates
  }

  private mutating func read(
    _ picture: Picture, _ index: Int, _ texts: PageTemplates, _ chapters: inout ChapterTexts,
    _ missing: inout MissingFields, into candidates: inout BookCandidates
  ) {
    do throws(Picture.Problem) {
      let info = try picture.info()
      let filled = try filled(texts, picture, info, index, &chapters, &missing)
      candidates.found.append(
        BookCandidate(
          picture: picture, index: index, texts: filled,
          planned: CaptionedPicture(info, caption: filled.caption ?? "", keep: request.hint(for: picture)?.keep)))
    } catch {
      candidates.lost.append((index, error))
    }
  }

  /// Arranges the pictures that can be in the book. Pictures with problems are moved to `lost`, and the pictures after
  /// them move up, unless `keepsPlaces` is true.
  ///
  /// - Parameters:
  ///   - designing: the design of a book with the layout `auto`.
  ///   - isPlanned: whether the options and the declared pages are valid.
  private mutating func arrange(
    _ candidates: inout BookCandidates, _ arguments: Arguments, _ designing: BookDesigning?,
    _ chapters: ChapterTexts, isPlanned: Bool
  ) -> BookPlan? {
    let conversion = inkConversion(arguments)
    var made = Arrangement()
    var pictureChecks: PictureChecks
    var problems: [Int: String]
    repeat {
      guard plan(&candidates, arguments, designing, chapters, isPlanned: isPlanned, &made) else { return nil }
      pictureChecks = PictureChecks(arguments)
      problems = prepare(&candidates, for: made.plan, arguments, conversion, &pictureChecks)
      candidates.lose(problems, request)
    } while !problems.isEmpty
    let settled = candidates
    let notes = (made.designed?.notes ?? []) + (made.plan?.notes(naming: { settled.name(at: $0) }) ?? [])
    for text in notes { note(text) }
    if let designed = made.designed, made.plan != nil {
      describe(designed, arguments)
      if let record = designed.record { checks.keep(record) }
    }
    // Only a dry run needs this note, because a real run decodes the pictures.
    if checks.options.isDryRun, let text = pictureChecks.doubt { note(text) }
    return made.plan
  }

  /// The plan of a book (nil if it cannot be planned), and its design (nil unless the layout is `auto`).
  private struct Arrangement {
    var plan: BookPlan?
    var designed: BookDesigning.Designed?
  }

  /// Designs and plans the pages of the remaining pictures.
  ///
  /// - Returns: false if hints skip every picture, or if the design finds mistakes in declared pages. After other
  ///   mistakes, `made.plan` is nil.
  private mutating func plan(
    _ candidates: inout BookCandidates, _ arguments: Arguments, _ designing: BookDesigning?,
    _ chapters: ChapterTexts, isPlanned: Bool, _ made: inout Arrangement
  ) -> Bool {
    let sequence = BookSequence(
      request, candidates, breaks: arguments.boolean("section_page_break"), chapters: chapters,
      hasOutline: !request.groups.isEmpty || arguments.has("outline"))
    do throws(PictureError) {
      if isPlanned, !candidates.found.isEmpty, let designing {
        made.designed = try design(&candidates, designing, sequence, arguments)
      }
      if candidates.found.isEmpty, !candidates.leftOut.isEmpty {
        mistake("hints skip every picture of '\(request.name)', and a book needs one")
        return false
      }
      if let problems = made.designed?.problems, !problems.isEmpty {
        for problem in problems { mistake(problem.reason, onPage: problem.page) }
        return false
      }
      if isPlanned, !candidates.found.isEmpty {
        let plan = try BookFormat.plan(
          candidates.planned, segments: sequence.segments, colophon: colophon(arguments, candidates),
          designed: made.designed, arguments: arguments)
        // A book that lacks pictures may have fewer pages than the options name.
        let problems =
          candidates.lost.isEmpty
          ? DocumentSettings(arguments, creationTime: nil).problems(withPageCount: plan.pageCount) : []
        for problem in problems { mistake(problem) }
        made.plan = problems.isEmpty ? plan : nil
      }
    } catch {
      made.plan = nil
      mistake(error.description)
    }
    return true
  }

  /// Decides how each picture is stored.
  ///
  /// - Returns: the problems of pictures that cannot be in the book, by their indices in `found`.
  private func prepare(
    _ candidates: inout BookCandidates, for plan: BookPlan?, _ arguments: Arguments, _ conversion: InkConversion?,
    _ pictureChecks: inout PictureChecks
  ) -> [Int: String] {
    candidates.settle()
    var problems: [Int: String] = [:]
    for place in candidates.found.indices {
      let prepared = prepared(candidates.found[place], plan, arguments, conversion)
      candidates.found[place].prepared = prepared
      problems[place] =
        (prepared.copiesSource ? nil : candidates.found[place].picture.reasonNotToDecode)
        ?? pictureChecks.problem(with: prepared, named: candidates.found[place].name)
        // A dry run has time to check the file completely, as a real run does when it stores the file.
        ?? (checks.options.isDryRun ? fault(ofFileIn: prepared) : nil)
    }
    return problems
  }

  private func prepared(
    _ page: BookCandidate, _ plan: BookPlan?, _ arguments: Arguments, _ conversion: InkConversion?
  ) -> PreparedForBook {
    let whole = page.picture
    let isEmbedded = isEmbedded(whole, arguments)
    guard let cut = plan?.cut(ofPicture: page.place), cut.changesPixels(ofFile: isEmbedded) else {
      let kept = PreparedForBook(picture: whole, isLossless: isLossless(whole, arguments), copiesSource: isEmbedded)
      return conversion?.applied(to: kept, request) ?? kept
    }
    func cutting(_ picture: Picture) -> Picture {
      Picture(tools.resize(cut), inputs: [picture], position: request.position)
    }
    let picture = conversion?.applied(to: whole, request, cutting) ?? cutting(whole)
    // Cropping does not change pixels, so a cropped picture is stored losslessly if the whole picture would be.
    return PreparedForBook(
      picture: picture, isLossless: isLossless(cut.way == .scaled ? picture : whole, arguments),
      copiesSource: false)
  }

  /// Returns the problem that a run would find in a file when it stores the file.
  private func fault(ofFileIn prepared: PreparedForBook) -> String? {
    guard let file = prepared.copiedFile else { return nil }
    do throws(PictureError) {
      let (header, opened) = try file.openWithHeader()
      // If the `StoredPage` is unsuitable, the run encodes the page, so this is no fault.
      if header.stored != nil { return nil }
      try PictureError.known { () throws in _ = try PDFPicture(whole: opened, header) }
      return nil
    } catch {
      return error.description
    }
  }

  /// Reports the lost pictures, and the consequences for the book.
  private mutating func tell(
    _ candidates: BookCandidates, _ plan: BookPlan?, of book: String
  ) {
    for (index, problem) in candidates.lost.sorted(by: { $0.index < $1.index }) {
      guard case .diagnostic(let diagnostic) = problem else { continue }
      let loss = PageLoss(
        of: index, isOnePicturePerPage: plan?.isOnePicturePerPage ?? true, book: book,
        goesOn: checks.options.onError == .continue, isPlanned: candidates.keepsPlaces)
      checks.report(.diagnostic(loss.diagnostic(diagnostic)))
    }
  }

  private mutating func addPages(
    _ candidates: BookCandidates, _ book: BookAssembler.Book
  ) {
    if checks.options.isDryRun, let plan = book.plan { request.job.update { $0.pages = plan.pageCount } }
    noteColours(
      candidates,
      isInk: Conformance(rawValue: book.arguments.text("conformance"))?.isInk ?? false)
    var pages = [BookAssembler.Page?](repeating: nil, count: book.pictureCount)
    for page in candidates.found {
      noteEncoding(of: page.picture, book.arguments)
      guard let prepared = page.prepared else { continue }
      pages[candidates.wantedPlace(of: page.index)] = BookAssembler.Page(
        texts: page.texts, place: Int32(page.place), isLossless: prepared.isLossless)
    }
    let assembler = BookAssembler(book, pages: pages, sink)
    for (index, _) in candidates.lost { assembler.excludeBeforeStart(candidates.wantedPlace(of: index)) }
    let outputs = candidates.found.compactMap { page in
      page.prepared.map {
        DocumentEntry(
          document: assembler, picture: $0.picture, index: candidates.wantedPlace(of: page.index),
          copiesSource: $0.copiesSource)
      }
    }
    if checks.options.keepsPlan { assembler.outputs = outputs }
    checks.add(assembler, outputs)
  }

  /// Adds a note about CMYK JPEGs that become RGB because they are scaled or cropped for their cells.
  private mutating func noteColours(_ candidates: BookCandidates, isInk: Bool) {
    // A print standard converts all pictures to the printer's CMYK instead.
    guard !isInk else { return }
    let changed = candidates.found.filter { page in
      guard let prepared = page.prepared, prepared.picture !== page.picture,
        let file = page.picture.untouchedFile, let header = try? file.read().header
      else { return false }
      return header.codec == "jpeg" && header.layout.format.model == .cmyk
    }
    guard let first = changed.first else { return }
    let who =
      changed.count == 1
      ? "\(first.name) is CMYK and becomes RGB, as it is"
      : "\(changed.count) pictures are CMYK and become RGB, \(first.name) first, as they are"
    note(who + " resized to the layout's cells; a higher max_dpi keeps their own bytes")
  }

  /// Adds a note about a file of a lossy format that has to be encoded again although no operation changes it.
  private mutating func noteEncoding(of picture: Picture, _ arguments: Arguments) {
    guard !arguments.boolean("reencode"), !arguments.boolean("lossless"),
      case .source(let file, _, _) = picture.step, let contents = try? file.read(),
      BookFormat.holds(contents.header.codec), !contents.codec.isLossless, !contents.header.isEmbeddable,
      // The reason depends on details of the header that only `wholeHeader` reads.
      let reason = BookFormat.reasonToEncode(
        (try? file.wholeHeader()) ?? contents.header)
    else { return }
    note("\(reason); the page is encoded again", file: file.path)
  }

  /// Returns whether an encoded page is stored losslessly. Without `lossless` and `reencode`, this applies to unchanged
  /// pictures of lossless formats, and to two-level pictures, which are smaller that way.
  private func isLossless(_ picture: Picture, _ arguments: Arguments) -> Bool {
    if arguments.boolean("lossless") { return true }
    if !arguments.boolean("reencode"), case .operation(_, let operation, _) = picture.step, operation.isTwoLevel {
      return true
    }
    guard !arguments.boolean("reencode"), case .source(let file, _, _) = picture.step, let contents = try? file.read()
    else { return false }
    return contents.codec.isLossless
  }

  /// Returns whether the bytes of the picture's file are stored unchanged. A file that may be truncated is decoded and
  /// encoded instead, because decoding reveals missing data.
  private func isEmbedded(_ picture: Picture, _ arguments: Arguments) -> Bool {
    guard !arguments.boolean("reencode"), case .source(let file, let orient, false) = picture.step,
      let header = try? file.read().header, orient || header.metadata.orientation == .upright,
      BookFormat.reasonToEncode(header) == nil
    else { return false }
    // The bytes are checked when they are stored; if they are unsuitable, the page is encoded.
    if header.stored != nil { return true }
    return picture.untouchedFile != nil && file.endsProperly
  }
}
