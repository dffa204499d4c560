import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The manifests of a run's shards, which are scanned repeatedly.
///
/// A manifest of another run, such as one of an older version of the script, is ignored, because a shard of this run
/// will replace it.
package struct ManifestReports {
  private let folder: ShardFolder
  private let identity: RunIdentity
  private let shards: [ShardIndex]
  private var reports: [Int: ShardReport] = [:]
  /// The stamps of manifests that do not belong to this run, or cannot be read.
  private var others: [Int: Stamp] = [:]

  /// The attributes of a file that reveal its replacement.
  private struct Stamp: Equatable {
    let identity: FileIdentity
    let version: FileVersion

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      identity = FileIdentity(status)
      version = FileVersion(status)
    }
  }

  package init(_ record: RunRecord) {
    folder = ShardFolder(
      outputFolder: record.command.absoluteOutputFolder,
      script: record.command.script)
    identity = record.identity
    shards = (0..<record.division.shards).compactMap { ShardIndex($0, of: record.division.shards) }
  }

  /// Looks for new manifests, and returns the results of all shards with manifests, by shard number.
  package mutating func scan() -> [Int: ShardReport] {
    // Listing the folder once is cheaper for a server than a request for each file. Opening a folder makes network file
    // systems refresh its contents. After the merge, the folder no longer exists.
    let names = Set(RunFolder.names(in: folder.path))
    for shard in shards where reports[shard.number] == nil {
      let path = folder.manifest(shard)
      guard names.contains(String(PathName.name(path))) else { continue }
      guard let stamp = Stamp(path), others[shard.number] != stamp else { continue }
      if let manifest = try? ShardManifest(shard, in: folder), manifest.identity == identity {
        reports[shard.number] = ShardReport(
          status: Int32(clamping: manifest.status), failures: manifest.failures, host: manifest.host)
      } else {
        others[shard.number] = stamp
      }
    }
    return reports
  }

  /// Removes the manifests of some shards, so that old manifests are not taken for new ones.
  package func remove(_ numbers: [Int]) {
    folder.removeManifests(of: shards.filter { numbers.contains($0.number) })
  }

  /// Removes manifests of an earlier attempt that contain failures, because they would end this run at once.
  package mutating func removeFailed() {
    let failed = scan().filter { $0.value.status != 0 || !$0.value.failures.isEmpty }
    remove(Array(failed.keys))
    for shard in failed.keys { reports[shard] = nil }
  }

  /// Returns the shards that must be processed: their manifest is missing or belongs to another run, contains failures,
  /// lists pictures or files that have changed since, or was written for other divisions.
  ///
  /// - Parameter divisions: the divisions of the plan.
  package mutating func left(of divisions: [String]) -> [Int] {
    let reports = scan()
    return shards.filter { shard in
      guard let report = reports[shard.number], report.status == 0, report.failures.isEmpty else { return true }
      guard let manifest = try? ShardManifest(shard, in: folder) else { return true }
      return manifest.divisions != divisions || !manifest.holds(in: folder)
    }.map(\.number)
  }
}

/// The result of a shard of a run, from its manifest.
package struct ShardReport: Sendable, Equatable {
  /// The exit status of the shard.
  package let status: Int32
  package let failures: [Diagnostic]
  /// The name of the node that processed the shard.
  package let host: String

  package init(status: Int32, failures: [Diagnostic] = [], host: String = "") {
    self.status = status
    self.failures = failures
    self.host = host
  }
}
