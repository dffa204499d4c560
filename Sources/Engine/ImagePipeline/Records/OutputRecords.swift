import ImageCore
import Platform

/// A record of what earlier runs of a script have written. Used from any thread.
package protocol OutputRecords: Sendable {
  /// Decides what to do with outputs that a run is about to make, in their order.
  ///
  /// - Parameter digest: computes the digests of a source by its path; nil if it cannot be read. Called on any thread.
  func verdicts(
    on outputs: [PlannedOutput], digest: @escaping @Sendable (String) -> PictureDigest?
  ) -> [OutputVerdict]

  /// Starts the index that a document's sink writes of its pages; nil to write none.
  ///
  /// - Parameter file: the document, which is still empty.
  func pageJournal(of key: String, for file: OutputFile) -> PageJournal?

  /// Notes the digest of a source's bytes that was needed for another purpose, so that the source is not read again.
  ///
  /// - Parameter version: the version of the file when it was opened to be read.
  func read(_ path: String, _ version: FileVersion, _ digest: SHA256Digest)

  /// Returns what an earlier run has measured of a picture; nil if it was made in another way or of other files.
  ///
  /// Called before the picture is decoded.
  ///
  /// - Parameters:
  ///   - recipe: how the picture is made and measured.
  ///   - digest: as for `verdicts`.
  func measurement(_ recipe: OutputRecipe, digest: @escaping @Sendable (String) -> PictureDigest?) -> ParameterValue?

  /// Keeps what was measured for later runs.
  func keep(_ value: ParameterValue, of recipe: OutputRecipe)

  /// Notes the file of an output that is complete and is about to get its name. Returns the journal, which has to be on
  /// the disk before the file gets its name if that is to outlast a power cut; nil if nothing is noted.
  ///
  /// - Parameters:
  ///   - key: the key of an output whose name has a digest; nil for any other, which is known by its place.
  ///   - path: the path that the output gets.
  ///   - place: the place of the output.
  /// - Throws: an error if it cannot be noted.
  func note(key: String?, path: String, at place: InternedPath, _ file: stat) throws(PictureError) -> Int32?

  /// Called directly before an output gets its name.
  ///
  /// - Throws: an error if the output must not get its name, because the file that is there was changed.
  func willShow(_ place: InternedPath, _ file: stat) throws(PictureError)

  /// Notes that an output has got its name.
  func hasShown(_ place: InternedPath)
}

/// An output of a plan, and how it is made.
package struct PlannedOutput: Sendable {
  package let job: Job
  /// The place in the job.
  package let index: Int
  /// The path by which records know the output: see `Job.Output.key`.
  package let key: String
  /// The place where its file lies, links followed; nil if the name has a digest that is not known yet.
  package let place: InternedPath?
  /// Whether it holds several pictures, or several files belong to it.
  package let isDocument: Bool
  /// The folder of further files, such as tiles; nil for none.
  package let folder: String?
  package let recipe: OutputRecipe
  /// The recipes of a document's pages, if pages can be taken from an earlier document; else empty.
  package let pages: [EntryRecipe]
  /// The number of pages that a shard packs for a merge; nil for an output of the script. A pack belongs to imghost
  /// alone, so it is replaced even if it was changed.
  package var packedPageCount: Int?

  /// Returns the number of bytes that the run has written, or found; nil if the output could not be made.
  package func byteCount(in run: Run) -> Int? {
    guard packedPageCount != nil else { return job.result.outputs[index].byteCount }
    guard run.options.part.store?.pageCount(ofPack: key) != nil else { return nil }
    return FileVersion(path: key).map { Int($0.byteCount) }
  }
}

/// A page of a document that can be taken from an earlier one.
package struct EntryRecipe: Sendable {
  package let index: Int
  package let recipe: OutputRecipe
  /// Whether the page has no byte of a source, but pixels that are encoded.
  package let isEncoded: Bool
}

/// A decision about an output.
package enum OutputVerdict: Sendable {
  case make
  /// Some pages of the document are taken from earlier ones.
  case complete(EarlierPages)
  /// The output has the coded pixels of an earlier one.
  case take(EarlierFile)
  case keep(KeptOutput)
  /// The file was changed by somebody else, and stays.
  case refuse(String)
}

/// The result of an output that an earlier run has made.
package struct KeptOutput: Sendable {
  package let path: String
  package let byteCount: Int
  /// The number of pages of a document.
  package let pages: Int
  /// The verifier's summary of a document that it has verified; nil for any other.
  package let verification: String?

  package init(path: String, byteCount: Int, pages: Int, verification: String?) {
    (self.path, self.byteCount, self.pages, self.verification) = (path, byteCount, pages, verification)
  }
}

extension Plan {
  /// Returns the outputs of a part that a record can hold, with their recipes, in the order of the units, and the files
  /// that the recipes depend on. Pipes have none.
  func outputs(_ part: RunPart, _ units: [PlanUnit], _ environment: Environment) -> (
    outputs: [PlannedOutput], read: Set<String>
  ) {
    let writer = RecipeWriter(self, environment)
    var paths = RealPaths()
    var outputs: [PlannedOutput] = []
    for file in units.flatMap(\.files) where OutputPipe(file.path) == nil {
      outputs.append(
        PlannedOutput(
          job: file.job, index: file.index, key: file.key, place: file.hashed == nil ? file.place : nil,
          isDocument: false, folder: nil,
          recipe: writer.recipe(of: file), pages: []))
    }
    let entries = Dictionary(grouping: units.flatMap(\.allEntries)) { ObjectIdentifier($0.document) }
    for document in documents {
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
              isDocument: true, folder: nil, recipe: writer.recipe(ofPackOf: document, pages),
              pages: writer.recipes(ofPages: pages), packedPageCount: pages.count))
          continue
        }
      }
      outputs.append(
        PlannedOutput(
          job: document.job, index: document.outputIndex, key: output.key,
          place: output.key == output.path ? paths.place(of: output.path) : nil,
          isDocument: true, folder: (document as? TilesFile)?.paths.folder,
          recipe: writer.recipe(of: document, pages), pages: writer.recipes(ofPages: pages)))
    }
    return (outputs, writer.read)
  }
}

extension Selection {
  /// Leaves out what records say is there already, or must not be replaced.
  func due(of plan: Plan, _ outputs: [PlannedOutput], by records: any OutputRecords, _ environment: Environment)
    -> Selection
  {
    let verdicts = records.verdicts(on: outputs, digest: environment.digest)
    var settled: [SettledOutput] = []
    var left: Set<OutputPlace> = []
    var taken: [OutputPlace: EarlierPages] = [:]
    var files: [OutputPlace: EarlierFile] = [:]
    var packs: Set<OutputPlace> = []
    for (output, verdict) in zip(outputs, verdicts) {
      switch verdict {
      case .make: break
      case .complete(let pages): taken[OutputPlace(output.job, output.index)] = pages
      case .take(let file): files[OutputPlace(output.job, output.index)] = file
      case .keep, .refuse:
        left.insert(OutputPlace(output.job, output.index))
        if output.packedPageCount != nil { packs.insert(OutputPlace(output.job, output.index)) }
        settled.append(SettledOutput(output: output, verdict: verdict))
      }
    }
    guard !left.isEmpty || !taken.isEmpty || !files.isEmpty else { return self }
    let entries = Dictionary(grouping: taken.isEmpty ? [] : here.flatMap(\.allEntries)) {
      ObjectIdentifier($0.document)
    }
    for document in plan.documents {
      guard let pages = taken[OutputPlace(document.job, document.outputIndex)] else { continue }
      document.take(pages, (entries[ObjectIdentifier(document)] ?? []).filter { pages.pages[$0.index] != nil })
    }
    // The pages of a pack that is kept are left as those of other shards are.
    let packed = packs.isEmpty ? [] : here.compactMap { $0.pages(of: packs) }
    return Selection(
      here: here.compactMap { $0.due(without: left, taken, files) }, elsewhere: elsewhere + packed, settled: settled)
  }
}

/// An output that a run neither makes nor leaves to others.
struct SettledOutput: Sendable {
  let output: PlannedOutput
  let verdict: OutputVerdict
}

/// An output, by its place in its job.
struct OutputPlace: Hashable {
  private let job: ObjectIdentifier
  private let index: Int

  init(_ job: Job, _ index: Int) { (self.job, self.index) = (ObjectIdentifier(job), index) }
}

extension PlanUnit {
  /// Returns the unit without some outputs, and with others made from earlier files; nil if nothing is left.
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

  /// Returns the pages of documents alone; nil if there are none.
  fileprivate func pages(of documents: Set<OutputPlace>) -> PlanUnit? {
    var unit = PlanUnit()
    for entry in allEntries where documents.contains(OutputPlace(entry.document.job, entry.document.outputIndex)) {
      unit.add(entry)
    }
    return unit.allEntries.isEmpty ? nil : unit
  }
}

extension RunProgress {
  /// Settles an output that is kept, or whose file must not be replaced. A refusal fails the output, and not the run.
  func settle(_ settled: SettledOutput) {
    let (job, index) = (settled.output.job, settled.output.index)
    switch settled.verdict {
    case .make, .complete, .take: preconditionFailure("an output that is to be made was settled")
    case .keep(let kept) where settled.output.packedPageCount != nil:
      options.part.store?.kept(pack: kept.path, of: job.result.outputs[index].key, pageCount: kept.pages)
    case .keep(let kept):
      observer(.kept(path: kept.path, byteCount: kept.byteCount))
      job.state.withLock { state in
        state.result.outputs[index].byteCount = kept.byteCount
        state.result.outputs[index].isKept = true
        state.result.outputs[index].rename(kept.path)
        state.result.pages = max(state.result.pages, kept.pages)
        state.result.verification = kept.verification.map { VerificationOutcome(isVerified: true, summary: $0) }
        state.remaining -= 1
      }
      finishIfDone(job)
    case .refuse(let reason):
      let path = job.result.outputs[index].path
      let diagnostic = Diagnostic(
        .output, at: job.position, subject: job.kind.rawValue, file: path, message: reason)
      refuse(diagnostic)
      job.state.withLock { state in
        state.result.outputs[index].failure = diagnostic
        state.remaining -= 1
      }
      finishIfDone(job)
    }
  }
}
