import ImageCore
import Platform
import Scheduling

extension RunProgress {
  /// Settles an output that another shard makes. Called before the job's work starts.
  package func leave(_ job: Job, _ index: Int) {
    job.state.withLock { state in
      state.remaining -= 1
      state.result.outputs[index].isElsewhere = true
    }
    finishIfDone(job)
  }

  /// Settles an output by the result of the shard that made it.
  package func settle(_ job: Job, _ index: Int, by shards: any FinishedShards) {
    let (path, key) = job.state.withLock { ($0.result.outputs[index].path, $0.result.outputs[index].key) }
    if job.state.withLock({ $0.isCancelledEarly }) {
      // A run on one machine would not have begun with it.
      // A name with a digest may belong to an equal output, too.
      if case .written? = shards.output(key), key == path { Self.remove(path) }
      return outputEnded(job, index, byteCount: nil, failure: nil, path: path)
    }
    switch shards.output(key) {
    case .written(let byteCount, let written)?:
      // The script says where a file is; a manifest only how its name ends that has a digest.
      let final = key == path ? path : SplitPath(path).renamed(SplitPath(written).name).text
      outputEnded(job, index, byteCount: byteCount, failure: nil, path: final)
    case .failed(let diagnostic)?: outputEnded(job, index, byteCount: nil, failure: diagnostic, path: path)
    case .cancelled?: outputEnded(job, index, byteCount: nil, failure: nil, path: path)
    // The script cancels it in every shard.
    case nil where job.cancellation.isCancelled: outputEnded(job, index, byteCount: nil, failure: nil, path: path)
    case nil:
      outputEnded(
        job, index, byteCount: nil,
        failure: Diagnostic(.output, at: job.position, subject: job.kind.rawValue, file: path, message: Self.unplanned),
        path: path)
    }
  }

  /// Removes a file that a shard has made, and the folder that was made for it, if nothing else is in it.
  private static func remove(_ path: String) {
    let place = SplitPath(realPathOf: path)
    guard let folder = try? OutputFolder.open(place.folderPath, for: path) else { return }
    _ = PathBytes.withBytes(of: place.name) { unlinkat(folder.descriptor, $0, 0) }
    if let folder = PathName.folder(path) { rmdir(String(folder)) }
  }

  /// The reason why there is no result.
  package static let unplanned =
    "no shard was to make this: a script that asks for outputs after it has seen results cannot be divided; "
    + "ask for all outputs before 'await' and 'on_done', or use 'imghost run'"
}
