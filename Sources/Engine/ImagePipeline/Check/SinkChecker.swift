import ImageCore
import PictureTraits
import Platform
import Scheduling

/// The facts that sinks need to check requests, and the state that requests share. Only the script's thread uses it.
package final class CheckContext {
  package let environment: Environment
  package let options: RunOptions
  let paths: PathClaims
  fileprivate let locale: TimeLocale
  /// Whether pictures may be missing, for a reason that has already been reported.
  package let lacksPictures: Bool
  /// Returns the traits of each picture; nil for one that cannot be decoded.
  package let traits: ([Picture]) -> [PictureTraits?]
  fileprivate var realPaths = RealPaths()
  /// The folders of outputs. Each is stored once, because many outputs share a folder.
  fileprivate var folders = InternedPath.Folders()

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

  /// Returns the outputs that `check` adds to a checker.
  package func outputs(_ check: (inout SinkChecker) -> Void) -> CheckedOutputs {
    var checker = SinkChecker(self)
    check(&checker)
    return checker.found
  }
}

/// The outputs of requests, with the mistakes and notes about the requests.
package struct CheckedOutputs: Sendable {
  /// The files that contain one picture each.
  package fileprivate(set) var files: [FileOutput] = []
  package fileprivate(set) var documents: [any Document] = []
  /// The pictures of documents.
  package fileprivate(set) var entries: [DocumentEntry] = []
  fileprivate(set) var mistakes = DiagnosticLog()
  /// Messages that do not prevent the run.
  fileprivate(set) var notes: [Diagnostic] = []
  /// Lines that describe outputs, for dry runs.
  fileprivate(set) var descriptions: [String] = []
  /// Records of sinks, for observers that know their types.
  fileprivate(set) var records: [any Sendable] = []

  /// The pictures of all outputs.
  var pictures: [Picture] { files.map(\.picture) + entries.map(\.picture) }

  mutating func append(_ other: CheckedOutputs) {
    files += other.files
    documents += other.documents
    // Usually there is one long document, whose entries are moved here instead of copied.
    if entries.isEmpty { entries = other.entries } else { entries += other.entries }
    mistakes.add(other.mistakes)
    notes += other.notes
    descriptions += other.descriptions
    records += other.records
  }
}

/// Makes the outputs of one request: reads its options and texts, claims paths, and collects mistakes and notes.
package struct SinkChecker {
  private let context: CheckContext
  fileprivate var found = CheckedOutputs()

  package var environment: Environment { context.environment }
  package var options: RunOptions { context.options }
  package var lacksPictures: Bool { context.lacksPictures }
  /// Returns the traits of each picture; nil for one that cannot be decoded.
  package var traits: ([Picture]) -> [PictureTraits?] { context.traits }
  private var paths: PathClaims { context.paths }

  fileprivate init(_ context: CheckContext) { self.context = context }

  // MARK: - Outputs

  mutating func add(_ file: FileOutput) { found.files.append(file) }

  /// Adds a document, and the entries of the pictures that can be made.
  package mutating func add(_ document: any Document, _ outputs: [DocumentEntry]) {
    found.documents.append(document)
    found.entries += outputs
  }

  /// Returns the interned path. All paths in one folder share the folder's text.
  func split(_ path: String) -> InternedPath { InternedPath(path, in: &context.folders) }

  // MARK: - Texts and options

  /// Reports pictures that cannot be read or made, even if the call itself has a mistake.
  package mutating func tellUnreadable(_ request: OutputRequest) {
    for picture in request.pictures {
      do throws(Picture.Problem) { _ = try picture.info() } catch { report(error) }
    }
  }

  /// Parses a template; nil if it is invalid, which is reported.
  ///
  /// - Parameters:
  ///   - option: the option with the template; nil for the name of the output.
  ///   - hasGroups: whether the pictures are in groups, to which the template may refer.
  package mutating func parsed(
    _ text: String, _ request: OutputRequest, option: String? = nil, use: NameTemplate.Use = .path,
    hasGroups: Bool = false
  ) -> NameTemplate? {
    do throws(NameTemplate.TemplateError) {
      return try NameTemplate(text, use: use, locale: context.locale, hasGroups: hasGroups)
    } catch {
      let reason = "'\(text)': \(error)"
      mistake(request, option.map { OptionProblem($0, because: reason) } ?? OptionProblem(reason))
      return nil
    }
  }

  /// Returns a date as text according to a pattern of strftime(3), in the script's language.
  package func text(of date: PictureDate, _ pattern: String) -> String { date.text(pattern, context.locale) }

  package func problem(_ error: NameTemplate.TemplateError, _ picture: Picture, _ request: OutputRequest)
    -> Picture.Problem
  {
    .diagnostic(
      Diagnostic(
        .input, at: request.position, subject: request.subject, file: picture.origin?.path,
        message: error.description))
  }

  /// Checks and returns options; nil if they have mistakes, which are reported.
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
      found.mistakes.addFurther(error.further)
      return nil
    }
  }

  // MARK: - Paths

  /// Claims a path for one output.
  ///
  /// - Parameter isHashed: whether the name contains the file's digest, and so is known only when the file is complete.
  ///   Any number of outputs may share such a name.
  /// - Returns: the path of the file after following links; `/dev/fd/1` and similar for a descriptor.
  /// - Throws: a problem if no output may be written to the path, or if another output has claimed it.
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
    let descriptor = OutputPipe.descriptor(of: path)
    let place = descriptor.map { InternedPath("/dev/fd/\($0)") } ?? context.realPaths.place(of: path)
    let reason =
      if let descriptor {
        options.standardOutput.problem(with: descriptor, at: place, options, paths.files)
      } else {
        context.realPaths.strangersLink(in: place).map { OutputPlaces.problem(withLink: $0) }
          ?? paths.reserved.reason(against: place)
      }
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

  /// Returns the key by which shards identify an output whose path contains `{hash}` and was just claimed.
  package func key(_ path: String, at place: InternedPath) -> String {
    "\(path)#\(paths.claims[place]?.hashedCount ?? 0)"
  }

  /// Reads the `{hash}` in an output's name that is not a template. Nil if there is none, or if it is invalid, which is
  /// reported.
  package mutating func hashedName(_ request: OutputRequest) -> HashedName? {
    do throws(NameTemplate.TemplateError) {
      return try HashedName(inPath: request.name)
    } catch {
      mistake(request, "'\(request.name)': \(error)")
      return nil
    }
  }

  /// Returns the message about two outputs with the same path: the reason, and a way to make their names different.
  private static func reason(_ path: String, _ source: PictureFile?, _ job: Job, against other: OutputClaim) -> String {
    let line = other.job.position.map { " at line \($0.line)" } ?? ""
    // The paths differ but lead to one file, because of a link, or because only one of them is absolute.
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
    guard isOne else { return "two outputs have this name (the other\(line)); give one of them another" }
    return source != nil && source?.path == other.source?.path
      ? "two outputs of the same picture have this name; use {index:3} in it, or take the picture only once"
      : "two outputs have this name; use {stem} or {index:3} in it"
  }

  /// Returns the template fields that have different values for two sources.
  private static func fields(telling source: PictureFile, from other: PictureFile, inOneCall isOne: Bool) -> String {
    if source.name == other.name { return source.folderName == other.folderName ? "{index:3}" : "{folder}" }
    if isOne, source.stem == other.stem { return "{stem}-{ext}" }
    return (source.stem == other.stem ? "{name}" : "{stem}")
      + (source.folderName == other.folderName ? "" : " or {folder}")
  }

  /// Returns whether a request has one name for several pictures, which is reported as a mistake. Notes a request
  /// without pictures.
  mutating func tellsCount(of request: OutputRequest, named name: NameTemplate) -> Bool {
    let count = request.pictures.count
    if count == 0, !lacksPictures { note("the list is empty", request) }
    guard count > 1, !name.hasFields, OutputPipe.descriptor(of: request.name) == nil else { return false }
    let folder = PathName.folder(request.name).map { $0 + "/" } ?? ""
    let ending = PathName.name(request.name).dropFirst(PathName.stem(String(PathName.name(request.name))).count)
    let written = folder + Self.field(telling: request.pictures.map(\.origin)) + ending
    mistake(request, "'\(request.name)' is one name for \(count) pictures; write '\(written)'")
    return true
  }

  /// Returns template fields that have different values for all sources.
  private static func field(telling sources: [PictureFile?]) -> String {
    let fields: [(text: String, value: (PictureFile) -> [String])] = [
      ("{stem}", { [$0.stem] }), ("{stem}-{ext}", { [$0.stem, PathName.fileExtension($0.path)] }),
      ("{folder}-{stem}", { [$0.folderName, $0.stem] }),
    ]
    let files = sources.compactMap(\.self)
    guard files.count == sources.count else { return "{index:3}" }
    return fields.first { Set(files.map($0.value)).count == files.count }?.text ?? "{index:3}"
  }

  // MARK: - Mistakes

  package mutating func mistake(_ request: OutputRequest, _ message: String, parameter: String? = nil) {
    var mistake = Diagnostic(.script, at: request.position, subject: request.subject, message: message)
    mistake.parameter = parameter
    found.mistakes.add(mistake)
  }

  package mutating func mistake(_ request: OutputRequest, _ problem: OptionProblem) {
    mistake(request, problem.text, parameter: problem.option)
  }

  /// Adds a message that does not prevent the run.
  package mutating func note(_ message: String, _ request: OutputRequest, file: String? = nil) {
    found.notes.append(
      Diagnostic(.output, at: request.position, subject: request.subject, file: file, message: "note: " + message))
  }

  mutating func note(_ note: Diagnostic) { found.notes.append(note) }

  /// Adds a line about an output, for dry runs.
  package mutating func describe(_ line: String) { if options.isDryRun { found.descriptions.append(line) } }

  /// Keeps a record for observers that know its type, see `RunResults.sinkRecords`.
  package mutating func keep(_ record: any Sendable) { found.records.append(record) }

  /// Reports that an output cannot be made.
  package mutating func fail(_ problem: Picture.Problem, _ job: Job, path: String) {
    job.addFailure(split(path), report(problem))
  }

  /// Adds a problem to the mistakes, and returns its message; nil, without adding anything, if it was already reported.
  @discardableResult
  package mutating func report(_ problem: Picture.Problem) -> Diagnostic? {
    guard case .diagnostic(let diagnostic) = problem else { return nil }
    found.mistakes.add(diagnostic)
    return diagnostic
  }
}

extension Job {
  /// Adds a document to be written, and returns its index in the job.
  package func addOutput(_ path: String, key: String? = nil) -> Int { addOutput(InternedPath(path), key: key) }

  /// Adds a file to be written, and returns its index in the job.
  func addOutput(_ place: InternedPath, key: String? = nil) -> Int {
    state.withLock { state in
      state.remaining += 1
      state.result.outputs.appendSparingly(Output(place, key: key))
      return state.result.outputs.count - 1
    }
  }

  /// Adds a file that cannot be written, with the reason.
  func addFailure(_ place: InternedPath, _ diagnostic: Diagnostic?) {
    state.withLock { state in
      let failure = diagnostic ?? Diagnostic(.output, at: position, subject: kind.rawValue, message: "left out")
      state.result.outputs.append(Output(place, failure: failure))
    }
  }
}

/// Finds the function that takes an option, for messages about scripts that pass the option to another function.
enum OptionHome {
  /// Returns the function that takes an option of this name, as scripts write it, such as `img.verify`; nil if none
  /// does.
  ///
  /// - Parameter isSaving: whether the option was given to `save` or another function with options of file formats. The
  ///   option may then belong to another format than the one of this call.
  static func call(_ option: String, _ environment: Environment, isSaving: Bool = false) -> String? {
    let calls: [(String, [ParameterDescriptor])] =
      [
        ("img.verify", VerifyParameters.all),
        ("save", SinkParameters.save),
        (isSaving ? formats(taking: option, environment) : "save", environment.allCodecs.flatMap(\.saveParameters)),
      ] + environment.sinks.map { ("img." + $0.kind.rawValue, $0.parameters) }
      + [("img.open", SourceParameters.open), ("img.glob", SourceParameters.glob)]
    return calls.first { $0.1.contains { $0.name == option } }?.0
  }

  /// Returns a phrase such as `save of .jpg and .webp files`, with the extensions of the formats that have the option.
  private static func formats(taking option: String, _ environment: Environment) -> String {
    let codecs = environment.allCodecs.filter { codec in codec.saveParameters.contains { $0.name == option } }
    let endings = codecs.compactMap(\.extensions.first).map { "." + $0 }
    guard let last = endings.last else { return "save" }
    let others = endings.dropLast().joined(separator: ", ")
    return "save of \(others.isEmpty ? "" : others + " and ")\(last) files"
  }
}
