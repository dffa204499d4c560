import ImageCore
import ImagePipeline

/// The manifests of all shards of a run, which have been checked against each other.
public final class MergedShards: FinishedShards {
  /// The reason why shards cannot be merged.
  public struct Problem: Error {
    /// Whole sentences, one for each shard that has to run again.
    public let lines: [String]
  }

  public let manifests: [ShardManifest]
  public let folder: ShardFolder
  private let outputs: [String: FinishedOutput]
  private let books: [String: [String]]
  public let events: [RunEvent]
  public let losses: [ShardLoss]

  /// Reads and checks the manifests in a folder.
  ///
  /// - Parameters:
  ///   - command: returns the command that runs a shard again.
  ///   - count: the number of shards; nil for that of the manifests.
  public init(
    _ folder: ShardFolder, _ identity: RunIdentity, count: Int? = nil, again command: (ShardIndex) -> String
  ) throws(Problem) {
    self.folder = folder
    let found = folder.manifests.filter { count == nil || $0.shard.count == count }
    guard !found.isEmpty else {
      throw Problem(lines: [
        "no shard has left a manifest in '\(printable(folder.path))': either none has run, or they are merged already"
      ])
    }
    let (manifests, problems) = Self.check(found, identity, folder, command)
    guard problems.isEmpty else { throw Problem(lines: Self.shortened(problems)) }
    self.manifests = manifests
    var outputs: [String: FinishedOutput] = [:]
    var books: [String: [String]] = [:]
    for manifest in manifests {
      for output in manifest.outputs {
        outputs[folder.absolute(output.key ?? output.path)] =
          output.isCancelled
          ? .cancelled
          : output.failure.map { .failed($0) }
            ?? .written(byteCount: output.totalByteCount, path: folder.absolute(output.path))
      }
      for pack in manifest.packs {
        books[folder.absolute(pack.book), default: []].append(folder.path + "/" + pack.file)
      }
    }
    (self.outputs, self.books) = (outputs, books)
    events = manifests.flatMap(\.events)
    losses = manifests.flatMap(\.losses)
  }

  public func output(_ key: String) -> FinishedOutput? { outputs[key] }

  public func packs(ofBook path: String) -> [String] { books[path] ?? [] }

  /// The most shards that are named.
  private static let mostNamed = 10

  private static func shortened(_ problems: [String]) -> [String] {
    let more = problems.count - mostNamed
    guard more > 0 else { return problems }
    return problems.prefix(mostNamed) + ["\(more) more shard\(more == 1 ? " has" : "s have") to run again"]
  }

  private static func check(
    _ found: [(shard: ShardIndex, path: String)], _ identity: RunIdentity, _ folder: ShardFolder,
    _ command: (ShardIndex) -> String
  ) -> ([ShardManifest], [String]) {
    // A folder may have manifests of another number of shards from an earlier attempt.
    let counts = Set(found.map(\.shard.count)).sorted()
    var agreeing: [Int: [Int: ShardManifest]] = [:]
    var stale: [ShardIndex: String] = [:]
    for (shard, path) in found {
      guard let manifest = ShardManifest(path: path), manifest.shard == shard else {
        stale[shard] = "is outdated: its manifest is damaged"
        continue
      }
      if let difference = identity.difference(from: manifest.identity, on: manifest.host) {
        stale[shard] = "is outdated: " + difference
      } else {
        agreeing[shard.count, default: [:]][shard.number] = manifest
      }
    }
    let current = agreeing.isEmpty ? counts : agreeing.keys.sorted()
    let complete = current.filter { agreeing[$0]?.count == $0 }
    guard complete.count == 1 || current.count == 1 else {
      let numbers = current.map(String.init).joined(separator: " and ")
      return (
        [],
        [
          "'\(printable(folder.path))' has manifests of runs in \(numbers) shards, and it is not clear which to merge; "
            + "remove those of the other runs"
        ]
      )
    }
    let count = complete.first ?? current[0]
    var problems: [String] = []
    var manifests: [ShardManifest] = []
    for number in 0..<count {
      guard let shard = ShardIndex(number, of: count) else { continue }
      let reason: String?
      if let manifest = agreeing[count]?[number] {
        manifests.append(manifest)
        reason = problem(manifest, manifests[0], folder).map { "is outdated: " + $0 }
      } else {
        reason = stale[shard] ?? "is missing: it has left no manifest"
      }
      if let reason { problems.append("shard \(shard) \(reason); run it again: \(command(shard))") }
    }
    return (manifests, problems)
  }

  /// Returns why a shard has to run again; nil if all is well.
  private static func problem(_ manifest: ShardManifest, _ first: ShardManifest, _ folder: ShardFolder) -> String? {
    if let difference = difference(manifest, first) { return difference }
    if let input = manifest.changedInput { return "'\(printable(input))' has changed since the shard read it" }
    if let file = manifest.lostFile(in: folder) { return "'\(printable(file))' is not there as the shard wrote it" }
    return nil
  }

  /// Returns how a shard saw another script or other plugins than the first; nil if they agree.
  private static func difference(_ manifest: ShardManifest, _ first: ShardManifest) -> String? {
    for plugin in manifest.plugins {
      guard let other = first.plugins.first(where: { $0.name == plugin.name }), other.version != plugin.version else {
        continue
      }
      return "plugin '\(printable(plugin.name))' was \(printable(plugin.version)) on \(printable(manifest.host)) and "
        + "\(printable(other.version)) on \(printable(first.host)) (shard \(first.shard)); install the same version"
    }
    guard manifest.divisions == first.divisions else {
      return "on \(printable(manifest.host)) it was to make other outputs than shard \(first.shard) on "
        + "\(printable(first.host)) (pictures were added or changed, or names differ from run to run)"
    }
    return nil
  }
}
