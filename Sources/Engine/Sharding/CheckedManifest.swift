import ImagePipeline

/// A manifest as far as a check needs it, without its long lists of inputs and outputs.
struct CheckedManifest: Sendable {
  let shard: ShardIndex
  let path: String
  /// Nil for a file that is no manifest, or one of another shard.
  let manifest: ShardManifest?
  let hasOutputs: Bool
  let hasCancelled: Bool
  /// The first input that has changed since the shard read it.
  let changedInput: String?
  /// The first file that is not there as the shard wrote it.
  let lostFile: String?

  /// Reads a manifest, and looks at the files that it names.
  init(_ shard: ShardIndex, _ path: String, in folder: ShardFolder) {
    (self.shard, self.path) = (shard, path)
    let whole = ShardManifest(path: path).flatMap { $0.shard == shard ? $0 : nil }
    hasOutputs = whole?.outputs.isEmpty == false
    hasCancelled = whole?.outputs.contains(where: \.isCancelled) ?? false
    changedInput = whole?.changedInput
    lostFile = whole?.lostFile(in: folder)
    manifest = whole.map { whole in
      var brief = whole
      (brief.inputs, brief.outputs) = ([], [])
      return brief
    }
  }
}
