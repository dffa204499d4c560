import ImageCore
import ImagePipeline

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
    // The merge finds by itself what headers or options rule out.
    case .failed: return pages[index] == nil
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
      var packs: [PagePackReader] = []
      for path in shards.packs(ofBook: book.key) { packs.append(try PagePackReader(path: path)) }
      guard !packs.isEmpty else { return end(run, failure: problem(RunProgress.unplanned)) }
      var current = 0
      for output in outputs {
        if run.cancellation.isCancelled || isOver { break }
        if packs[current].nextIndex != output.index {
          guard let other = packs.firstIndex(where: { $0.nextIndex == output.index }) else {
            return end(run, failure: problem("no page pack has \(unit) \(output.index + 1)"))
          }
          current = other
        }
        deliver(output, try packs[current].take(), run)
      }
      advance(run)
      // A cancelled run leaves pages that nobody brings.
      if run.cancellation.isCancelled { end(run, failure: nil) }
    } catch {
      end(run, failure: diagnostic(error))
    }
  }

  private func deliver(_ output: PageOutput, _ entry: PagePackReader.Entry, _ run: RunProgress) {
    guard case .page(let picture, let facts) = entry else { return deliver(output.index, .failed, run) }
    let known = page(output)
    var made = BookPage(
      content: .taken(picture, facts.orientation, facts.digest), place: Int(known.place),
      origin: output.picture.origin, index: output.index, metadata: PictureMetadata(), texts: known.texts,
      intended: facts.intended, sources: facts.sources)
    made.isFlattened = facts.isFlattened
    made.isCut = facts.isCut
    made.focus = facts.focus
    if verifies { made.sourcePath = output.picture.origin?.path ?? "" }
    deliver(output.index, .page(made), run)
  }
}
