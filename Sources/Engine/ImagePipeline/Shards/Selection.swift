import ImageCore

/// The part of a plan that this program makes, and the rest of the plan.
struct Selection {
  let here: [PlanUnit]
  /// The units that other programs make or have made. Empty when shards are only planned.
  var elsewhere: [PlanUnit] = []
  /// The outputs that this program does not make, because they already exist or must not be replaced.
  var settled: [SettledOutput] = []
}

extension Plan {
  /// Selects a part of the units, and records how they were divided.
  func selecting(_ part: RunPart, noting record: inout DivisionRecord) -> Selection {
    record.pictureCount += pictureCount
    switch part {
    case .whole: return Selection(here: units)
    case .merge: return Selection(here: [], elsewhere: units)
    case .plan:
      record.planned.append(
        ShardDivision.bundles(units).map { bundle in
          (bundle.brief, bundle.units.map { $0.needs(facts, parallelism: 1).byteCount }.max() ?? 0)
        })
      return Selection(here: [])
    case .shard(let index, _):
      let divided = ShardDivision(ShardDivision.bundles(units), count: index.count)
      let own = divided.units(of: index.number)
      record.add(divided.digest, inputs: own.flatMap(\.inputPaths))
      return Selection(here: own, elsewhere: divided.units(butOf: index.number))
    }
  }
}

/// A shard's share of a script, for its manifest, or the plan of all shards.
package struct DivisionRecord: Sendable {
  /// A digest of the division of each batch of work. A script that calls `await` has several batches.
  package internal(set) var digests: [String] = []
  /// The paths of the files that the shard reads.
  package internal(set) var inputs: Set<String> = []
  /// The number of pictures of all shards.
  package internal(set) var pictureCount = 0
  /// The work of the script, in batches, with the predicted memory of each `ShardDivision.Bundle`; empty unless shards
  /// are planned.
  fileprivate var planned: [[(bundle: ShardDivision.Bundle, byteCount: Int)]] = []
}

extension DivisionRecord {
  /// Adds the division of a batch.
  fileprivate mutating func add(_ digest: String, inputs: [String]) {
    digests.append(digest)
    self.inputs.formUnion(inputs)
  }

  /// Returns the division of the script into shards, once the script has ended.
  func plan(_ wanted: ShardCount, workers: Int) -> DividedPlan {
    let total = planned.reduce(0) { $0 + $1.reduce(0) { $0 + $1.bundle.nanoseconds } }
    let count: Int
    switch wanted {
    case .number(let number): count = number
    case .seconds(let seconds):
      let each = max(1, seconds * Double(workers) * 1e9)
      // There cannot be more shards than bundles.
      let most = min(ShardIndex.most, planned.map(\.count).max() ?? 1)
      count = max(1, min(most, Int((Double(total) / each).rounded(.up))))
    }
    var plans = (0..<count).map { ShardPlan(number: $0) }
    var digests: [String] = []
    for batch in planned {
      let divided = ShardDivision(batch.map(\.bundle), count: count)
      for (bundle, (_, byteCount)) in zip(divided.bundles, batch) { plans[bundle.shard].add(bundle, byteCount) }
      digests.append(divided.digest)
    }
    return DividedPlan(shards: plans, divisions: digests)
  }
}
