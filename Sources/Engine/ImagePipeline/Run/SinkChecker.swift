import ImageCore
import Scheduling

/// Turns recorded sinks into outputs, and finds every mistake without decoding a pixel.
struct SinkChecker {
  let environment: Environment
  let options: RunOptions
  /// Places of outputs that are spoken for, and where.
  var claimedPaths: [SplitPath: OutputClaim]
  let taken: TakenPaths
  private var realPaths = RealPaths()
  /// Of the outputs; many a job has but one of these.
  private var folders = SplitPath.Folders()
  /// What other sinks that say the same have been found to want.
  private var knownFormats: [SaveCall: SaveFormat] = [:]

  private(set) var files: [FileOutput] = []
  var books: [BookAssembler] = []
  /// Those of earlier checks, too.
  var boundBooks: [BoundBook] = []
  var pages: [PageOutput] = []
  /// Whether pictures are missing that have been told.
  var lacksPictures = false
  /// What is worth a line and stops nothing.
  var notes: [Diagnostic] = []
  var mistakes: [Diagnostic] { noted.all }
  var furtherMistakes: Int { noted.further }
  private var noted = DiagnosticLog()

  init(
    environment: Environment, options: RunOptions, claimedPaths: [SplitPath: OutputClaim],
    taken: TakenPaths
  ) {
    self.environment = environment
    self.options = options
    self.claimedPaths = claimedPaths
    self.taken = taken
  }

  mutating func check(_ sink: Sink) {
    switch sink.target {
    case .files(let template, let options):
      tellUnreadable(sink)
      checkFiles(sink, template, options)
    case .book(let path, let options): checkBook(sink, path, options)
    }
  }

  /// Pictures that cannot be read are told even where the sink itself is wrong.
  mutating func tellUnreadable(_ sink: Sink) {
    for picture in sink.pictures {
      do throws(Picture.Problem) { _ = try picture.info() } catch { _ = report(error) }
    }
  }

  // MARK: - save

  private mutating func checkFiles(_ sink: Sink, _ template: String, _ raw: RawArguments) {
    guard let name = parsed(template, sink, "save") else { return }
    var formats = SaveFormats()
    // Checked once even where there is no picture to save.
    if !name.endsInField, format(of: template, raw, sink, &formats) == nil { return }
    for (index, picture) in sink.pictures.enumerated() {
      var path = template
      var place: SplitPath?
      do throws(Picture.Problem) {
        // A wrong call has been told: that its result has no name is no other mistake.
        if picture.origin == nil { _ = try picture.info() }
        // The name is claimed before the header is asked for: a missing file hides no other mistake.
        if !name.needsHeader {
          (path, place) = try claimedPath(name, picture, nil, index, sink)
        }
        let info = try picture.info()
        if name.needsHeader { (path, place) = try claimedPath(name, picture, info, index, sink) }
        guard let place else { preconditionFailure("a name is claimed before its file is written") }
        guard let format = format(of: path, raw, sink, &formats) else { continue }
        let isCopy = isCopy(picture, info, format.codec, format.arguments)
        if !isCopy, let reason = picture.reasonNotToDecode {
          throw .diagnostic(
            Diagnostic(
              .input, at: sink.position, subject: "save", file: picture.origin?.path,
              message: reason))
        }
        files.append(
          FileOutput(
            picture: picture, format: format, copiesSource: isCopy, job: sink.job, place: place,
            index: sink.job.addOutput(SplitPath(path, in: &folders))))
      } catch {
        fail(error, sink.job, path: path)
      }
    }
  }

  private mutating func claimedPath(
    _ name: NameTemplate, _ picture: Picture, _ info: Picture.Info?, _ index: Int, _ sink: Sink
  ) throws(Picture.Problem) -> (path: String, place: SplitPath?) {
    let text = try text(name, picture, info, index, sink, "save")
    let path = PathName.joined(options.outputFolder, text)
    return (path, try claim(path, for: picture, sink))
  }

  /// By file ending; nil for one that has been found wrong.
  private typealias SaveFormats = [String: SaveFormat?]

  private struct SaveCall: Hashable {
    let ending: String
    let options: RawArguments
  }

  private mutating func format(
    of path: String, _ raw: RawArguments, _ sink: Sink, _ known: inout SaveFormats
  ) -> SaveFormat? {
    let ending = PathName.fileExtension(path)
    if let format = known[ending] { return format }
    let call = SaveCall(ending: ending, options: raw)
    var format = knownFormats[call]
    if format == nil, let codec = codec(for: path, raw, sink),
      let arguments = arguments(raw, SinkParameters.save + codec.saveParameters, sink, "save")
    {
      format = SaveFormat(codec: codec, arguments: arguments)
    }
    knownFormats[call] = format
    known[ending] = format
    return format
  }

  private mutating func codec(for path: String, _ raw: RawArguments, _ sink: Sink)
    -> (any PictureCodec)?
  {
    let format = raw.named.first { $0.name == "format" }
    let all = environment.codecs.filter(\.writes)
    if case .text(let name)? = format?.value {
      if let codec = all.first(where: { $0.name == name || $0.extensions.contains(name) }) {
        return codec
      }
      mistake(sink, "save", Self.unknownFormat("format '\(name)'", name, all))
      return nil
    }
    let ending = PathName.fileExtension(path)
    if let codec = all.first(where: { $0.extensions.contains(ending) }) { return codec }
    let what = ending.isEmpty ? "'\(path)' has no file ending" : "file ending '.\(ending)'"
    mistake(sink, "save", Self.unknownFormat(what, ending, all))
    return nil
  }

  private static func unknownFormat(
    _ what: String, _ written: String, _ codecs: [any PictureCodec]
  ) -> String {
    let endings = codecs.flatMap(\.extensions)
    let hint = Suggestion.nearest(to: written, in: endings).map { " (did you mean '\($0)'?)" } ?? ""
    return "cannot tell the format: \(what)" + hint + "; valid: " + endings.joined(separator: ", ")
  }

  /// The file whose bytes are the result: an untouched picture of the same format, upright, with no
  /// option that asks for other bytes.
  private func isCopy(
    _ picture: Picture, _ info: Picture.Info, _ codec: any PictureCodec, _ arguments: Arguments
  ) -> Bool {
    guard case .source(let file, _, false) = picture.step, info.codec == codec.name,
      let header = try? file.read().header,
      header.metadata.orientation == info.metadata.orientation,
      !arguments.given.contains(where: { given in
        codec.saveParameters.contains { $0.name == given.name }
      })
    else { return false }
    return true
  }

  // MARK: - shared

  mutating func parsed(
    _ text: String, _ sink: Sink, _ subject: String, use: NameTemplate.Use = .path
  ) -> NameTemplate? {
    do throws(NameTemplate.TemplateError) {
      return try NameTemplate(text, use: use)
    } catch {
      mistake(sink, subject, "'\(text)': \(error)")
      return nil
    }
  }

  private func text(
    _ template: NameTemplate, _ picture: Picture, _ info: Picture.Info?, _ index: Int, _ sink: Sink,
    _ subject: String
  ) throws(Picture.Problem) -> String {
    do throws(NameTemplate.TemplateError) {
      return try template.text(for: picture, info: info, index: index + 1)
    } catch {
      throw problem(error, picture, sink, subject)
    }
  }

  func problem(
    _ error: NameTemplate.TemplateError, _ picture: Picture, _ sink: Sink, _ subject: String
  ) -> Picture.Problem {
    .diagnostic(
      Diagnostic(
        .input, at: sink.position, subject: subject, file: picture.origin?.path,
        message: error.description))
  }

  mutating func arguments(
    _ raw: RawArguments, _ parameters: [ParameterDescriptor], _ sink: Sink, _ subject: String
  ) -> Arguments? {
    do throws(ArgumentErrors) {
      return try Arguments(raw, parameters: parameters, positionalCount: 0)
    } catch {
      let environment = environment
      for error in error.errors {
        let text = error.text(in: subject) { OptionHome.call($0, environment) }
        mistake(sink, subject, text)
      }
      noted.addFurther(error.further)
      return nil
    }
  }

  /// Takes a path for one output.
  ///
  /// - Returns: Where the file will lie, links followed.
  mutating func claim(_ path: String, for picture: Picture?, _ sink: Sink)
    throws(Picture.Problem) -> SplitPath
  {
    func problem(_ message: String) -> Picture.Problem {
      .diagnostic(
        Diagnostic(
          .script, at: sink.position, subject: sink.job.kind.rawValue, file: path, message: message)
      )
    }
    if path.utf8.contains(0) { throw problem("a path cannot contain a zero byte") }
    let place = realPaths.place(of: path)
    if let reason = taken.reason(against: place) { throw problem(reason) }
    let source = picture?.origin
    if let other = claimedPaths[place], !other.isGivenUp {
      throw problem(Self.reason(path, source, sink.job, against: other))
    }
    claimedPaths[place] = OutputClaim(
      job: sink.job, source: source, path: SplitPath(path, in: &folders))
    return place
  }

  /// Why two outputs have one place, and what tells them apart.
  private static func reason(
    _ path: String, _ source: PictureFile?, _ job: Job, against other: OutputClaim
  ) -> String {
    let line = other.job.position.map { " at line \($0.line)" } ?? ""
    // A link makes one file of names that differ, or one path is absolute.
    if PathName.absolute(path, in: "/") != PathName.absolute(other.path.text, in: "/") {
      return
        "this is the same file as the output '\(printable(other.path.text))'\(line), by a link or "
        + "another path; save elsewhere"
    }
    let isOne = other.job === job
    if let source = source?.path, let otherSource = other.source?.path, source != otherSource {
      return
        "two outputs have this name, of '\(printable(otherSource))' and '\(printable(source))'; "
        + "tell them apart by {name}, {ext} or " + (isOne ? "{index:3}" : "{folder}")
    }
    return "two outputs have this name (the other\(line)); "
      + (isOne ? "use {stem} or {index:3} in it" : "give one of them another")
  }

  mutating func mistake(_ sink: Sink, _ subject: String, _ message: String) {
    noted.add(Diagnostic(.script, at: sink.position, subject: subject, message: message))
  }

  mutating func fail(_ problem: Picture.Problem, _ job: Job, path: String) {
    let diagnostic = report(problem)
    job.addFailure(SplitPath(path, in: &folders), diagnostic)
  }

  /// Keeps a problem for the report; one that is reported already is not kept again.
  mutating func report(_ problem: Picture.Problem) -> Diagnostic? {
    guard case .diagnostic(let diagnostic) = problem else { return nil }
    noted.add(diagnostic)
    return diagnostic
  }
}

extension Job {
  /// Adds a file that will be written; gives its place.
  func addOutput(_ place: SplitPath) -> Int {
    state.withLock { state in
      state.remaining += 1
      // Many a job has but one: an array that is appended to takes room for more.
      if state.result.outputs.isEmpty {
        state.result.outputs = [Output(place)]
      } else {
        state.result.outputs.append(Output(place))
      }
      return state.result.outputs.count - 1
    }
  }

  /// Adds a file that will not be written.
  func addFailure(_ place: SplitPath, _ diagnostic: Diagnostic?) {
    state.withLock { state in
      let failure =
        diagnostic
        ?? Diagnostic(.output, at: position, subject: kind.rawValue, message: "left out")
      state.result.outputs.append(Output(place, failure: failure))
    }
  }
}
