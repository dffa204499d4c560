import ImageCore
import Platform
import Scheduling

/// One run of a script: records what the script asks for, checks it whole, and carries it out.
///
/// Only the script's thread uses it, except for `cancel()`. `finish()` waits for every job.
package final class Run {
  /// An operation's name and arguments.
  struct Call: Hashable {
    let name: String
    let arguments: RawArguments
  }

  /// The script cannot go on. Its mistakes have been collected.
  package struct Stopped: Error {}

  package let environment: Environment
  package let options: RunOptions
  let scheduler: Scheduler
  let codecs: KnownCodecs
  let saveSink = SaveSink()
  let bookSink: any Sink
  let multipageSink: MultipageSink
  let tilesSink: TilesSink
  let progress: RunProgress
  /// Cancels the whole run.
  package let cancellation: CancellationToken

  /// Everything wrong with the script and its pictures that was found before running.
  package var mistakes: [Diagnostic] { noted.all }
  /// The number of mistakes of the script beside these.
  package var furtherMistakes: Int { noted.further }
  /// The number of mistakes that the script has made, repeated ones included.
  package var countOfScriptMistakes: Int { noted.countOfScript }
  /// Whether the script has made so many mistakes that it is stopped.
  package var hasTooManyMistakes: Bool { noted.isExhausted }
  var noted = DiagnosticLog()
  /// The language of dates in names and texts, and its name; English without one.
  var locale: (name: String, words: TimeLocale)?
  /// Returns what the caller knows about a mistake's cause, as a clause for its end; empty for nothing.
  package var explain: ((Diagnostic) -> String)?
  /// The plan, a line for each output, if it was asked for.
  package internal(set) var planLines: [String] = []
  /// The pages of designed books in a dry run, a line each.
  package internal(set) var designLines: [String] = []
  /// The designed books, if its options ask for them.
  package internal(set) var designs: [DesignRecord] = []
  /// The name of the language of dates; nil for English.
  package var localeName: String? { locale?.name }
  /// The outputs of a dry run, if its options ask for them.
  package internal(set) var planned: [PlannedOutput] = []
  /// Picture files by their paths' bytes: two spellings of an é are two files.
  var files: [SplitPath: PictureFile] = [:]
  /// The number of these, also of those that were forgotten.
  package internal(set) var sourceCount = 0
  /// Files that were opened at another page, or with options, before they were opened as they are.
  var otherSources: Set<SplitPath> = []
  /// Pages of files beside the first, and files that were opened with options of their codec.
  var filePages: [FilePage: PictureFile] = [:]
  /// The folders of these.
  var folders = SplitPath.Folders()
  var taken: TakenPaths
  /// The files that the outputs are made of, if they are kept.
  package internal(set) var outputRecords: [OutputRecord] = []
  /// The notes of the script for the manifest, by their jobs.
  var notes: [ObjectIdentifier: ParameterValue] = [:]
  /// The settings of the command line and of the script.
  package var settings = ScriptSettings()
  /// Plugins whose libraries are among these.
  var namedPlugins: Set<String> = []
  var realPaths = RealPaths()
  /// Whether the script reads one of them, which must then not be written.
  package internal(set) var readsOwnFile = false
  /// Whether the script has verified a document, which is a result without an output.
  package internal(set) var hasVerified = false
  /// The reports that `img.verify` has given, in the order of the calls.
  package internal(set) var documentReports: [DocumentReport] = []
  /// Whether a pattern of the script has matched nothing. That has been reported, so a book without pictures is not
  /// another mistake.
  package var hasEmptyGlob = false
  var pending: [SinkCall] = []
  /// The calls of `book`, by their jobs.
  var books: [ObjectIdentifier: SinkCall] = [:]
  var claimedPaths: [SplitPath: OutputClaim] = [:]
  /// Every job that was started.
  var startedJobs: [Job] = []
  /// Operations by their calls, because a script repeats a call for thousands of pictures.
  var knownCalls: [Call: Picture.Step] = [:]
  /// Whether the script has ended, so that nothing can ask again for what it made.
  var isForgetful = false
  var sharedFrames: [ObjectIdentifier: SharedFrame] = [:]
  /// Pictures that are described alike, of scripts that wait for jobs or ask for numbers: they may describe a picture
  /// again later.
  var equalPictures = EqualPictures()
  let results: ResultCache
  /// The last numbers that were computed from pixels.
  var measured: [Measured] = []
  /// The traits that were computed.
  var knownTraits = KnownTraits()
  /// The wishes for pictures in books, by pictures' identities.
  var hints: [ObjectIdentifier: PictureHint] = [:]
  /// The division of the work among shards, see `Run+Shards.swift`.
  package internal(set) var division = DivisionRecord()
  /// The work that is not done here, until it is settled.
  var leftBuilders: [TaskBuilder] = []
  /// The bytes that the run keeps for what the script has asked for: see `RecordedMemory`. It never shrinks.
  package internal(set) var recordedByteCount = 0
  /// The files that shards have made and no job here has asked for.
  var elsewhere = Totals()
  /// Whether what shards have reported has been told.
  var hasReplayed = false
  /// The service class of jobs that do not name one.
  package var currentQoS: QualityOfService
  /// The paths of the picture files that the script has opened.
  package var sourcePaths: [String] { files.values.map(\.path) + filePages.values.map(\.path) }
  /// The language of dates in names and texts.
  package var languageOfDates: TimeLocale { locale?.words ?? .english }
  /// The files that are read and written.
  package var fileRegister: RunFiles { progress.files }

  package init(
    environment: Environment, options: RunOptions, scheduler: Scheduler,
    cancellation: CancellationToken, observer: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.environment = environment
    bookSink = environment.book.makeSink()
    multipageSink = MultipageSink(saveSink)
    tilesSink = TilesSink(saveSink)
    self.options = options
    results = ResultCache(limit: min(64 << 20, scheduler.configuration.memoryBudget / 16), scheduler: scheduler)
    currentQoS = options.defaultQoS
    self.scheduler = scheduler
    let files = RunFiles(standardOutput: options.standardOutput)
    codecs = KnownCodecs(files, stageFolder: options.stageFolder, recognise: environment.recognise)
    taken = TakenPaths(options, files: files)
    self.cancellation = cancellation
    progress = RunProgress(
      files: files,
      environment: environment, options: options, scheduler: scheduler,
      cancellation: cancellation, observer: options.part.finished == nil ? observer : NoteFilter(observer).observe)
    cancellation.onCancel { scheduler.sweepCancelled() }
  }
}

/// A page of a picture file.
struct FilePage: Hashable {
  let place: SplitPath
  let selection: PageSelection
  let readsSidecar: Bool
}
