import ImageCore
import Platform
import Scheduling

/// The work of a checked graph: its units in the order in which they start, and the decisions made for the whole graph
/// before a part of it is selected. Planning decodes no pixels.
struct Plan: Sendable {
  let units: [PlanUnit]
  let documents: [any Document]
  let requests: [OutputRequest]
  let locale: TimeLocale
  let facts: PlanFacts
  let sources: PlanSources
  /// Whether the script has ended, so that no pictures are kept for later requests.
  let isLast: Bool

  var jobs: [Job] { requests.map(\.job) }
  /// The number of source pictures.
  var pictureCount: Int { units.reduce(0) { $0 + $1.pictureCount } }
}

/// The files that a plan reads.
struct PlanSources: Sendable {
  /// The files from which the pictures are made.
  let origins: Set<ObjectIdentifier>
  /// The paths of the files of pictures that are arguments of operations.
  let arguments: Set<String>
}

/// The decisions that concern several units of a plan.
final class PlanFacts: Sendable {
  let environment: Environment
  /// Pictures among the arguments of operations, such as a watermark, that several pictures use. Each is made once for
  /// the run.
  let sharedFrames: [ObjectIdentifier: SharedFrame]
  /// Pictures that were made for earlier plans.
  let keptFrames: [ObjectIdentifier: SharedFrame]
  let sharedShrinks: SharedShrinks
  /// The run's memory budget in bytes. A unit that would exceed it breaks its chains of steps, see `PlanMemory`.
  let memoryBudget: Int

  init(
    _ environment: Environment, sharedFrames: [ObjectIdentifier: SharedFrame],
    keptFrames: [ObjectIdentifier: SharedFrame], sharedShrinks: SharedShrinks, memoryBudget: Int
  ) {
    self.environment = environment
    self.sharedFrames = sharedFrames
    self.keptFrames = keptFrames
    self.sharedShrinks = sharedShrinks
    self.memoryBudget = memoryBudget
  }
}

/// Plans the graphs of a run, one after another, and keeps the data that they share. Only the script's thread uses it.
final class PlanMaker {
  /// Pictures that were made for jobs that the script has waited for.
  let kept: ResultCache
  private let environment: Environment
  private let scheduler: Scheduler
  private let cancellation: CancellationToken
  /// Takes the notes about shared pictures.
  private let note: @Sendable (OperationNote, String) -> Void
  /// The equal pictures so far. They are kept for scripts that wait for jobs or measure pictures, because such a script
  /// may describe a picture again later.
  private var equalPictures = EqualPictures()
  private var sharedFrames: [ObjectIdentifier: SharedFrame] = [:]

  init(
    _ environment: Environment, _ scheduler: Scheduler, _ cancellation: CancellationToken,
    note: @escaping @Sendable (OperationNote, String) -> Void
  ) {
    self.environment = environment
    self.scheduler = scheduler
    self.cancellation = cancellation
    self.note = note
    kept = ResultCache(limit: min(64 << 20, scheduler.configuration.memoryBudget / 16), scheduler: scheduler)
  }

  /// Plans a graph.
  ///
  /// - Parameters:
  ///   - workers: the number of workers. If there are fewer files, the outputs of one file are divided among workers.
  ///   - isLast: whether the script has ended.
  func plan(_ checked: CheckedGraph, workers: Int, isLast: Bool) -> Plan {
    let (files, entries) = withEqualPictures(checked, isLast: isLast)
    let sources = shareInputs(of: files.map(\.picture) + entries.map(\.picture))
    let keptFrames = kept.frames
    let decoded = entries.filter { $0.copiesSource == nil }.map(\.picture) + files.map(\.picture)
    var groups = UnitGroups(workers: workers)
    // Documents come first, so that their pages are made in the order in which they are written, and few wait in
    // memory.
    for entry in entries { groups.count(entry.picture) }
    for file in files { groups.count(file.picture) }
    for entry in entries { groups.add(entry) }
    for file in files { groups.add(file) }
    let facts = PlanFacts(
      environment, sharedFrames: sharedFrames, keptFrames: keptFrames,
      sharedShrinks: SharedShrinks(decoded, sharedFrames: sharedFrames, kept: keptFrames),
      memoryBudget: scheduler.configuration.memoryBudget)
    return Plan(
      units: groups.units, documents: checked.outputs.documents, requests: checked.requests, locale: checked.locale,
      facts: facts, sources: sources, isLast: isLast)
  }

  func representative(of picture: Picture) -> Picture { equalPictures.representative(of: picture) }

  /// Releases the shared frames, which later plans do not need. Tasks that have started keep the frames that they use.
  func forgetFrames() { sharedFrames = [:] }

  /// Returns the outputs, with equal pictures replaced by one representative.
  private func withEqualPictures(_ checked: CheckedGraph, isLast: Bool)
    -> (files: [FileOutput], entries: [DocumentEntry])
  {
    if isLast, equalPictures.isEmpty, EqualPictures.areAllDifferent(checked.outputs.pictures) {
      return (checked.outputs.files, checked.outputs.entries)
    }
    defer { if isLast { equalPictures = EqualPictures() } }
    return (
      checked.outputs.files.map { $0.with(equalPictures.representative(of: $0.picture)) },
      checked.outputs.entries.map { $0.with(equalPictures.representative(of: $0.picture)) }
    )
  }

  /// Shares each picture that is an argument of several operations, and returns the files of all pictures.
  private func shareInputs(of pictures: [Picture]) -> PlanSources {
    var users: [ObjectIdentifier: Int] = [:]
    var seen: Set<ObjectIdentifier> = []
    var arguments: Set<String> = []
    var stack = pictures
    while let picture = stack.popLast() {
      guard seen.insert(ObjectIdentifier(picture)).inserted else { continue }
      for input in picture.inputs.dropFirst() {
        if let file = input.origin, file !== picture.origin { arguments.insert(file.path) }
        let key = ObjectIdentifier(input)
        users[key, default: 0] += 1
        if users[key] == 2, sharedFrames[key] == nil { sharedFrames[key] = sharedFrame(of: input) }
      }
      stack += picture.inputs
    }
    return PlanSources(
      origins: Set(pictures.lazy.compactMap { picture in picture.origin.map { ObjectIdentifier($0) } }),
      arguments: arguments)
  }

  private func sharedFrame(of picture: Picture) -> SharedFrame {
    SharedFrame(
      picture, opening: environment.opening, cancellation: cancellation, colours: environment.colours,
      scheduler: scheduler, note: note)
  }
}
