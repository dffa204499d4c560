import ImageCore
import Platform
import Scheduling

/// Records a script's requests as a graph: the files that it opens, the pictures that it makes from them, and the
/// outputs that it requests. Reads at most headers, and decodes nothing.
///
/// Only the script's thread uses it.
package final class GraphBuilder {
  struct Call: Hashable {
    let name: String
    let arguments: RawArguments
  }

  let environment: Environment
  let options: RunOptions
  let paths: PathClaims
  private let cancellation: CancellationToken
  private let observer: @Sendable (RunEvent) -> Void
  private(set) var log = DiagnosticLog()
  /// Returns an explanation of a mistake, as a clause to append to its message; nil if there is none.
  package var explain: ((Diagnostic) -> String?)?
  /// The name and the words of the locale that the script has set for dates; nil if it has set none.
  private var locale: (name: String, words: TimeLocale)?
  var sources: SourceFiles
  /// The files and folders that the script's requests depend on.
  package var inputs = ScriptInputs()
  /// The settings from the command line and the script.
  package var settings = ScriptSettings()
  /// The plugins whose libraries no output may replace.
  private var namedPlugins: Set<String> = []
  /// Whether the script reads a file that the program writes itself.
  package internal(set) var readsOwnFile = false
  /// Whether pictures may be missing, because a pattern of the script has matched no files, or a file or folder could
  /// not be read. This has been reported, so an output without pictures is not reported again.
  package var lacksPictures = false
  /// The requests since the last graph was taken.
  private(set) var requests: [OutputRequest] = []
  /// The script's notes for the manifest, by job.
  private var notes: [ObjectIdentifier: ParameterValue] = [:]
  /// Operations by their calls, because scripts repeat a call for thousands of pictures.
  var knownCalls: [Call: Picture.Step] = [:]
  /// The memory in bytes that the run keeps for the script's requests, see `RecordedMemory`. It never shrinks.
  package var recordedByteCount = 0
  /// The service class of jobs that do not set one.
  package var currentQoS: QualityOfService

  init(
    environment: Environment, options: RunOptions, paths: PathClaims, cancellation: CancellationToken,
    observer: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.environment = environment
    self.options = options
    self.paths = paths
    self.cancellation = cancellation
    self.observer = observer
    sources = SourceFiles(
      CodecCache(paths.files, stageFolder: options.stageFolder, recognise: environment.recognise))
    currentQoS = options.defaultQoS
  }

  /// Returns the requests since the last call of `take`, as a graph.
  func take() -> Graph {
    defer { requests = [] }
    return Graph(requests: requests, locale: languageOfDates, lacksPictures: lacksPictures)
  }

  /// Adds the mistakes that checking a graph has found, and counts the memory of its outputs.
  func add(_ checked: CheckedGraph) {
    checked.outputs.mistakes.all.forEach(note)
    log.addFurther(checked.outputs.mistakes.further)
    recordedByteCount += RecordedMemory.output * checked.claimCount
  }

  /// Forgets pictures and the facts about their files. Called when the script cannot request them again.
  func forget() {
    sources.forget()
    knownCalls = [:]
  }

  /// The paths of the picture files that the script has opened, without forgotten ones. If several pages of a
  /// file were opened, the file is listed once for each page.
  package var sourcePaths: [String] { sources.paths }
  /// The number of picture files that the script has opened, including forgotten ones.
  package var sourceCount: Int { sources.count }
  /// Sets the number of opened picture files, for a merge that does not run the script.
  func countSources(_ count: Int) { sources.count = count }
  /// The name of the locale that the script has set for dates; nil if it has set none, so that dates are in English.
  package var localeName: String? { locale?.name }
  /// The language of dates in names and texts.
  package var languageOfDates: TimeLocale { locale?.words ?? .english }

  // MARK: - Mistakes

  /// The mistakes in the script and its pictures since the last call of `forgetMistakes`, as far as they were kept.
  package var mistakes: [Diagnostic] { log.all }
  /// The number of mistakes in the script since the last call of `forgetMistakes` that were counted but not kept.
  package var furtherMistakes: Int { log.further }
  /// The number of mistakes in the script since the last call of `forgetMistakes`, including repetitions.
  package var countOfScriptMistakes: Int { log.countOfScript }
  /// Whether the script must be stopped because of too many mistakes.
  package var hasTooManyMistakes: Bool { log.isExhausted }

  /// Starts a new list of mistakes, after the previous ones have been reported.
  func forgetMistakes() { log = DiagnosticLog() }

  /// Sets the language of dates in names and texts. A script can have only one.
  package func setLocale(_ name: String, at position: ScriptPosition?) {
    if let locale, locale.name != name {
      return report("locale", "the script's locale is '\(printable(locale.name))' already; a script has one", position)
    }
    guard let words = TimeLocale(name) else {
      return report(
        "locale",
        "the locale '\(printable(name))' is not installed; see 'locale -a', and add it with 'dpkg-reconfigure locales'",
        position)
    }
    locale = (name, words)
  }

  /// Records a mistake in the script.
  package func report(_ subject: String, _ message: String, _ position: ScriptPosition?) {
    note(Diagnostic(.script, at: position, subject: subject, message: message))
  }

  /// Records the error of an invalid call.
  func report(_ error: any Error, of subject: String, _ position: ScriptPosition?) {
    if let errors = error as? ArgumentErrors { return report(errors, of: subject, position) }
    var mistake = Diagnostic(.script, at: position, subject: subject, message: "\(error)")
    if case .incomplete? = error as? OperationError { mistake.lacksValue = true }
    note(mistake)
  }

  /// Records the mistakes in one call's arguments.
  ///
  /// - Parameter subject: the function that was called, by its name in `imghost ops`.
  package func report(_ errors: ArgumentErrors, of subject: String, _ position: ScriptPosition?) {
    let home = { OptionHome.call($0, self.environment) }
    for error in errors.errors {
      var mistake = Diagnostic(.script, at: position, subject: subject, message: error.text(in: subject, home: home))
      mistake.parameter = error.parameter
      if case .missing = error { mistake.lacksValue = true }
      note(mistake)
    }
    log.addFurther(errors.further)
  }

  /// Reports a note, which does not prevent the run.
  package func tell(_ note: Diagnostic) { observer(.note(note)) }

  /// Records a mistake, with the clause from `explain`. Equal mistakes are recorded once.
  package func note(_ diagnostic: Diagnostic) {
    var explained = diagnostic
    if diagnostic.kind == .script, let clause = explain?(diagnostic) { explained.message += "; \(clause)" }
    log.add(explained)
  }

  /// Calls `body`, and returns its result with the mistakes that it reported. These do not count as mistakes in the
  /// script.
  package func collectingMistakes<Result>(_ body: () -> Result) -> (Result, [Diagnostic]) {
    let before = log
    log = DiagnosticLog()
    defer { log = before }
    return (body(), log.all)
  }

  // MARK: - Files that no output may replace

  /// Prevents outputs from replacing a file of the script.
  package func addScript(_ path: String) {
    paths.reserved.addScript(path)
    inputs.scripts.insert(path)
  }

  /// Prevents outputs from replacing the library of a plugin that the script uses.
  package func addPlugin(named name: String) {
    guard namedPlugins.insert(name).inserted else { return }
    inputs.hasOthers = true
    if let path = environment.pluginFile(name) { paths.reserved.addFile(path, for: .plugin) }
  }

  // MARK: - Outputs

  /// Records a `save`.
  ///
  /// - Parameter jobs: the jobs that must end before this one starts.
  package func save(
    _ pictures: [Picture], to template: String, after jobs: [Job] = [], _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    record(template, .save, pictures, jobs, raw, position, fileCount: pictures.count)
  }

  /// Records an `animation` or a `multipage`.
  package func multipage(
    _ path: String, of pictures: [Picture], isAnimation: Bool, after jobs: [Job] = [], _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    record(path, isAnimation ? .animation : .multipage, pictures, jobs, raw, position)
  }

  /// Records a `tiles`.
  package func tiles(
    _ pictures: [Picture], to template: String, after jobs: [Job] = [], _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    record(template, .tiles, pictures, jobs, raw, position, fileCount: pictures.count)
  }

  /// Records a request to a sink of the environment.
  ///
  /// - Parameter details: the facts that only that sink understands.
  package func request(
    _ kind: Job.Kind, _ name: String, of pictures: [Picture], after jobs: [Job], _ raw: RawArguments,
    _ details: (any RequestDetails)?, at position: ScriptPosition?
  ) -> Job {
    record(name, kind, pictures, jobs, raw, position, details: details)
  }

  private func record(
    _ name: String, _ kind: Job.Kind, _ pictures: [Picture], _ after: [Job],
    _ given: RawArguments, _ position: ScriptPosition?, fileCount: Int = 1, details: (any RequestDetails)? = nil
  ) -> Job {
    let (raw, note) = takingNote(given, of: details?.function ?? kind.rawValue, position)
    var qos = currentQoS
    if case .text(let name)? = raw.named.first(where: { $0.name == "qos" })?.value,
      let named = QualityOfService(name: name)
    {
      qos = named
    }
    options.requested.add(fileCount)
    if !after.isEmpty { options.part.needScript("'after'", position) }
    let name = OutputPipe.path(name)
    if name == OutputPipe.standardOutput { options.standardOutput.claim() }
    let job = Job(kind, position: position, qos: qos, after: after, parent: cancellation)
    if let note { notes[ObjectIdentifier(job)] = note }
    // A script that saves pictures one by one passes the same name and options thousands of times.
    let words = OutputRequest.Target(name: name, options: raw)
    let known = requests.last.flatMap { $0.target == words ? $0.target : nil }
    recordedByteCount += RecordedMemory.job + RecordedMemory.pictureOfJob * pictures.count
    if known == nil { recordedByteCount += name.recordedByteCount + raw.recordedByteCount }
    requests.append(
      OutputRequest(target: known ?? words, pictures: pictures, details: details, job: job, position: position))
    return job
  }

  /// Removes the option `note`, which is for the manifest, from the options of a call. Returns the other options and
  /// the note. No output file depends on the note.
  private func takingNote(_ raw: RawArguments, of subject: String, _ position: ScriptPosition?)
    -> (rest: RawArguments, note: ParameterValue?)
  {
    let name = SinkParameters.note.name
    guard raw.named.contains(where: { $0.name == name }) else { return (raw, nil) }
    var rest = raw
    rest.named.removeAll { $0.name == name }
    let own = RawArguments(named: raw.named.filter { $0.name == name })
    do throws(ArgumentErrors) {
      return (rest, try Arguments(own, parameters: [SinkParameters.note], positionalCount: 0)[name])
    } catch {
      report(error, of: subject, position)
      return (rest, nil)
    }
  }

  /// Whether there are requests that no graph contains yet.
  var hasRequests: Bool { !requests.isEmpty }

  /// Returns whether a request that no graph contains yet satisfies a condition.
  func hasRequest(where condition: (OutputRequest) -> Bool) -> Bool { requests.contains(where: condition) }

  /// Returns the script's note about a job's outputs for the manifest; nil for none.
  package func note(of job: Job) -> ParameterValue? { notes[ObjectIdentifier(job)] }
}
