import ImageCore
import Platform

/// The records that runs of a script keep of their outputs. Used from any thread.
package protocol OutputRecords: Sendable {
  /// Returns the decision about each output of a run, in the order of the outputs.
  ///
  /// - Parameter digest: returns the digests of a source, by its path; nil if it cannot be read. Called on any thread.
  func verdicts(
    on outputs: PlannedOutputs, digest: @escaping @Sendable (String) -> PictureDigest?
  ) -> [OutputVerdict]

  /// Starts the index of a document's pages, to which the document's sink adds pages; nil for no index.
  ///
  /// - Parameter file: the document's file, which is still empty.
  func pageJournal(of key: String, for file: OutputFile) -> PageJournal?

  /// Stores the digest of a source that was computed for another purpose, so that the source is not read again.
  ///
  /// - Parameter version: the version of the file when it was opened for reading.
  func read(_ path: String, _ version: FileVersion, _ digest: SHA256Digest)

  /// Returns the value that an earlier run has measured; nil if there is none with an equal recipe and equal source
  /// files. Called before the picture to measure is decoded.
  ///
  /// - Parameters:
  ///   - recipe: the recipe of the picture and of the measurement.
  ///   - digest: as for `verdicts`.
  func measurement(_ recipe: OutputRecipe, digest: @escaping @Sendable (String) -> PictureDigest?) -> ParameterValue?

  /// Stores a measurement for later runs.
  func keep(_ value: ParameterValue, of recipe: OutputRecipe)

  /// Adds an output to the journal, after its file is complete and before the file is renamed to its final name.
  ///
  /// - Parameters:
  ///   - key: the key of the output, if its name contains a digest; nil for other outputs, which `place` identifies.
  ///   - path: the final path of the file.
  ///   - place: the same path with links followed.
  /// - Returns: the descriptor of the journal; nil if the output is not recorded. With `--durable`, the journal has to
  ///   be on the disk before the file is renamed.
  /// - Throws: an error if the journal cannot be written.
  func note(key: String?, path: String, at place: InternedPath, _ file: stat) throws(PictureError) -> Int32?

  /// Checks that a name with a digest, which is known only when the file is complete, is not that of a file that
  /// another program has changed.
  ///
  /// - Parameter place: the path with links followed.
  func checkName(_ place: InternedPath) throws(PictureError)

  /// Called directly before an output is renamed to its final name, unless the name contains a digest.
  ///
  /// - Throws: an error if the output must not replace the existing file, because another program has changed it.
  func willShow(_ place: InternedPath, _ file: stat) throws(PictureError)

  /// Called after an output was renamed to its final name.
  func hasShown(_ place: InternedPath)

  /// Returns whether the file at a path is that of an output that this run keeps, or refuses to replace.
  ///
  /// - Parameters:
  ///   - place: the path with links followed.
  ///   - path: the path as the script names it.
  func keeps(_ place: InternedPath, _ path: String) -> Bool
}

/// An output of a plan, with its recipe.
package struct PlannedOutput: Sendable {
  package let job: Job
  /// The index of the output in the job.
  package let index: Int
  /// The identifier of the output in records; see `Job.Output.key`.
  package let key: String
  /// The path of the file with links followed; nil if the name contains a digest, which is not known yet.
  package let place: InternedPath?
  /// Whether the output contains several pictures or consists of several files.
  package let isDocument: Bool
  /// Whether the output can be a copy of an equal file of an earlier run.
  package let canBeCopy: Bool
  /// The folder with further files, such as tiles; nil if there is none.
  package let folder: String?
  package let recipe: OutputRecipe
  /// The recipes of a document's pages that a later document could reuse; empty for other outputs.
  package let pages: [EntryRecipe]
  /// The number of pages in a pack, a shard's file of pages for a merge; nil for an output of the script.
  /// A pack belongs to imghost alone, so it is replaced even if it was changed.
  package var packedPageCount: Int?

  /// The path of the file; for a name with a digest, this is known only after the file is written.
  package var path: String { packedPageCount == nil ? job.result.outputs[index].path : key }

  /// Returns the number of bytes of the output that the run has written or kept; nil if it could not be made.
  package func byteCount(in run: Run) -> Int? {
    guard packedPageCount != nil else { return job.result.outputs[index].byteCount }
    guard run.options.part.store?.pageCount(ofPack: key) != nil else { return nil }
    return FileVersion(path: key).map { Int($0.byteCount) }
  }
}

/// A page of a document that a later document could reuse.
package struct EntryRecipe: Sendable {
  package let index: Int
  package let recipe: OutputRecipe
  /// Whether the page's pixels are encoded; false if it copies bytes of its source.
  package let isEncoded: Bool
}

/// The decision of the records about an output.
package enum OutputVerdict: Sendable {
  case make
  /// The document has to be written, but some of its pages are copied from earlier documents.
  case complete(EarlierPages)
  /// The output reuses the coded pixels of an earlier file.
  case take(EarlierFile)
  case keep(KeptOutput)
  /// Another program has changed the file, so it must not be replaced. The text is the reason.
  case refuse(String)
}

/// The result of an output that is kept from an earlier run.
package struct KeptOutput: Sendable {
  /// The path, if the run does not know it because the name contains a digest; otherwise nil.
  package let path: String?
  package let byteCount: Int
  /// The number of pages of a document.
  package let pages: Int
  /// The verifier's summary of a verified document; nil for other outputs.
  package let verification: String?

  package init(path: String?, byteCount: Int, pages: Int, verification: String?) {
    (self.path, self.byteCount, self.pages, self.verification) = (path, byteCount, pages, verification)
  }
}

/// The outputs of a part of a run that can be recorded: files in the order of the units, then documents. The
/// description of a file is made on request, because the descriptions of many thousands of files would take much
/// memory.
package struct PlannedOutputs: RandomAccessCollection {
  /// The place of a file: a unit, and the file's index in it.
  fileprivate typealias FilePlace = (unit: Int32, index: Int32)

  private let units: [PlanUnit]
  private let files: [FilePlace]
  private let documents: [PlannedOutput]
  private let writer: RecipeWriter

  /// - Parameter cancelled: jobs whose files are left out.
  fileprivate init(
    _ units: [PlanUnit], _ documents: [PlannedOutput], _ writer: RecipeWriter, without cancelled: Set<ObjectIdentifier>
  ) {
    (self.units, self.documents, self.writer) = (units, documents, writer)
    var files: [FilePlace] = []
    for (number, unit) in units.enumerated() {
      // Pipes have no records.
      for (index, file) in unit.files.enumerated()
      where OutputPipe(file.path) == nil && (cancelled.isEmpty || !cancelled.contains(ObjectIdentifier(file.job))) {
        files.append((Int32(number), Int32(index)))
      }
    }
    self.files = files
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { files.count + documents.count }

  package subscript(position: Int) -> PlannedOutput {
    guard position < files.count else { return documents[position - files.count] }
    let file = file(position)
    return PlannedOutput(
      job: file.job, index: file.index, key: file.key, place: file.hashed == nil ? file.place : nil, isDocument: false,
      canBeCopy: true, folder: nil, recipe: writer.recipe(of: file), pages: [])
  }

  private func file(_ position: Int) -> FileOutput {
    let place = files[position]
    return units[Int(place.unit)].files[Int(place.index)]
  }

  /// Returns the path of an output, without describing the output.
  package func path(at position: Int) -> String {
    let (job, index, _) = output(at: position)
    return job.result.outputs[index].path
  }

  /// Returns an output, without describing it.
  fileprivate func output(at position: Int) -> (job: Job, index: Int, isPack: Bool) {
    guard position < files.count else {
      let document = documents[position - files.count]
      return (document.job, document.index, document.packedPageCount != nil)
    }
    let file = file(position)
    return (file.job, file.index, false)
  }

  /// All files on which any of the recipes depends.
  var read: Set<String> {
    let sources = reduce(into: Set<String>()) { $0.formUnion($1.recipe.sources) }
    return sources.union(writer.read)
  }
}

extension Plan {
  /// The jobs that end without outputs, because they were cancelled, or because a job that they follow was.
  private var cancelledJobs: Set<ObjectIdentifier> {
    var cancelled: Set<ObjectIdentifier> = []
    for job in jobs {
      let hasNoStart = job.after.contains { earlier in
        cancelled.contains(ObjectIdentifier(earlier)) || earlier.isFinished && earlier.result.isCancelled
      }
      if hasNoStart || job.cancellation.isCancelled { cancelled.insert(ObjectIdentifier(job)) }
    }
    return cancelled
  }

  /// Returns the outputs of a part of a run that can be recorded. Pipes cannot, nor can the outputs of cancelled jobs.
  func outputs(_ part: RunPart, _ units: [PlanUnit], _ environment: Environment) -> PlannedOutputs {
    let writer = RecipeWriter(self, environment)
    var paths = RealPaths()
    var outputs: [PlannedOutput] = []
    let entries = Dictionary(grouping: units.flatMap(\.allEntries)) { ObjectIdentifier($0.document) }
    let cancelled = cancelledJobs
    for document in documents where !cancelled.contains(ObjectIdentifier(document.job)) {
      let output = document.job.result.outputs[document.outputIndex]
      guard OutputPipe(output.path) == nil else { continue }
      let pages = (entries[ObjectIdentifier(document)] ?? []).sorted { $0.index < $1.index }
      if let store = part.store {
        guard !pages.isEmpty else { continue }
        if document.isDivisible {
          let pack = store.pack(of: output.key)
          outputs.append(
            PlannedOutput(
              job: document.job, index: document.outputIndex, key: pack, place: paths.place(of: pack),
              isDocument: true, canBeCopy: false, folder: nil, recipe: writer.recipe(ofPackOf: document, pages),
              pages: writer.recipes(ofPages: pages), packedPageCount: pages.count))
          continue
        }
      }
      outputs.append(
        PlannedOutput(
          job: document.job, index: document.outputIndex, key: output.key,
          place: output.key == output.path ? paths.place(of: output.path) : nil,
          isDocument: true, canBeCopy: document.canCopyEarlierFile, folder: (document as? TilesFile)?.paths.folder,
          recipe: writer.recipe(of: document, pages), pages: writer.recipes(ofPages: pages)))
    }
    return PlannedOutputs(units, outputs, writer, without: cancelled)
  }
}

extension Selection {
  /// Returns the selection without outputs that the records keep or refuse, and applies their other decisions.
  func due(of plan: Plan, _ outputs: PlannedOutputs, by records: any OutputRecords, _ environment: Environment)
    -> Selection
  {
    let verdicts = records.verdicts(on: outputs, digest: environment.digest)
    var settled: [SettledOutput] = []
    var left: Set<OutputPlace> = []
    var taken: [OutputPlace: EarlierPages] = [:]
    var files: [OutputPlace: EarlierFile] = [:]
    var packs: Set<OutputPlace> = []
    for (position, verdict) in verdicts.enumerated() {
      let (job, index, isPack) = outputs.output(at: position)
      let place = OutputPlace(job, index)
      switch verdict {
      case .make: break
      case .complete(let pages): taken[place] = pages
      case .take(let file): files[place] = file
      case .keep, .refuse:
        left.insert(place)
        if isPack { packs.insert(place) }
        settled.append(SettledOutput(job: job, index: index, isPack: isPack, verdict: verdict))
      }
    }
    guard !left.isEmpty || !taken.isEmpty || !files.isEmpty else { return self }
    let entries = Dictionary(grouping: taken.isEmpty ? [] : here.flatMap(\.allEntries)) {
      ObjectIdentifier($0.document)
    }
    for document in plan.documents {
      let place = OutputPlace(document.job, document.outputIndex)
      if let file = files[place] {
        document.take(file)
        left.insert(place)
      }
      guard let pages = taken[place] else { continue }
      document.take(pages, (entries[ObjectIdentifier(document)] ?? []).filter { pages.pages[$0.index] != nil })
    }
    // This run makes no page of a pack that is kept, as if other shards made these pages.
    let packed = packs.isEmpty ? [] : here.compactMap { $0.pages(of: packs) }
    return Selection(
      here: here.compactMap { $0.due(without: left, taken, files) }, elsewhere: elsewhere + packed, settled: settled)
  }
}

/// An output that the run does not make, because the records keep or refuse it.
struct SettledOutput: Sendable {
  let job: Job
  let index: Int
  /// Whether the output is a pack of pages for a merge.
  let isPack: Bool
  let verdict: OutputVerdict
}

/// The identity of an output: its job, and its index in the job.
struct OutputPlace: Hashable {
  private let job: ObjectIdentifier
  private let index: Int

  init(_ job: Job, _ index: Int) { (self.job, self.index) = (ObjectIdentifier(job), index) }
}

extension PlanUnit {
  /// Returns the unit without the outputs in `left` and the pages in `taken`, and with the files in `earlier` as
  /// sources of coded pixels; nil if nothing remains to be made.
  fileprivate func due(
    without left: Set<OutputPlace>, _ taken: [OutputPlace: EarlierPages], _ earlier: [OutputPlace: EarlierFile]
  ) -> PlanUnit? {
    func isDue(_ entry: DocumentEntry) -> Bool {
      let place = OutputPlace(entry.document.job, entry.document.outputIndex)
      return !left.contains(place) && taken[place]?.pages[entry.index] == nil
    }
    var unit = PlanUnit()
    for file in files {
      let place = OutputPlace(file.job, file.index)
      if !left.contains(place) { unit.add(file.with(earlier[place])) }
    }
    for entry in allEntries where isDue(entry) { unit.add(entry) }
    return unit.files.isEmpty && unit.allEntries.isEmpty ? nil : unit
  }

  /// Returns a unit with only the pages of these documents; nil if there are none.
  fileprivate func pages(of documents: Set<OutputPlace>) -> PlanUnit? {
    var unit = PlanUnit()
    for entry in allEntries where documents.contains(OutputPlace(entry.document.job, entry.document.outputIndex)) {
      unit.add(entry)
    }
    return unit.allEntries.isEmpty ? nil : unit
  }
}

extension RunProgress {
  /// Sets the result of an output that is kept or refused. If it is refused, the output fails, but the run continues.
  func settle(_ settled: SettledOutput) {
    let (job, index) = (settled.job, settled.index)
    switch settled.verdict {
    case .make, .complete, .take: preconditionFailure("an output that is to be made was settled")
    case .keep(let kept) where settled.isPack:
      guard let store = options.part.store else { return }
      let key = job.result.outputs[index].key
      store.kept(pack: store.pack(of: key), of: key, pageCount: kept.pages)
    case .keep(let kept):
      observer(.kept(path: kept.path ?? job.result.outputs[index].path, byteCount: kept.byteCount))
      job.state.withLock { state in
        state.result.outputs[index].byteCount = kept.byteCount
        state.result.outputs[index].isKept = true
        if let path = kept.path { state.result.outputs[index].rename(path) }
        state.result.pages = max(state.result.pages, kept.pages)
        state.result.verification = kept.verification.map { VerificationOutcome(isVerified: true, summary: $0) }
        state.remaining -= 1
      }
      finishIfDone(job)
    case .refuse(let reason):
      let path = job.result.outputs[index].path
      let diagnostic = Diagnostic(
        .output, at: job.position, subject: job.kind.rawValue, file: path, message: reason, isRefusal: true)
      fail(diagnostic)
      job.state.withLock { state in
        state.result.outputs[index].failure = diagnostic
        state.remaining -= 1
      }
      finishIfDone(job)
    }
  }
}
