import ImageCore
import PictureTraits
import Platform
import Scheduling
import Synchronization

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
  let codecs: CodecCache
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
  var files: [InternedPath: PictureFile] = [:]
  /// The number of these, also of those that were forgotten.
  package internal(set) var sourceCount = 0
  /// Files that were opened at another page, or with options, before they were opened as they are.
  var otherSources: Set<InternedPath> = []
  /// Pages of files beside the first, and files that were opened with options of their codec.
  var filePages: [FilePage: PictureFile] = [:]
  /// The folders of these.
  var folders = InternedPath.Folders()
  var taken: ReservedPaths
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
  var claimedPaths: [InternedPath: OutputClaim] = [:]
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
    codecs = CodecCache(files, stageFolder: options.stageFolder, recognise: environment.recognise)
    taken = ReservedPaths(options, files: files)
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
  let place: InternedPath
  let selection: PageSelection
  let readsSidecar: Bool
}

// MARK: - Covers

extension Run {
  /// The most pictures that a cover takes from its book: one for the front, one for the back.
  private static let mostOnCover = 2

  /// Returns the pictures of a book that its cover shows, and the book's title; nil for a job that is no book.
  ///
  /// The front has the best picture of the whole book, and the back the next: first those with the hint `hero`, then
  /// those with the highest score, then those that come first.
  package func insideOfCover(_ job: Job) -> (pictures: [Picture], title: String?)? {
    guard let call = books[ObjectIdentifier(job)] else { return nil }
    let candidates = call.pictures.filter { !(hint(for: $0)?.skip ?? false) }
    let scores = zip(candidates, traits(of: candidates)).map { picture, traits in
      let hint = hint(for: picture)
      return (hint?.hero == true ? 1 : 0) + (hint?.score ?? traits?.score ?? 0)
    }
    let best = candidates.indices.sorted { (scores[$0], $1) > (scores[$1], $0) }.prefix(Self.mostOnCover)
    let title = call.options.named.first { $0.name == "title" }?.value
    if case .text(let text)? = title { return (best.map { candidates[$0] }, text) }
    return (best.map { candidates[$0] }, nil)
  }
}

// MARK: - Hints

/// The wishes of a script for its pictures in books.
extension Run {
  /// A wish with its picture, which is held so that no other takes its identity.
  struct PictureHint {
    let picture: Picture
    var hint: DesignHint
  }

  /// Records a hint for pictures, on top of earlier ones for them. Mistakes are collected.
  package func hint(_ pictures: [Picture], _ raw: RawArguments, at position: ScriptPosition?) {
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(withPartAsList(raw), parameters: HintParameters.all, positionalCount: 0)
    } catch {
      return report(error, of: "hint", position)
    }
    let keep = arguments.optionalNumbers("keep").map {
      UnitRectangle(left: $0[0], top: $0[1], width: $0[2], height: $0[3])
    }
    if let problem = keep.flatMap(Self.problem) { return report("hint", problem, position) }
    for picture in pictures {
      var hint = hints[ObjectIdentifier(picture)]?.hint ?? DesignHint()
      if arguments.has("hero") { hint.hero = arguments.boolean("hero") }
      if arguments.has("skip") { hint.skip = arguments.boolean("skip") }
      if let keep { hint.keep = keep }
      hint.caption = arguments.optionalText("caption") ?? hint.caption
      hint.startsPage = hint.startsPage || arguments.has("page")
      hint.score = arguments.optionalNumber("score") ?? hint.score
      if let other = hint.hero ? "hero = true" : hint.startsPage ? "page = \"new\"" : nil, hint.skip {
        return report(
          "hint", "skip leaves the picture out of the book, which contradicts \(other); remove one", position)
      }
      let known = hints.updateValue(PictureHint(picture: picture, hint: hint), forKey: ObjectIdentifier(picture))
      if known == nil { recordedByteCount += RecordedMemory.hint + (hint.caption?.recordedByteCount ?? 0) }
    }
  }

  /// Returns the hint for a picture, or for the nearest of the pictures that it was made from; nil if there is none.
  /// The part to keep counts for the picture itself only: an operation may have moved it.
  package func hint(for picture: Picture) -> DesignHint? {
    guard !hints.isEmpty else { return nil }
    var next: Picture? = picture
    while let current = next {
      if var hint = hints[ObjectIdentifier(current)]?.hint {
        if current !== picture { hint.keep = nil }
        return hint
      }
      next = current.inputs.first
    }
    return nil
  }

  /// `keep = { x = 0.1, y = 0.2, w = 0.5, h = 0.5 }` as a list. Other tables are left to the check of lists.
  private func withPartAsList(_ raw: RawArguments) -> RawArguments {
    var raw = raw
    for index in raw.named.indices where raw.named[index].name == "keep" {
      guard case .fields(let fields) = raw.named[index].value, Set(fields.keys) == Set(HintParameters.partNames) else {
        continue
      }
      raw.named[index].value = .list(HintParameters.partNames.map { fields[$0]! })
    }
    return raw
  }

  private static func problem(_ part: UnitRectangle) -> String? {
    let numbers = [part.left, part.top, part.width, part.height].map { ParameterValue.text($0) }
    let shown = "keep = { \(numbers.joined(separator: ", ")) }"
    guard part.width > 0, part.height > 0 else {
      return "\(shown) is empty; width and height are shares of the picture above 0"
    }
    guard UnitRectangle.whole.contains(part, tolerance: 1e-6) else {
      return "\(shown) reaches beyond the picture; all are shares of its width and height, from 0 to 1"
    }
    return nil
  }
}

// MARK: - Traits

/// The traits of pictures, found on small versions of them.
extension Run {
  /// The traits that were asked for, by pictures' identities.
  struct KnownTraits {
    /// The picture is held, so that no other takes its identity.
    private var entries: [ObjectIdentifier: (picture: Picture, outcome: Result<PictureTraits, Picture.Problem>)] = [:]

    var isEmpty: Bool { entries.isEmpty }

    subscript(picture: Picture) -> Result<PictureTraits, Picture.Problem>? {
      get { entries[ObjectIdentifier(picture)]?.outcome }
      set { entries[ObjectIdentifier(picture)] = newValue.map { (picture, $0) } }
    }
  }

  /// Returns the traits of pictures, in their order; nil for one that cannot be decoded, and for all that are left when
  /// the run is cancelled.
  ///
  /// Pictures are decoded at a fraction of their size, several at a time. Each is measured once in a run. Files that
  /// were measured before and have not changed since are found in the cache of the environment.
  package func traits(of pictures: [Picture]) -> [PictureTraits?] {
    readTraits(of: pictures)
    return pictures.map { try? knownTraits[$0]?.get() }
  }

  /// Returns the traits of one picture.
  ///
  /// - Throws: the reason why it cannot be decoded.
  package func traits(of picture: Picture) throws(Picture.Problem) -> PictureTraits {
    readTraits(of: [picture])
    guard let outcome = knownTraits[picture] else { throw .reported }
    return try outcome.get()
  }

  private func readTraits(of pictures: [Picture]) {
    var seen: Set<ObjectIdentifier> = []
    let missing = pictures.filter { knownTraits[$0] == nil && seen.insert(ObjectIdentifier($0)).inserted }
    guard !missing.isEmpty else { return }
    let cache = environment.traitsFolder.map { TraitsCache(folder: $0) }
    let entries: [TraitsEntry] = cache.map { self.entries(of: missing, in: $0) } ?? missing.map { _ in TraitsEntry() }
    for (picture, entry) in zip(missing, entries) { knownTraits[picture] = entry.traits.map { .success($0) } }
    let open = zip(missing, entries).filter { $1.traits == nil }
    guard !open.isEmpty else { return }
    readHeaders(open.map(\.0))
    let workers = scheduler.configuration.workers
    let shared = TraitsWork.Shared(
      environment: environment, scheduler: scheduler, cancellation: cancellation, memoryLimit: options.memoryLimit,
      parallelism: open.count < workers ? workers : 1, cache: cache)
    let waiting = WorkGroup(on: scheduler)
    let works = open.map { picture, entry in
      let work = TraitsWork(picture, key: entry.key, shared)
      if let item = try? scheduler.submit(work, qos: .userInitiated, byteCount: work.byteCount) { waiting.add(item) }
      return work
    }
    waiting.wait(as: .userInitiated)
    for (work, (picture, _)) in zip(works, open) where !work.isCancelled { knownTraits[picture] = work.outcome }
    if entries.contains(where: { $0.key != nil && $0.traits == nil }) { cache?.prune() }
  }

  /// The name of a picture's entry in the cache, and what is kept there.
  private struct TraitsEntry: Sendable {
    var key: String?
    var traits: PictureTraits?
  }

  private func entries(of pictures: [Picture], in cache: TraitsCache) -> [TraitsEntry] {
    let found = Mutex([TraitsEntry](repeating: TraitsEntry(), count: pictures.count))
    scheduler.parallelFor(pictures.count, qos: .userInitiated) { index in
      guard let key = cache.key(of: pictures[index]) else { return }
      let entry = TraitsEntry(key: key, traits: cache.traits(key))
      found.withLock { $0[index] = entry }
    }
    return found.withLock { $0 }
  }
}

/// The source pictures of one output.
package struct OutputRecord: Sendable {
  package let job: Job
  /// The output's place in the job.
  package let index: Int
  /// The files that it is made of, the picture itself before what is put onto it.
  package internal(set) var sources: [PictureFile]
}

extension Run {
  /// Returns what the script says about a job's outputs for the manifest; nil for nothing.
  package func note(of job: Job) -> ParameterValue? { notes[ObjectIdentifier(job)] }

  /// Keeps which files the outputs are made of.
  func record(_ files: [FileOutput], _ pages: [DocumentEntry]) {
    outputRecords += files.map {
      OutputRecord(job: $0.job, index: $0.index, sources: $0.picture.sources.files)
    }
    var known: [ObjectIdentifier: Int] = [:]
    var paths: [ObjectIdentifier: Set<String>] = [:]
    for page in pages {
      let key = ObjectIdentifier(page.document)
      let place = known[key] ?? outputRecords.count
      if place == outputRecords.count {
        known[key] = place
        outputRecords.append(OutputRecord(job: page.job, index: page.document.outputIndex, sources: []))
      }
      for file in page.picture.sources.files where paths[key, default: []].insert(file.path).inserted {
        outputRecords[place].sources.append(file)
      }
    }
  }
}
