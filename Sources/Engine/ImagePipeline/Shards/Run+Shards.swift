import ImageCore
import Scheduling
import Synchronization

/// A shard's share of a script, for its manifest, or a plan of all shards.
package struct DivisionRecord: Sendable {
  /// Identifies the division of each batch of work. A script that calls `await` has several.
  package internal(set) var digests: [String] = []
  /// The paths of the files that the shard reads.
  package internal(set) var inputs: Set<String> = []
  /// The number of pictures of all shards.
  package internal(set) var pictureCount = 0
  /// The number of batches that an earlier run of the shard has made.
  package internal(set) var countDoneBefore = 0
  /// Everything that the script makes, in a plan.
  var planned: [PlannedBatch] = []

  /// Whether an earlier run of the shard has made everything.
  package var isDoneBefore: Bool { countDoneBefore > 0 && countDoneBefore == digests.count }
  /// Whether the script has changed its mind in the midst of a shard that was made before.
  package var isTorn: Bool { countDoneBefore > 0 && !isDoneBefore }
}

/// Work that a script starts at one time, in a plan.
struct PlannedBatch: Sendable {
  let units: [ShardDivision.Unit]
  /// The predicted memory of each, in bytes.
  let byteCounts: [Int]
}

/// Runs of which other programs make a part.
extension Run {
  /// Divides what a script makes, and returns what is made here.
  func divided(_ builders: [TaskBuilder], _ shared: PictureTask.Shared) -> [TaskBuilder] {
    division.pictureCount += builders.reduce(0) { $0 + $1.pictureCount }
    switch options.part {
    case .whole: return builders
    case .plan:
      let units = ShardDivision.units(builders)
      division.planned.append(
        PlannedBatch(
          units: units.map(\.brief),
          byteCounts: units.map { unit in
            unit.builders.map { $0.task(parallelism: 1, shared).byteCount }.max() ?? 0
          }))
      return []
    case .shard(let index, let store):
      let divided = ShardDivision(ShardDivision.units(builders), count: index.count)
      let own = divided.builders(of: index.number)
      let inputs = Set(own.flatMap(\.inputPaths))
      division.digests.append(divided.digest)
      division.inputs.formUnion(inputs)
      let isDone = store.isDone(division: divided.digest, batch: division.digests.count - 1)
      if isDone { division.countDoneBefore += 1 }
      leftBuilders = isDone ? builders : divided.builders(butOf: index.number)
      return isDone ? [] : own
    case .merge:
      leftBuilders = builders
      return []
    }
  }

  /// Returns the division of the script into shards, once the script has ended.
  package func shardPlan() -> DividedPlan {
    guard case .plan(let wanted) = options.part else { return DividedPlan(shards: [], divisions: []) }
    let total = division.planned.reduce(0) { $0 + $1.units.reduce(0) { $0 + $1.nanoseconds } }
    let count: Int
    switch wanted {
    case .number(let number): count = number
    case .seconds(let seconds):
      let each = max(1, seconds * Double(scheduler.configuration.workers) * 1e9)
      // No more than there are pieces.
      let most = min(ShardIndex.most, division.planned.map(\.units.count).max() ?? 1)
      count = max(1, min(most, Int((Double(total) / each).rounded(.up))))
    }
    var plans = (0..<count).map { ShardPlan(number: $0) }
    var digests: [String] = []
    for batch in division.planned {
      let divided = ShardDivision(batch.units, count: count)
      for (unit, byteCount) in zip(divided.units, batch.byteCounts) { plans[unit.shard].add(unit, byteCount) }
      digests.append(divided.digest)
    }
    return DividedPlan(shards: plans, divisions: digests)
  }

  /// The number of pictures that are not made here.
  var leftPictureCount: Int { leftBuilders.reduce(0) { $0 + $1.pictureCount } }

  /// Settles what is not made here.
  ///
  /// - Returns: The documents that are done with, and must not be started.
  func settleElsewhere(_ documents: [any Document], of jobs: [Job]) -> Set<ObjectIdentifier> {
    let left = leftBuilders
    leftBuilders = []
    guard let shards = options.part.finished else {
      for builder in left { builder.leave(progress) }
      return []
    }
    replay(shards)
    let files = Dictionary(grouping: left.flatMap(\.files)) { ObjectIdentifier($0.job) }
    let pages = Dictionary(grouping: left.flatMap(\.allPages)) { ObjectIdentifier($0.document) }
    let ofJob = Dictionary(grouping: documents) { ObjectIdentifier($0.job) }
    // A job comes after those that it waits for.
    for job in jobs {
      cancelIfOutdone(job)
      for file in files[ObjectIdentifier(job)] ?? [] {
        progress.settle(file.job, file.index, by: shards)
      }
      for document in ofJob[ObjectIdentifier(job)] ?? [] {
        let own = (pages[ObjectIdentifier(document)] ?? []).sorted { $0.index < $1.index }
        document.merge(own, shards, progress)
      }
    }
    for builder in left { for _ in 0..<builder.pictureCount { progress.observer(.pictureDone) } }
    return Set(documents.map { ObjectIdentifier($0) })
  }
}

extension Run {
  /// Tells once what shards have reported.
  func replay(_ shards: any FinishedShards) {
    guard !hasReplayed else { return }
    hasReplayed = true
    for event in shards.events { progress.replay(event) }
    for loss in shards.losses {
      let files = loss.files.isEmpty ? [""] : loss.files
      for file in files { progress.add(OperationNote(operation: loss.subject, text: loss.text), of: file) }
    }
  }

  /// Cancels a job whose turn never comes, because a job before it has failed. Waits for the jobs before it.
  private func cancelIfOutdone(_ job: Job) {
    for earlier in job.after {
      progress.state.wait { _ in earlier.isFinished ? () : nil }
      guard !earlier.result.isSuccess else { continue }
      let place = earlier.position.map { " of \($0.file):\($0.line)" } ?? " before it"
      job.cancellation.mark(CancellationReason("the job\(place) has failed"))
      job.state.withLock { $0.isCancelledEarly = true }
    }
  }
}

extension RunProgress {
  /// Reports what a shard has reported.
  fileprivate func replay(_ event: RunEvent) {
    if case .failed(let diagnostic) = event { fail(diagnostic) } else { observer(event) }
  }
}

/// Tells each note once: shards report notes of checking, and `merge` checks again.
final class NoteFilter: Sendable {
  private let observer: @Sendable (RunEvent) -> Void
  private let told = Mutex<Set<Diagnostic>>([])

  init(_ observer: @escaping @Sendable (RunEvent) -> Void) { self.observer = observer }

  @Sendable func observe(_ event: RunEvent) {
    if case .note(let diagnostic) = event, !told.withLock({ $0.insert(diagnostic).inserted }) { return }
    observer(event)
  }
}
