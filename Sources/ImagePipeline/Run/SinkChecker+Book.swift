import ImageCore

/// Books: the texts, the plan and the pictures of each.
extension SinkChecker {
  mutating func checkBook(_ sink: Sink, _ path: String, _ raw: RawArguments) {
    let parameters = SinkParameters.book + environment.book.parameters
    guard let arguments = arguments(raw, parameters, sink, "book") else { return }
    let problems = environment.book.problems(with: arguments)
    for problem in problems { mistake(sink, "book", problem) }
    guard let texts = templates(arguments, sink) else { return }
    noteStrays(in: texts.named, sink)
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
    for (index, picture) in sink.pictures.enumerated() {
      guard var page = readable(picture, index, texts, sink) else { continue }
      page.place = found.count
      found.append(page)
    }
    var plan: (any BookPlan)?
    if !found.isEmpty, problems.isEmpty {
      do throws(PictureError) {
        plan = try environment.book.plan(found.map(\.planned), arguments: arguments)
      } catch {
        mistake(sink, "book", error.description)
        return
      }
    }
    let assembler = BookAssembler(
      path: whole, pictureCount: sink.pictures.count, plan: plan, arguments: arguments,
      skipsFailedPages: options.onError == .continue, environment: environment, sink: sink)
    if options.isDryRun, let plan {
      sink.job.state.withLock { $0.result.pages = plan.pageCount }
    }
    var next = found.makeIterator()
    var current = next.next()
    for index in sink.pictures.indices {
      guard let page = current, page.index == index else {
        assembler.excludeBeforeStart(index)
        continue
      }
      current = next.next()
      addPage(page, assembler, sink)
    }
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
    _ picture: Picture, _ index: Int, _ texts: PageTemplates, _ sink: Sink
  ) -> ReadablePicture? {
    do throws(Picture.Problem) {
      let info = try picture.info()
      func filled(_ template: NameTemplate?) throws(Picture.Problem) -> String? {
        guard let template else { return nil }
        return try text(template, picture, info, index, sink, "book")
      }
      var alternative = texts.alternative(of: picture)
      if alternative == nil { alternative = try filled(texts.alternative) }
      let references = PageReferences(
        outline: try filled(texts.outline) ?? "", link: try filled(texts.link) ?? "",
        alternative: alternative ?? "")
      if let problem = environment.book.problem(with: references) {
        mistake(sink, "book", problem)
      }
      let caption = legible(try filled(texts.caption), picture, sink)
      func running(_ template: NameTemplate?) throws(Picture.Problem) -> RunningText? {
        guard let template else { return nil }
        let text = try self.runningText(template, picture, info, index, sink)
        return legible(text.text(page: 1, pageCount: 1), picture, sink) == nil ? nil : text
      }
      let lines = RunningTexts(
        header: try running(texts.header), footer: try running(texts.footer),
        pageNumber: try running(texts.pageNumber))
      return ReadablePicture(
        picture: picture, index: index,
        texts: .of(caption: caption, running: lines, references: references),
        planned: BookPicture(
          width: info.layout.width, height: info.layout.height,
          resolution: info.metadata.resolution, hasCaption: !(caption ?? "").isEmpty))
    } catch {
      _ = report(error)
      return nil
    }
  }

  /// The texts that each page gets its own of.
  private struct PageTemplates {
    var caption, header, footer, pageNumber, outline, link, alternative: NameTemplate?
    /// Texts that are read instead of pictures, by name or stem.
    var named: [String: String]

    /// The text of this picture alone.
    func alternative(of picture: Picture) -> String? {
      guard !named.isEmpty, let file = picture.origin else { return nil }
      return named[file.name] ?? named[file.stem]
    }
  }

  /// Nil where one of them is wrong.
  private mutating func templates(_ arguments: Arguments, _ sink: Sink) -> PageTemplates? {
    var isRight = true
    func template(_ name: String, _ use: NameTemplate.Use = .path) -> NameTemplate? {
      guard let text = arguments.optionalText(name), !text.isEmpty else { return nil }
      let template = parsed(text, sink, "book", use: use)
      if template == nil { isRight = false }
      return template
    }
    let texts = PageTemplates(
      caption: template("caption", .caption), header: template("header", .runningLine),
      footer: template("footer", .runningLine),
      pageNumber: template("page_number", .runningLine), outline: template("outline"),
      link: template("link"), alternative: template("alt", .caption),
      named: arguments.fields("alt_texts"))
    return isRight ? texts : nil
  }

  /// Says which texts are of no picture: names may be mistyped, or a table be meant for several books.
  private mutating func noteStrays(in named: [String: String], _ sink: Sink) {
    guard !named.isEmpty else { return }
    let names = Set(sink.pictures.compactMap(\.origin).flatMap { [$0.name, $0.stem] })
    let strays = named.keys.filter { !names.contains($0) }.sorted()
    guard let first = strays.first else { return }
    let hint =
      Suggestion.nearest(to: first, in: names.sorted()).map { " (did you mean '\($0)'?)" } ?? ""
    notes.append(
      Diagnostic(
        .output, at: sink.position, subject: "book",
        message:
          "note: 'alt_texts' has '\(printable(first))'\(hint), which is no picture of this book"
          + (strays.count > 1 ? ", and \(strays.count - 1) more" : "")))
  }

  private mutating func addPage(
    _ page: ReadablePicture, _ assembler: BookAssembler, _ sink: Sink
  ) {
    var picture = page.picture
    noteEncoding(of: picture, assembler.arguments, sink)
    if let size = assembler.plan?.pixelSize(ofPicture: page.place) {
      picture = Picture(
        environment.resize(size.width, size.height), inputs: [picture], position: sink.position)
    }
    pages.append(
      PageOutput(
        assembler: assembler, picture: picture, index: page.index, texts: page.texts,
        place: page.place,
        isLossless: isLossless(picture, assembler.arguments),
        copiesSource: isEmbedded(picture, assembler.arguments)))
  }

  /// Says so where an untouched file of a format with losses has to be encoded again.
  private mutating func noteEncoding(of picture: Picture, _ arguments: Arguments, _ sink: Sink) {
    guard !arguments.boolean("reencode"), !arguments.boolean("lossless"),
      case .source(let file, _, _) = picture.step, let contents = try? file.read(),
      !contents.codec.isLossless, !contents.header.isEmbeddable,
      let reason = environment.book.reasonToEncode(contents.header)
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

  /// The caption, nil with a note where the book cannot show it: a name in another script is no reason
  /// to lose the book.
  private mutating func legible(_ caption: String?, _ picture: Picture, _ sink: Sink) -> String? {
    guard let caption, let problem = environment.book.problem(withCaption: caption) else {
      return caption
    }
    notes.append(
      Diagnostic(
        .output, at: sink.position, subject: "book", file: picture.origin?.path,
        message: "note: \(problem); the page is left without"))
    return nil
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
