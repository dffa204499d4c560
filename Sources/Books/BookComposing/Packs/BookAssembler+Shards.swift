import ImageCore
import ImagePipeline
import PDFBook
import Platform

/// Books whose pages are made by several shards: each writes a pack, and `merge` makes the book from the packs.
extension BookAssembler {
  var isDivisible: Bool { true }

  func leave(_ page: DocumentEntry, _ run: RunProgress) {
    state.withLock { $0.waiting[page.index] = .elsewhere }
  }

  /// Returns whether this shard ignores an arrival. Nil stands for the end of the book: if the shard has no pages of
  /// the book, this settles the job and returns true.
  func isLeft(_ arrival: Arrival?, of index: Int, _ run: RunProgress) -> Bool {
    guard run.options.part.shard != nil else { return false }
    switch arrival {
    case .elsewhere: return true
    case .page, .earlier: return false
    // The merge itself determines which pictures are excluded by headers or options.
    case .failed: return excluded.contains(index)
    case nil:
      guard state.withLock({ $0.writer == nil }) else { return false }
      state.withLock { $0.isOver = true }
      run.leave(job, outputIndex)
      return true
    }
  }

  /// Finishes the pack, and renames it to its final name.
  func finishPack(_ writer: UncheckedWriter, _ store: any ShardStore, _ run: RunProgress) {
    do throws(PictureError) {
      let summary = try writer.writer.finish()
      try writer.file.commit()
      run.options.records?.hasShown(InternedPath(realPathOf: writer.file.path))
      state.withLock { $0.isOver = true }
      store.wrote(pack: writer.file.path, of: book.key, pageCount: summary.pageCount)
      run.leave(job, outputIndex)
    } catch {
      end(run, failure: diagnostic(error))
    }
  }

  func merge(_ outputs: [DocumentEntry], _ shards: any FinishedShards, _ run: RunProgress) {
    if job.cancellation.isCancelled { return end(run, failure: nil) }
    guard plan != nil else { return end(run, failure: problem(Self.nothingMade(unit))) }
    // The pages come in order, so none has to wait.
    state.withLock { ($0.isStarted, $0.isWriting) = (true, true) }
    do throws(PictureError) {
      let packs = try PackSet(paths: shards.packs(of: book.key)) { path throws(PictureError) in
        try shards.open(pack: path)
      }
      guard !packs.isEmpty else {
        return end(run, failure: problem(shards.problem(withRecordOf: book.key) ?? RunProgress.unplanned))
      }
      guard let writer = openedWriter(run) else { return }
      let reading = PackReading(packs)
      // Another thread reads ahead while this one writes.
      OrderedWork.run(pictureCount, threads: 1, ahead: 3) { [self] _ in
        read(reading)
      } deliver: { batch in
        for (index, arrival) in batch.arrivals {
          if run.cancellation.isCancelled || isOver { return false }
          write(arrival, of: index, writer, run)
        }
        if let failure = batch.failure { end(run, failure: failure) }
        return !batch.isLast
      }
      if !run.cancellation.isCancelled, !isOver { finish(writer, run) }
      // In a cancelled run, some pages are never delivered.
      if run.cancellation.isCancelled { end(run, failure: nil) }
    } catch {
      end(run, failure: diagnostic(error))
    }
  }

  /// The packs of a book that is being merged.
  ///
  /// `@unchecked Sendable`: only the reading thread uses it.
  private final class PackReading: @unchecked Sendable {
    var packs: PackSet
    /// The index of the next picture.
    var index = 0

    init(_ packs: PackSet) { self.packs = packs }
  }

  /// Consecutive pictures, up to the first that cannot be read.
  private struct Batch: Sendable {
    var arrivals: [(index: Int, arrival: Arrival)] = []
    var failure: Diagnostic?
    var isLast = false

    static let mostArrivals = 256
    static let mostBytes = 1 << 20
  }

  private func read(_ reading: PackReading) -> Batch {
    var batch = Batch()
    batch.arrivals.reserveCapacity(Batch.mostArrivals)
    var byteCount = 0
    do throws(PictureError) {
      while reading.index < pictureCount, batch.arrivals.count < Batch.mostArrivals, byteCount < Batch.mostBytes {
        let index = reading.index
        reading.index += 1
        guard !excluded.contains(index) else {
          batch.arrivals.append((index, .failed))
          continue
        }
        guard let entry = try reading.packs.take(index) else {
          batch.failure = problem("no page pack has \(unit) \(index + 1)")
          break
        }
        let arrival = try arrival(entry, at: index)
        byteCount += arrival.byteCount
        batch.arrivals.append((index, arrival))
      }
    } catch {
      batch.failure = diagnostic(error)
    }
    batch.isLast = batch.failure != nil || reading.index == pictureCount
    return batch
  }

  private static func damaged(_ path: String) -> PictureError {
    .operation(.unsuitable("the page packs of '\(printable(path))' are damaged; run the shards again"))
  }

  private func arrival(_ entry: PagePackReader.Entry, at index: Int) throws(PictureError) -> Arrival {
    guard case .page(let picture, let facts) = entry else { return .failed }
    if plan?.isOnePicturePerPage ?? false, facts.layout == nil { throw Self.damaged(path) }
    guard facts.texts.references.problem(with: arguments) == nil else { throw Self.damaged(path) }
    return .page(
      EncodedPicture(
        content: .taken(picture, facts.orientation, facts.digest), place: facts.place, origin: facts.origin,
        index: index, texts: facts.texts, intended: facts.intended, sources: facts.sources,
        isFlattened: facts.isFlattened, isCut: facts.isCut, focus: facts.focus, layout: facts.layout))
  }
}
