import ImageCore
import PictureTraits
import Scheduling
import Synchronization

/// Computes and caches facts about pixels that the script needs while it runs: measurements, and the traits of pictures
/// (`PictureTraits`), which are measured on small versions of the pictures.
///
/// A run has one instance. Only the script's thread uses it, and blocks until the facts are known.
final class PixelFacts {
  /// The traits of the pictures requested so far, keyed by the picture's identity.
  struct KnownTraits {
    /// Each entry retains its picture, so that no new picture can have the same identity.
    private var entries: [ObjectIdentifier: (picture: Picture, outcome: Result<PictureTraits, Picture.Problem>)] = [:]

    var isEmpty: Bool { entries.isEmpty }

    subscript(picture: Picture) -> Result<PictureTraits, Picture.Problem>? {
      get { entries[ObjectIdentifier(picture)]?.outcome }
      set { entries[ObjectIdentifier(picture)] = newValue.map { (picture, $0) } }
    }
  }

  /// A measurement that is kept in case a later call needs it again.
  struct Measured {
    let picture: Picture
    let name: String
    let arguments: Arguments
    let value: ParameterValue
  }

  private let graph: GraphBuilder
  private let planning: PlanMaker
  private let scheduler: Scheduler
  private let cancellation: CancellationToken
  private var environment: Environment { graph.environment }
  private var knownTraits = KnownTraits()
  /// The most recent measurements, at most 16.
  private var measured: [Measured] = []
  /// The writer of recipes for measurements, and the locale that it was created for.
  private var recipes: (locale: String?, writer: RecipeWriter)?

  init(_ graph: GraphBuilder, _ planning: PlanMaker, _ progress: RunProgress) {
    self.graph = graph
    self.planning = planning
    scheduler = progress.scheduler
    cancellation = progress.cancellation
  }

  /// Whether the script or a sink has requested any facts.
  var isAsked: Bool { !measured.isEmpty || !knownTraits.isEmpty }

  // MARK: - Traits

  /// Returns the traits of the pictures, in order; nil for each picture that cannot be decoded, and for all remaining
  /// ones if the run is cancelled.
  ///
  /// Pictures are decoded at a fraction of their size, several at a time. Each is measured once in a run. The traits of
  /// unchanged files that earlier runs have measured come from the environment's cache.
  func traits(of pictures: [Picture]) -> [PictureTraits?] {
    readTraits(of: pictures)
    return pictures.map { try? knownTraits[$0]?.get() }
  }

  /// - Throws: the reason why the picture cannot be decoded; `.reported` if the run was cancelled.
  func traits(of picture: Picture) throws(Picture.Problem) -> PictureTraits {
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
    HeaderReader(scheduler: scheduler).read(open.map(\.0))
    let workers = scheduler.configuration.workers
    let shared = TraitsWork.Shared(
      environment: environment, scheduler: scheduler, cancellation: cancellation,
      memoryLimit: graph.options.memoryLimit,
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

  /// The name of a picture's entry in the cache, and the traits found there. The name is nil for a picture that is not
  /// cached; the traits are nil if none were found.
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

  // MARK: - Measurements

  func measure(
    _ picture: Picture, _ definition: MeasurementDefinition, _ raw: RawArguments, at position: ScriptPosition?
  ) throws(Picture.Problem) -> ParameterValue {
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(raw, for: definition.descriptor)
    } catch {
      graph.report(error, of: definition.descriptor.name, position)
      throw .reported
    }
    return try withStack(forDepth: picture.depth) { () throws(Picture.Problem) in
      try self.measureHere(picture, definition, arguments)
    }
  }

  private func measureHere(_ picture: Picture, _ definition: MeasurementDefinition, _ arguments: Arguments)
    throws(Picture.Problem) -> ParameterValue
  {
    let name = definition.descriptor.name
    let picture = planning.representative(of: picture)
    if let known = measured.first(where: { $0.picture === picture && $0.name == name && $0.arguments == arguments }) {
      return known.value
    }
    guard try picture.info().layout.format.model != .cmyk else {
      throw .diagnostic(
        Diagnostic(
          .input, at: picture.position, subject: name, file: picture.origin?.path,
          message: Picture.inkRefusal))
    }
    let end =
      try definition.side.map { side throws(Picture.Problem) in
        self.environment.inSRGB(try self.environment.reduced(picture, to: side))
      }
      ?? picture
    func remember(_ value: ParameterValue) {
      measured.append(Measured(picture: picture, name: name, arguments: arguments, value: value))
      if measured.count > 16 { measured.removeFirst() }
    }
    let recipe = recipe(of: name, arguments, in: end)
    if recipe?.reasonToMake != nil || recipe == nil { graph.inputs.hasOthers = true }
    if let recipe, let value = graph.options.records?.measurement(recipe, digest: environment.digest) {
      remember(value)
      return value
    }
    let made = try DirectPicture(end, environment.opening, keptFrames: planning.kept.frames)
    let scheduler = scheduler
    let token = cancellation
    let context = OperationContext(
      parallelism: scheduler.configuration.workers,
      parallelFor: { count, body in
        scheduler.parallelFor(count, qos: .userInitiated, body)
      }, isCancelled: { token.isCancelled }, colours: environment.colours)
    do throws(DirectPicture.Failure) {
      let value = try made.read(context) { rows throws(PictureError) in
        try definition.measure(rows, arguments, { end.metadata().iccProfile }, context)
      }
      remember(value)
      if let recipe { graph.options.records?.keep(value, of: recipe) }
      return value
    } catch {
      var problem = Diagnostic(
        .input, at: picture.position, subject: name, file: picture.origin?.path, message: error.error.description)
      problem.advice = error.step?.advice(after: error.error)
      throw .diagnostic(problem)
    }
  }
}

extension PixelFacts {
  /// Returns the recipe of a measurement; nil without records. Also nil if pictures of earlier outputs are kept,
  /// because these may have been decoded at another size.
  private func recipe(of measurement: String, _ arguments: Arguments, in picture: Picture) -> OutputRecipe? {
    guard graph.options.records != nil, planning.kept.frames.isEmpty else { return nil }
    if recipes == nil || recipes?.locale != graph.localeName {
      recipes = (graph.localeName, RecipeWriter(environment, graph.languageOfDates))
    }
    return recipes?.writer.recipe(of: measurement, arguments, in: picture)
  }
}

extension Environment {
  /// Returns a version of a picture whose longest side is at most `side`.
  ///
  /// - Parameter coarsely: whether decoders may shrink to exactly this size, with aliasing.
  func reduced(_ picture: Picture, to side: Int, coarsely: Bool = false) throws(Picture.Problem) -> Picture {
    let layout = try picture.info().layout
    guard max(layout.width, layout.height) > side else { return picture }
    return Picture(reduce(side, coarsely), inputs: [picture], position: picture.position, origin: picture.origin)
  }
}
