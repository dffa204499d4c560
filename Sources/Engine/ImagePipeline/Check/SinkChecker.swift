import ImageCore
import PictureTraits
import Platform
import Scheduling

/// Collects what sinks find when they check requests: outputs, mistakes and notes. Paths are claimed in `paths`.
package struct SinkChecker {
  package let environment: Environment
  package let options: RunOptions
  let paths: PathClaims
  /// The language of dates in names and texts.
  private let locale: TimeLocale
  /// Whether pictures are missing that have been told.
  package let lacksPictures: Bool
  private var realPaths = RealPaths()
  /// The folders of outputs, which many jobs share.
  private var folders = InternedPath.Folders()

  private(set) var files: [FileOutput] = []
  private(set) var documents: [any Document] = []
  private(set) var pages: [DocumentEntry] = []
  /// Messages that stop nothing.
  private(set) var notes: [Diagnostic] = []
  var mistakes: [Diagnostic] { noted.all }
  var furtherMistakes: Int { noted.further }
  private var noted = DiagnosticLog()
  /// Lines that describe outputs.
  private(set) var descriptions: [String] = []
  /// Values that sinks keep for observers that know their types.
  private(set) var records: [any Sendable] = []
  /// Returns the traits of each picture; nil for one that cannot be decoded.
  package let traits: ([Picture]) -> [PictureTraits?]

  init(
    environment: Environment, options: RunOptions, paths: PathClaims, locale: TimeLocale = .english,
    traits: @escaping ([Picture]) -> [PictureTraits?] = { $0.map { _ in nil } }, lacksPictures: Bool
  ) {
    self.traits = traits
    self.locale = locale
    self.environment = environment
    self.options = options
    self.paths = paths
    self.lacksPictures = lacksPictures
  }

  // MARK: - Outputs

  mutating func add(_ file: FileOutput) { files.append(file) }

  /// Adds a document and those of its pictures that can be made.
  package mutating func add(_ document: any Document, _ outputs: [DocumentEntry]) {
    documents.append(document)
    if pages.isEmpty { pages = outputs } else { pages += outputs }
  }

  /// Returns a path that shares its folder with others.
  mutating func split(_ path: String) -> InternedPath { InternedPath(path, in: &folders) }

  // MARK: - Texts and options

  /// Reports pictures that cannot be read, even where the call itself is wrong.
  package mutating func tellUnreadable(_ request: OutputRequest) {
    for picture in request.pictures {
      do throws(Picture.Problem) { _ = try picture.info() } catch { report(error) }
    }
  }

  /// Parses a template; nil if it is wrong, which is noted.
  ///
  /// - Parameters:
  ///   - option: the option that has the template; nil for the name of the output.
  ///   - hasGroups: whether the pictures are in groups, which the template may name.
  package mutating func parsed(
    _ text: String, _ request: OutputRequest, option: String? = nil, use: NameTemplate.Use = .path,
    hasGroups: Bool = false
  ) -> NameTemplate? {
    do throws(NameTemplate.TemplateError) {
      return try NameTemplate(text, use: use, locale: locale, hasGroups: hasGroups)
    } catch {
      mistake(request, (option.map { "'\($0)': " } ?? "") + "'\(text)': \(error)")
      return nil
    }
  }

  /// Returns a date by a pattern of strftime(3), in the language of the script.
  package func text(of date: PictureDate, _ pattern: String) -> String { date.text(pattern, locale) }

  package func problem(_ error: NameTemplate.TemplateError, _ picture: Picture, _ request: OutputRequest)
    -> Picture.Problem
  {
    .diagnostic(
      Diagnostic(
        .input, at: request.position, subject: request.subject, file: picture.origin?.path,
        message: error.description))
  }

  /// Checks options; nil if they have mistakes, which are noted.
  package mutating func arguments(
    _ raw: RawArguments, _ parameters: [ParameterDescriptor], _ request: OutputRequest
  ) -> Arguments? {
    do throws(ArgumentErrors) {
      return try Arguments(raw, parameters: parameters, positionalCount: 0)
    } catch {
      let environment = environment
      for error in error.errors {
        let text = error.text(in: request.subject) {
          OptionHome.call($0, environment, isSaving: environment.sink(request.job.kind) == nil)
        }
        mistake(request, text, parameter: error.parameter)
      }
      noted.addFurther(error.further)
      return nil
    }
  }

  // MARK: - Paths

  /// Takes a path for one output.
  ///
  /// - Parameter isHashed: whether the name is known only when the file is complete. Any number of outputs may have it.
  /// - Returns: The place where the file will lie, links followed.
  package mutating func claim(_ path: String, for picture: Picture?, _ request: OutputRequest, isHashed: Bool = false)
    throws(Picture.Problem) -> InternedPath
  {
    func problem(_ message: String) -> Picture.Problem {
      .diagnostic(Diagnostic(.script, at: request.position, subject: request.subject, file: path, message: message))
    }
    if path.utf8.contains(0) { throw problem("a path cannot contain a zero byte") }
    if options.part.isDivided, OutputPipe(path) != nil {
      throw problem("a shard cannot write to a pipe; save to a file, or use 'imghost run' without --shard")
    }
    let isStandardOutput = path == OutputPipe.standardOutput
    let place = isStandardOutput ? InternedPath(path) : realPaths.place(of: path)
    let reason =
      isStandardOutput
      ? options.standardOutput.problem(options, paths.files)
      : realPaths.strangersLink(in: place).map { OutputPlaces.problem(withLink: $0) }
        ?? paths.reserved.reason(against: place)
    if let reason { throw problem(reason) }
    let source = picture?.origin
    let hashedCount = paths.claims[place]?.hashedCount ?? 0
    if let other = paths.claims[place], !other.isGivenUp, !isHashed || hashedCount == 0 {
      throw problem(Self.reason(path, source, request.job, against: other))
    }
    paths.claims[place] = OutputClaim(
      job: request.job, source: source, path: split(path), hashedCount: isHashed ? hashedCount + 1 : 0)
    return place
  }

  /// Returns the path by which shards know an output that has just been claimed with `{hash}`.
  package func key(_ path: String, at place: InternedPath) -> String {
    "\(path)#\(paths.claims[place]?.hashedCount ?? 0)"
  }

  /// Reads `{hash}` in the name of an output that is no template; nil if there is none, or a mistake, which is noted.
  package mutating func hashedName(_ request: OutputRequest) -> HashedName? {
    do throws(NameTemplate.TemplateError) {
      return try HashedName(inPath: request.name)
    } catch {
      mistake(request, "'\(request.name)': \(error)")
      return nil
    }
  }

  /// Why two outputs have one place, and what tells them apart.
  private static func reason(_ path: String, _ source: PictureFile?, _ job: Job, against other: OutputClaim) -> String {
    let line = other.job.position.map { " at line \($0.line)" } ?? ""
    // A link makes one file of names that differ, or one path is absolute.
    if PathName.absolute(path, in: "/") != PathName.absolute(other.path.text, in: "/") {
      return
        "this is the same file as the output '\(printable(other.path.text))'\(line), by a link or "
        + "another path; save elsewhere"
    }
    let isOne = other.job === job
    if path == OutputPipe.standardOutput {
      return "two outputs go to standard output\(isOne ? "" : " (the other\(line))"); give one of them a file"
    }
    if let source, let otherSource = other.source, source.path != otherSource.path {
      return "two outputs have this name, of '\(printable(otherSource.path))' and '\(printable(source.path))'; "
        + "tell them apart by \(fields(telling: source, from: otherSource, inOneCall: isOne))"
    }
    return "two outputs have this name (the other\(line)); "
      + (isOne ? "use {stem} or {index:3} in it" : "give one of them another")
  }

  /// The fields of a name that differ between two sources.
  private static func fields(telling source: PictureFile, from other: PictureFile, inOneCall isOne: Bool) -> String {
    if source.name == other.name { return source.folderName == other.folderName ? "{index:3}" : "{folder}" }
    if isOne, source.stem == other.stem { return "{stem}-{ext}" }
    return "{name} or {folder}"
  }

  // MARK: - Mistakes

  package mutating func mistake(_ request: OutputRequest, _ message: String, parameter: String? = nil) {
    var mistake = Diagnostic(.script, at: request.position, subject: request.subject, message: message)
    mistake.parameter = parameter
    noted.add(mistake)
  }

  /// Adds a message that stops nothing.
  package mutating func note(_ message: String, _ request: OutputRequest, file: String? = nil) {
    notes.append(
      Diagnostic(.output, at: request.position, subject: request.subject, file: file, message: "note: " + message))
  }

  mutating func note(_ note: Diagnostic) { notes.append(note) }

  /// Adds a line about an output, for dry runs.
  package mutating func describe(_ line: String) { if options.isDryRun { descriptions.append(line) } }

  /// Keeps a value for observers that know its type.
  package mutating func keep(_ record: any Sendable) { records.append(record) }

  /// Notes that an output cannot be made.
  package mutating func fail(_ problem: Picture.Problem, _ job: Job, path: String) {
    job.addFailure(split(path), report(problem))
  }

  /// Keeps a problem for the report; one that is reported already is not kept again.
  @discardableResult
  package mutating func report(_ problem: Picture.Problem) -> Diagnostic? {
    guard case .diagnostic(let diagnostic) = problem else { return nil }
    noted.add(diagnostic)
    return diagnostic
  }
}

extension Job {
  /// Adds a document that will be written; returns its place in the job.
  package func addOutput(_ path: String, key: String? = nil) -> Int { addOutput(InternedPath(path), key: key) }

  /// Adds a file that will be written; returns its place in the job.
  func addOutput(_ place: InternedPath, key: String? = nil) -> Int {
    state.withLock { state in
      state.remaining += 1
      // Many a job has but one: an array that is appended to takes room for more.
      if state.result.outputs.isEmpty {
        state.result.outputs = [Output(place, key: key)]
      } else {
        state.result.outputs.append(Output(place, key: key))
      }
      return state.result.outputs.count - 1
    }
  }

  /// Adds a file that will not be written.
  func addFailure(_ place: InternedPath, _ diagnostic: Diagnostic?) {
    state.withLock { state in
      let failure = diagnostic ?? Diagnostic(.output, at: position, subject: kind.rawValue, message: "left out")
      state.result.outputs.append(Output(place, failure: failure))
    }
  }
}
