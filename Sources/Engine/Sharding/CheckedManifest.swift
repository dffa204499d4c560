import ImageCore
import ImagePipeline

/// The part of a manifest that a check needs, without its long lists of inputs and outputs.
struct CheckedManifest: Sendable {
  let shard: ShardIndex
  let path: String
  /// The manifest; nil if the file cannot be read, is not trusted, or is not a manifest of this shard.
  let manifest: ShardManifest?
  let hasOutputs: Bool
  let hasCancelled: Bool
  /// The reason why the manifest, or a file listed in it, must not be used; nil if it may be used.
  let refusal: String?
  /// The first input that has changed since the shard read it; nil if there is none, or if the manifest is refused.
  let changedInput: String?
  /// The first output or pack that is missing, or has another size than when the shard wrote it; nil if there is none,
  /// or if the manifest is refused.
  let lostFile: String?

  /// Reads a manifest, and checks the files listed in it.
  ///
  /// - Parameter confines: whether outputs must be inside the folder of `--out`.
  init(_ shard: ShardIndex, _ path: String, in folder: ShardFolder, confines: Bool) {
    (self.shard, self.path) = (shard, path)
    var (whole, problem): (ShardManifest?, String?) = (nil, nil)
    do throws(ShardFileProblem) { whole = try ShardManifest(shard, in: folder) } catch { problem = error.text }
    hasOutputs = whole?.outputs.isEmpty == false
    hasCancelled = whole?.outputs.contains(where: \.isCancelled) ?? false
    // This check comes before any access to the listed files.
    refusal = problem ?? whole?.refusal(in: folder, confines: confines)
    changedInput = refusal == nil ? whole?.changedInput : nil
    lostFile = refusal == nil ? whole?.lostFile(in: folder) : nil
    manifest = whole.map { whole in
      var brief = whole
      (brief.inputs, brief.outputs) = ([], [])
      return brief
    }
  }
}

extension ShardManifest {
  /// Returns the reason, as a clause, why no part of the manifest may be used: an output in a place where this run must
  /// not write, or a pack whose owner is not trusted. Nil if it is valid.
  fileprivate func refusal(in folder: ShardFolder, confines: Bool) -> String? {
    if confines, let output = outputs.first(where: { !Self.isInside($0.path) || !Self.isInside($0.key ?? "") }) {
      return "'\(printable(output.path))' lies outside '\(printable(folder.outputFolder))', and --confine allows no "
        + "output there"
    }
    for pack in packs {
      do throws(ShardFileProblem) {
        _ = try folder.open(pack.file)
      } catch {
        // `lostFile` reports a missing pack.
        if case .missing = error.reason { continue }
        return error.text
      }
    }
    return nil
  }

  /// Returns whether a path stays inside its starting folder, judging only by its components.
  static func isInside(_ path: String) -> Bool {
    !PathName.isAbsolute(path) && !PathName.parts(path).contains("..") && !path.utf8.contains(0)
  }
}
