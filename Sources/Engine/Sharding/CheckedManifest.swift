import ImageCore
import ImagePipeline

/// A manifest as far as a check needs it, without its long lists of inputs and outputs.
struct CheckedManifest: Sendable {
  let shard: ShardIndex
  let path: String
  /// Nil for a file that is no manifest, or one of another shard.
  let manifest: ShardManifest?
  let hasOutputs: Bool
  let hasCancelled: Bool
  /// Why the manifest, or a file that it names, must not be used; nil if it may.
  let refusal: String?
  /// The first input that has changed since the shard read it.
  let changedInput: String?
  /// The first file that is not there as the shard wrote it.
  let lostFile: String?

  /// Reads a manifest, and looks at the files that it names.
  ///
  /// - Parameter confines: whether outputs may lie in the folder of `--out` only.
  init(_ shard: ShardIndex, _ path: String, in folder: ShardFolder, confines: Bool) {
    (self.shard, self.path) = (shard, path)
    let whole: ShardManifest?
    do throws(ShardFileProblem) {
      whole = try ShardManifest(shard, in: folder)
    } catch {
      (hasOutputs, hasCancelled, manifest, changedInput, lostFile) = (false, false, nil, nil, nil)
      refusal = error.text
      return
    }
    hasOutputs = whole?.outputs.isEmpty == false
    hasCancelled = whole?.outputs.contains(where: \.isCancelled) ?? false
    // Before anything that it names is looked at.
    refusal = whole?.refusal(in: folder, confines: confines)
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
  /// Returns why nothing of the manifest may be used, as a clause: an output in a place where this run may not write, or
  /// a pack of an owner who is not trusted. Nil if it is valid.
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

  /// Whether a path leads nowhere but into the folder where it begins, as far as its words tell.
  static func isInside(_ path: String) -> Bool {
    !PathName.isAbsolute(path) && !PathName.parts(path).contains("..") && !path.utf8.contains(0)
  }
}
