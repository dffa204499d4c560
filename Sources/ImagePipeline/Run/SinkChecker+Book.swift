import ImageCore

/// Books: the texts, the plan and the pictures of each.
extension SinkChecker {
  mutating func checkBook(_ sink: Sink, _ path: String, _ raw: RawArguments) {
    let parameters = SinkParameters.book + environment.book.parameters
    guard let arguments = arguments(raw, parameters, sink, "book") else { return }
    let problems = environment.book.problems(with: arguments)
    for problem in problems { mistake(sink, "book", problem) }
    guard let texts = templates(arguments, sink) else { return }
    noteStrays(in: texts, sink)
    let whole = PathName.joined(options.outputFolder, path)
    if PathName.fileExtension(path) != "pdf" {
      mistake(sink, "book", "a book is a PDF: '\(path)' should end in .pdf")
    }
    if sink.pictures.isEmpty {
      mistake(sink, "book", "there are no pictures to put into '\(path)'")
    }
    do throws(Picture.Problem) {
      try claim(whole, for: nil, sink)
    } catch {
      fail(error, sink.job, path: whole)
      return
    }
    var found: [ReadablePicture] = []
    found.reserveCapacity(sink.pictures.count)
    if pages.isEmpty { pages.reserveCapacity(sink.pictures.count) }
    var missing = MissingFields()
    for (index, picture) in sink.pictures.enumerated() {
      guard let page = readable(picture, index, texts, sink, &missing) else { continue }
      found.append(page)
    }
    noteMissing(missing, sink)
    var plan: (any BookPlan)?
    if problems.isEmpty {
      leaveOutImpossible(&found, arguments, sink)
      do throws(PictureError) {
        if !found.isEmpty {
          plan = try environment.book.plan(found.map(\.planned), arguments: arguments)
        }
      } catch {
        mistake(sink, "book", error.description)
        return
      }
    }
    for place in found.indices { found[place].place = place }
    for text in plan?.notes(naming: { found[$0].picture.name(at: found[$0].index) }) ?? [] {
      note(text, sink)
    }
    let assembler = BookAssembler(
      path: whole, pictureCount: sink.pictures.count, plan: plan, arguments: arguments,
      skipsFailedPages: options.onError == .continue, environment: environment, sink: sink)
    if options.isDryRun, let plan {
      sink.job.state.withLock { $0.result.pages = plan.pageCount }
    }
    var checks = PictureChecks(environment.book.pictureCheck(arguments))
    var next = found.makeIterator()
    var current = next.next()
    for index in sink.pictures.indices {
      guard let page = current, page.index == index else {
        assembler.excludeBeforeStart(index)
        continue
      }
      current = next.next()
      addPage(page, assembler, &checks, sink)
    }
    // What a run finds out is told where there will be none.
    if options.isDryRun, let text = checks.doubt { note(text, sink) }
    books.append(assembler)
  }

  /// A picture of a book whose header can be read.
  private struct ReadablePicture {
    let picture: Picture
    /// Among those of the call.
    let index: Int
    /// Among those that can be read.
    var place = 0
    let texts: PageTexts
    let planned: BookPicture
  }

  /// Nil for a picture that is told as wrong.
  private mutating func readable(
    _ picture: Picture, _ index: Int, _ texts: PageTemplates, _ sink: Sink,
    _ missing: inout MissingFields
  ) -> ReadablePicture? {
    do throws(Picture.Problem) {
      let info = try picture.info()
      let filled = try filled(texts, picture, info, index, sink, &missing)
      return ReadablePicture(
        picture: picture, index: index,
        texts: filled,
        planned: BookPicture(
          width: info.layout.width, height: info.layout.height,
          resolution: info.metadata.resolution, caption: filled.caption ?? ""))
    } catch {
      _ = report(error)
      return nil
    }
  }

  /// Tells of pictures that can have no page, each by its file.
  private mutating func leaveOutImpossible(
    _ found: inout [ReadablePicture], _ arguments: Arguments, _ sink: Sink
  ) {
    let problems = environment.book.problems(
      ofPictures: found.map(\.planned), arguments: arguments)
    guard !problems.isEmpty else { return }
    for (place, problem) in problems.sorted(by: { $0.key < $1.key }) {
      tell(problem, of: found[place], sink)
    }
    found = found.enumerated().filter { problems[$0.offset] == nil }.map(\.element)
  }

  private mutating func tell(_ problem: String, of page: ReadablePicture, _ sink: Sink) {
    _ = report(.diagnostic(diagnostic(problem, page.picture, page.index, sink)))
  }

  /// What is wrong with a picture, by its file or by its place among those of the call.
  func diagnostic(_ problem: String, _ picture: Picture, _ index: Int, _ sink: Sink) -> Diagnostic {
    let unnamed = picture.origin == nil ? "picture \(index + 1): " : ""
    return Diagnostic(
      .input, at: sink.position, subject: "book", file: picture.origin?.path,
      message: unnamed + problem)
  }

  private mutating func addPage(
    _ page: ReadablePicture, _ assembler: BookAssembler, _ checks: inout PictureChecks, _ sink: Sink
  ) {
    var picture = page.picture
    noteEncoding(of: picture, assembler.arguments, sink)
    if let size = assembler.plan?.pixelSize(ofPicture: page.place) {
      picture = Picture(
        environment.resize(size.width, size.height), inputs: [picture], position: sink.position)
    }
    let output = PageOutput(
      assembler: assembler, picture: picture, index: page.index, texts: page.texts,
      place: page.place,
      isLossless: isLossless(picture, assembler.arguments),
      copiesSource: isEmbedded(picture, assembler.arguments))
    if let problem = checks.problem(with: output) {
      tell(problem, of: page, sink)
      return assembler.excludeBeforeStart(page.index)
    }
    if options.isDryRun, let problem = fault(ofFileIn: output) {
      tell(problem, of: page, sink)
      return assembler.excludeBeforeStart(page.index)
    }
    pages.append(output)
  }

  /// What a run finds wrong with a file when it takes it over; a dry run has the time to look.
  private func fault(ofFileIn page: PageOutput) -> String? {
    guard let file = page.copiesSource else { return nil }
    do throws(PictureError) {
      let (header, opened) = try file.openWithHeader()
      try environment.book.tryToTake(opened, header)
      return nil
    } catch {
      return error.description
    }
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
    guard !arguments.boolean("reencode"), case .source(let file, let orient, false) = picture.step,
      let header = try? file.read().header,
      orient || header.metadata.orientation == .upright,
      environment.book.reasonToEncode(header) == nil
    else { return false }
    return file.endsProperly
  }
}
