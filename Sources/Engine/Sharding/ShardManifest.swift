import ImageCore
import ImagePipeline

/// The record of a shard: the files that it has read and made. Its file appears last, so that everything it names is there.
package struct ShardManifest: Sendable {
  package struct Input: Sendable {
    package let path: String
    package let byteCount: Int
    /// Nanoseconds since 1970.
    package let modified: Int
    package let digest: String
  }

  package struct Output: Sendable {
    /// From the folder of outputs.
    package let path: String
    /// The path as the script names it, where the name has a digest; nil for the same path.
    package var key: String?
    package var byteCount = 0
    /// The bytes of everything that was written with it, such as tiles.
    package var totalByteCount = 0
    package var digest = ""
    /// The reason why it was not written; nil if it was.
    package var failure: Diagnostic?
    /// Whether it was cancelled.
    package var isCancelled = false
  }

  package struct Pack: Sendable {
    /// The book's path, from the folder of outputs.
    package let book: String
    /// The file's name in the folder of manifests.
    package let file: String
    package let byteCount: Int
    package let digest: String
    package let pageCount: Int
  }

  package var identity: RunIdentity
  package var shard: ShardIndex
  /// Identifies how each batch of the script's work was divided.
  package var divisions: [String]
  /// The versions of the plugins that were found, by name.
  package var plugins: [(name: String, version: String)]
  package var host: String
  /// Seconds that the shard took.
  package var seconds: Double
  /// The exit status of the shard.
  package var status: Int
  package var inputs: [Input] = []
  package var outputs: [Output] = []
  package var packs: [Pack] = []
  /// Failures, and notes about single pictures, in the order they came.
  package var events: [RunEvent] = []
  package var losses: [ShardLoss] = []
  /// The lines that the script printed; only in the manifest of the first shard.
  package var printed: [String] = []
  /// The work of a merge.
  package var merge = Merge.script("an unknown script")

  package enum Merge: Sendable, Hashable {
    /// To write the recorded books of their packs.
    case packs(MergeRecord)
    /// To run the script, for a reason.
    case script(String)
  }

  package init(
    _ identity: RunIdentity, _ shard: ShardIndex, divisions: [String], plugins: [(name: String, version: String)],
    host: String, seconds: Double, status: Int
  ) {
    self.identity = identity
    self.shard = shard
    self.divisions = divisions
    self.plugins = plugins
    self.host = host
    self.seconds = seconds
    self.status = status
  }

  /// The failures among the events.
  package var failures: [Diagnostic] {
    events.compactMap { if case .failed(let diagnostic) = $0 { diagnostic } else { nil } }
  }

  /// The largest manifest, in bytes; that of a million pictures has 160 MB.
  static let mostBytes = 1 << 29

  /// Reads a manifest in the folder of its shards; nil for a missing file, or one of another format.
  ///
  /// - Throws: `ShardFileProblem` if its owner is not trusted.
  package init?(_ shard: ShardIndex, in folder: ShardFolder) throws(ShardFileProblem) {
    let file: InputFile
    do throws(ShardFileProblem) {
      file = try folder.open(String(PathName.name(folder.manifest(shard))))
    } catch {
      if case .missing = error.reason { return nil }
      throw error
    }
    guard file.byteCount <= Self.mostBytes, let bytes = try? file.bytes(at: 0, count: file.byteCount) else {
      return nil
    }
    self.init(bytes)
    guard self.shard == shard else { return nil }
  }

  /// Writes it under its name, whole or not at all.
  package func write(to path: String) throws(PictureError) {
    let file = try OutputFile(path: path)
    file.removeWorldWrite()
    try file.write(Array((json.line + "\n").utf8))
    try file.commit()
  }
}
