/// The state of a run at one moment.
package struct RunSnapshot: Sendable, Equatable {
  /// The number of shards.
  package let shards: Int
  package var reports: [Int: ShardReport]
  /// The jobs of the run in the queue; nil if the queue does not answer.
  package var tasks: [QueuedTask]?
  /// The exit status of the merge; nil before it has ended.
  package var mergeStatus: Int32?

  package init(
    shards: Int, reports: [Int: ShardReport] = [:], tasks: [QueuedTask]? = nil, mergeStatus: Int32? = nil
  ) {
    self.shards = shards
    self.reports = reports
    self.tasks = tasks
    self.mergeStatus = mergeStatus
  }

  /// The conclusion from a snapshot.
  package enum Verdict: Sendable, Equatable {
    case goesOn
    case merged(status: Int32)
    /// Shards have failed, so no merge follows.
    case failed
    /// No jobs are left, but shards have no manifest.
    case lostShards([Int])
    /// All shards are finished, and no jobs are left, but there is no exit status of the merge.
    case lostMerge
  }

  /// Returns the verdict. It depends on the merge's status and the manifests, and on the queue only if these are not
  /// sufficient.
  ///
  /// - Parameter stopsAtFailure: whether one failed output prevents the merge.
  package func verdict(stopsAtFailure: Bool) -> Verdict {
    if let mergeStatus { return .merged(status: mergeStatus) }
    if reports.values.contains(where: { $0.status > 1 || stopsAtFailure && $0.status != 0 }) { return .failed }
    guard let tasks, tasks.allSatisfy({ $0.isOver || $0.isOrphaned }) else { return .goesOn }
    return missing.isEmpty ? .lostMerge : .lostShards(missing)
  }

  /// Returns the shards without a manifest, to be submitted again, if the controller has lost the jobs of all of them.
  /// Empty if only the merge was lost; nil in all other cases.
  package func forgottenShards(of record: RunRecord) -> [Int]? {
    guard let tasks else { return nil }
    switch verdict(stopsAtFailure: record.command.stopsAtFailure) {
    case .lostShards(let missing):
      let known = tasks.filter { $0.jobName == record.name.arrayJob }
      return missing.contains { shard in known.contains { $0.holds(shard) } } ? nil : missing
    case .lostMerge: return tasks.contains { $0.jobName == record.name.mergeJob } ? nil : []
    case .goesOn, .merged, .failed: return nil
    }
  }

  /// The shards without a manifest.
  package var missing: [Int] { (0..<shards).filter { reports[$0] == nil } }
}

/// Returns shard numbers in the syntax of sbatch's `--array`: `1,4-6`.
package func arrayText(_ shards: [Int]) -> String {
  var parts: [String] = []
  var start = 0
  for index in shards.indices where index + 1 == shards.count || shards[index + 1] != shards[index] + 1 {
    parts.append(start == index ? "\(shards[start])" : "\(shards[start])-\(shards[index])")
    start = index + 1
  }
  return parts.joined(separator: ",")
}
