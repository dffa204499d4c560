import ImageCore

/// Books: the texts, the plan and the pictures of each.
extension SinkChecker {
  mutating func checkBook(_ sink: Sink, _ path: String, _ raw: RawArguments) {
    let parameters = SinkParameters.book + environment.book.parameters
    guard let raw = withBook(raw, sink), let arguments = arguments(raw, parameters, sink, "book")
    else {
      return tellUnreadable(sink)
    }
    let problems = environment.book.problems(with: arguments)
    for problem in problems { mistake(sink, "book", problem) }
    guard let texts = templates(arguments, sink) else { return tellUnreadable(sink) }
    noteStrays(in: texts, sink)
    let whole = PathName.joined(options.outputFolder, path)
    if PathName.fileExtension(path) != "pdf" {
      mistake(sink, "book", "a book is a PDF: '\(path)' should end in .pdf")
    }
    if sink.pictures.isEmpty, lacksPictures { return fail(.reported, sink.job, path: whole) }
    if sink.pictures.isEmpty {
      mistake(sink, "book", "there are no pictures to put into '\(path)'")
    }
    let place: SplitPath
    do throws(Picture.Problem) {
      place = try claim(whole, for: nil, sink)
    } catch {
      fail(error, sink.job, path: whole)
      return tellUnreadable(sink)
    }
    var candidates = BookCandidates()
    candidates.keepsPlaces = environment.book.keepsPlaces(arguments)
    candidates.found.reserveCapacity(sink.pictures.count)
    if pages.isEmpty { pages.reserveCapacity(sink.pictures.count) }
    var missing = MissingFields()
    for (index, picture) in sink.pictures.enumerated() {
      read(picture, index, texts, sink, &missing, into: &candidates)
    }
    noteMissing(missing, sink)
    if problems.isEmpty {
      candidates.leaveOut(
        environment.book.problems(
          ofPictures: candidates.found.map(\.planned), arguments: arguments), sink)
    }
    let plan = arrange(&candidates, arguments, isPlanned: problems.isEmpty, sink)
    bind(plan, path, sink)
    tell(candidates, plan, of: whole)
    addPages(candidates, plan, whole, place, arguments, sink)
  }

  private mutating func read(
    _ picture: Picture, _ index: Int, _ texts: PageTemplates, _ sink: Sink,
    _ missing: inout MissingFields, into candidates: inout BookCandidates
  ) {
    do throws(Picture.Problem) {
      let info = try picture.info()
      let filled = try filled(texts, picture, info, index, sink, &missing)
      candidates.found.append(
        BookCandidate(
          picture: picture, index: index, texts: filled,
          planned: BookPicture(
            width: info.layout.width, height: info.layout.height,
            resolution: info.metadata.resolution, caption: filled.caption ?? "")))
    } catch {
      candidates.lost.append((index, error))
    }
  }

  /// Arranges what can be in the book: pictures of which headers and options tell that they cannot are lost, and the
  /// others close up, where they may.
  ///
  /// - Parameter isPlanned: whether the options are right.
  private mutating func arrange(
    _ candidates: inout BookCandidates, _ arguments: Arguments, isPlanned: Bool, _ sink: Sink
  ) -> (any BookPlan)? {
    var plan: (any BookPlan)?
    var checks = PictureChecks(nil)
    var problems: [Int: String] = [:]
    repeat {
      do throws(PictureError) {
        if isPlanned, !candidates.found.isEmpty {
          plan = try environment.book.plan(
            candidates.planned, isComplete: candidates.lost.isEmpty, arguments: arguments)
        }
      } catch {
        plan = nil
        mistake(sink, "book", error.description)
      }
      checks = PictureChecks(environment.book.pictureCheck(arguments))
      problems = [:]
      candidates.settle()
      for place in candidates.found.indices {
        let prepared = prepared(candidates.found[place], plan, arguments, sink)
        candidates.found[place].prepared = prepared
        problems[place] =
          (prepared.copiesSource ? nil : candidates.found[place].picture.reasonNotToDecode)
          ?? checks.problem(with: prepared, named: candidates.found[place].name)
          // A dry run has the time to look at what a run finds when it takes a file over.
          ?? (options.isDryRun ? fault(ofFileIn: prepared) : nil)
      }
      candidates.leaveOut(problems, sink)
    } while !problems.isEmpty
    let settled = candidates
    for text in plan?.notes(naming: { settled.name(at: $0) }) ?? [] { note(text, sink) }
    // What a run finds out is told where there will be none.
    if options.isDryRun, let text = checks.doubt { note(text, sink) }
    return plan
  }

  private func prepared(
    _ page: BookCandidate, _ plan: (any BookPlan)?, _ arguments: Arguments, _ sink: Sink
  ) -> PreparedForBook {
    let whole = page.picture
    let isEmbedded = isEmbedded(whole, arguments)
    guard let cut = plan?.cut(ofPicture: page.place), cut.changesPixels(ofFile: isEmbedded) else {
      return PreparedForBook(
        picture: whole, isLossless: isLossless(whole, arguments), copiesSource: isEmbedded)
    }
    let picture = Picture(environment.resize(cut), inputs: [whole], position: sink.position)
    // What is only cut keeps its pixels as they are.
    return PreparedForBook(
      picture: picture, isLossless: isLossless(cut.way == .scaled ? picture : whole, arguments),
      copiesSource: false)
  }

  /// What a run finds wrong with a file when it takes it over.
  private func fault(ofFileIn prepared: PreparedForBook) -> String? {
    guard let file = prepared.copiedFile else { return nil }
    do throws(PictureError) {
      let (header, opened) = try file.openWithHeader()
      try environment.book.tryToTake(opened, header)
      return nil
    } catch {
      return error.description
    }
  }

  /// Tells which pictures have no page, and what becomes of the book.
  private mutating func tell(
    _ candidates: BookCandidates, _ plan: (any BookPlan)?, of book: String
  ) {
    for (index, problem) in candidates.lost.sorted(by: { $0.index < $1.index }) {
      guard case .diagnostic(let diagnostic) = problem else { continue }
      let loss = PageLoss(
        of: index, isOnePicturePerPage: plan?.isOnePicturePerPage ?? true, book: book,
        goesOn: options.onError == .continue, isPlanned: candidates.keepsPlaces)
      _ = report(.diagnostic(loss.diagnostic(diagnostic)))
    }
  }

  private mutating func addPages(
    _ candidates: BookCandidates, _ plan: (any BookPlan)?, _ path: String,
    _ target: SplitPath, _ arguments: Arguments, _ sink: Sink
  ) {
    let assembler = BookAssembler(
      path: path, place: target, pictureCount: sink.pictures.count, plan: plan,
      arguments: arguments,
      skipsFailedPages: options.onError == .continue, environment: environment, sink: sink)
    if options.isDryRun, let plan {
      sink.job.state.withLock { $0.result.pages = plan.pageCount }
    }
    for (index, _) in candidates.lost { assembler.excludeBeforeStart(index) }
    noteColours(candidates, sink)
    for page in candidates.found {
      noteEncoding(of: page.picture, arguments, sink)
      guard let prepared = page.prepared else { continue }
      pages.append(
        PageOutput(
          assembler: assembler, picture: prepared.picture, index: page.index, texts: page.texts,
          place: page.place, isLossless: prepared.isLossless, copiesSource: prepared.copiesSource))
    }
    books.append(assembler)
  }

  /// Says so where pictures lose a printer's inks because they have more pixels than their cells take.
  private mutating func noteColours(_ candidates: BookCandidates, _ sink: Sink) {
    let changed = candidates.found.filter { page in
      guard let prepared = page.prepared, prepared.picture !== page.picture,
        let file = page.picture.untouchedFile, let header = try? file.wholeHeader()
      else { return false }
      return header.codec == "jpeg" && header.details["components"] == .integer(4)
    }
    guard let first = changed.first else { return }
    let who =
      changed.count == 1
      ? "\(first.name) is CMYK and becomes RGB, as it is"
      : "\(changed.count) pictures are CMYK and become RGB, \(first.name) first, as they are"
    note(who + " resized to the layout's cells; a higher max_dpi keeps their own bytes", sink)
  }

  /// Says so where an untouched file of a format with losses has to be encoded again.
  private mutating func noteEncoding(of picture: Picture, _ arguments: Arguments, _ sink: Sink) {
    guard !arguments.boolean("reencode"), !arguments.boolean("lossless"),
      case .source(let file, _, _) = picture.step, let contents = try? file.read(),
      !contents.codec.isLossless, !contents.header.isEmbeddable,
      // What it is that cannot be held is in details, which are not kept.
      let reason = environment.book.reasonToEncode(
        (try? file.wholeHeader()) ?? contents.header)
    else { return }
    notes.append(
      Diagnostic(
        .output, at: sink.position, subject: "book", file: file.path,
        message: "note: \(reason); the page is encoded again"))
  }

  /// Whether a page that is encoded is stored without loss: an untouched picture of a lossless format is.
  private func isLossless(_ picture: Picture, _ arguments: Arguments) -> Bool {
    if arguments.boolean("lossless") { return true }
    guard !arguments.boolean("reencode"), case .source(let file, _, _) = picture.step,
      let contents = try? file.read()
    else { return false }
    return contents.codec.isLossless
  }

  /// Whether its file's own bytes make the page. One that may be truncated is decoded and encoded instead,
  /// which finds out.
  private func isEmbedded(_ picture: Picture, _ arguments: Arguments) -> Bool {
    guard !arguments.boolean("reencode"), let file = picture.untouchedFile,
      case .source(_, let orient, _) = picture.step, let header = try? file.read().header,
      orient || header.metadata.orientation == .upright,
      environment.book.reasonToEncode(header) == nil
    else { return false }
    return file.endsProperly
  }
}
