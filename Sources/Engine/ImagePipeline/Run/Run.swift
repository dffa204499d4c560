import ImageCore
import Scheduling

/// One run of a script: records what the script asks for, checks it whole, and carries it out.
///
/// Used by the script's thread alone, but for `cancel()`. What it starts ends with it: `finish()` waits
/// for every job.
public final class Run {
  /// An operation's name and what it was called with.
  struct Call: Hashable {
    let name: String
    let arguments: RawArguments
  }

  /// Why the script cannot go on: the mistakes have been collected.
  public struct Stopped: Error {}

  public let environment: Environment
  public let options: RunOptions
  let scheduler: Scheduler
  let codecs: KnownCodecs
  let saveSink = SaveSink()
  let bookSink: any Sink
  let progress: RunProgress
  /// Cancels the whole run.
  public let cancellation: CancellationToken

  /// Everything wrong with the script and its pictures that was found before running.
  public var mistakes: [Diagnostic] { noted.all }
  /// How many mistakes of the script there are beside these.
  public var furtherMistakes: Int { noted.further }
  /// How many mistakes the script has made, the same ones counted each time.
  public var countOfScriptMistakes: Int { noted.countOfScript }
  /// Whether the script has made so many mistakes that it is stopped.
  public var hasTooManyMistakes: Bool { noted.isExhausted }
  var noted = DiagnosticLog()
  /// What the caller knows of a mistake's cause, as a clause for its end; empty for nothing.
  public var explain: ((Diagnostic) -> String)?
  /// The plan, a line an output, where that was asked for.
  public internal(set) var planLines: [String] = []
  /// By the path's bytes: two spellings of an é are two files.
  var files: [SplitPath: PictureFile] = [:]
  /// The folders of these.
  var folders = SplitPath.Folders()
  var taken: TakenPaths
  /// Plugins whose libraries are among these.
  var namedPlugins: Set<String> = []
  var realPaths = RealPaths()
  /// Whether the script reads one of them, which must then not be written.
  public internal(set) var readsOwnFile = false
  /// Whether the script has had a document proven, which is a result without an output.
  public internal(set) var hasVerified = false
  /// Whether a pattern of the script has matched nothing, which has been told: it is no other mistake that a book has
  /// no pictures.
  public var hasEmptyGlob = false
  var pending: [SinkCall] = []
  var claimedPaths: [SplitPath: OutputClaim] = [:]
  /// Every job that was started.
  var startedJobs: [Job] = []
  /// Operations that were made of arguments: a script says the same of thousands of pictures.
  var knownCalls: [Call: Picture.Step] = [:]
  /// Whether the script has ended and nothing can ask again for what it made.
  var isForgetful = false
  var sharedFrames: [ObjectIdentifier: SharedFrame] = [:]
  /// What is described alike; only of scripts that wait for jobs or ask for numbers, which may say the same
  /// again later.
  var equalPictures = EqualPictures()
  let results: ResultCache
  /// The last numbers about pixels.
  var knownStatistics: [(picture: Picture, numbers: [(String, ParameterValue)])] = []
  /// The class of jobs that do not say.
  public var currentQoS: QualityOfService
  /// Which files are read and written.
  public var fileRegister: RunFiles { progress.files }

  public init(
    environment: Environment, options: RunOptions, scheduler: Scheduler,
    cancellation: CancellationToken, observer: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.environment = environment
    bookSink = environment.book.makeSink()
    self.options = options
    results = ResultCache(
      limit: min(64 << 20, scheduler.configuration.memoryBudget / 16), scheduler: scheduler)
    currentQoS = options.defaultQoS
    self.scheduler = scheduler
    let files = RunFiles()
    codecs = KnownCodecs(files, recognise: environment.recognise)
    taken = TakenPaths(options, files: files)
    self.cancellation = cancellation
    progress = RunProgress(
      files: files,
      environment: environment, options: options, scheduler: scheduler,
      cancellation: cancellation, observer: observer)
    cancellation.onCancel { scheduler.sweepCancelled() }
  }
}
