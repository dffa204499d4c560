import ImageCore
import ImagePipeline
import PDFBook

/// Books whose pages are made by several shards: each writes a pack, and `merge` makes the book of the packs.
extension BookAssembler {
  var isDivisible: Bool { true }

  func leave(_ page: PageOutput, _ run: RunProgress) {
    state.withLock { $0.waiting[page.index] = .elsewhere }
  }

  /// Whether nothing is to be written here for an arrival, or at the end. Settles the job at the end of a shard without
  /// a page of the book.
  func isLeft(_ arrival: Arrival?, of index: Int, _ run: RunProgress) -> Bool {
    guard run.options.part.shard != nil else { return false }
    switch arrival {
    case .elsewhere: return true
    case .page: return false
    // The merge knows by itself what headers or options rule out.
    case .failed: return excluded.contains(index)
    case nil:
      guard state.withLock({ $0.writer == nil }) else { return false }
      state.withLock { $0.isOver = true }
      run.leave(job, outputIndex)
      return true
    }
  }

  /// Gives the pack its name.
  func finishPack(_ writer: UncheckedWriter, _ store: any ShardStore, _ run: RunProgress) {
    do throws(PictureError) {
      let summary = try writer.writer.finish()
      try writer.file.commit()
      state.withLock { $0.isOver = true }
      store.wrote(pack: writer.file.path, ofBook: book.key, pageCount: summary.pageCount)
      run.leave(job, outputIndex)
    } catch {
      end(run, failure: diagnostic(error))
    }
  }

  func merge(_ outputs: [PageOutput], _ shards: any FinishedShards, _ run: RunProgress) {
    if job.cancellation.isCancelled { return end(run, failure: nil) }
    guard plan != nil else { return end(run, failure: problem(Self.nothingMade(unit))) }
    state.withLock { $0.isStarted = true }
    do throws(PictureError) {
      var packs = try PackSet(paths: shards.packs(ofBook: book.key))
      guard !packs.isEmpty else { return end(run, failure: problem(RunProgress.unplanned)) }
      for index in 0..<pictureCount where !excluded.contains(index) {
        if run.cancellation.isCancelled || isOver { break }
        guard let entry = try packs.take(index) else {
          return end(run, failure: problem("no page pack has \(unit) \(index + 1)"))
        }
        try add(entry, at: index, run)
      }
      advance(run)
      // A cancelled run leaves pages that nobody brings.
      if run.cancellation.isCancelled { end(run, failure: nil) }
    } catch {
      end(run, failure: diagnostic(error))
    }
  }

  private static func damaged(_ path: String) -> PictureError {
    .operation(.unsuitable("the page packs of '\(printable(path))' are damaged; run the shards again"))
  }

  private func add(_ entry: PagePackReader.Entry, at index: Int, _ run: RunProgress) throws(PictureError) {
    guard case .page(let picture, let facts) = entry else { return deliver(index, .failed, run) }
    if plan?.isOnePicturePerPage ?? false, facts.layout == nil { throw Self.damaged(path) }
    guard facts.texts.references.problem(with: arguments) == nil else { throw Self.damaged(path) }
    var made = BookPage(
      content: .taken(picture, facts.orientation, facts.digest), place: facts.place, origin: facts.origin,
      index: index, metadata: PictureMetadata(), texts: facts.texts, intended: facts.intended, sources: facts.sources)
    made.layout = facts.layout
    made.isFlattened = facts.isFlattened
    made.isCut = facts.isCut
    made.focus = facts.focus
    deliver(index, .page(made), run)
  }
}
