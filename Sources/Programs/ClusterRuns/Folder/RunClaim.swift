import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The claim of a run on the outputs of its script. It is a file in the folder of the shards' manifests, and contains
/// the path of the run's folder. The merge removes it together with the manifests.
///
/// Without the claim, the merge of one run could remove the manifests of another run that writes the same files.
package struct RunClaim {
  private let shards: ShardFolder
  private let run: RunFolder

  private var path: String { shards.path + "/run" }

  /// The number of seconds that a claim remains valid even if its run has no jobs in the queue yet.
  private static let submission = 60

  package init(_ record: RunRecord) {
    shards = ShardFolder(
      outputFolder: record.command.absoluteOutputFolder,
      script: record.command.script)
    run = RunFolder(path: record.folder)
  }

  /// Takes the claim. The claim of a run whose merge has ended, or that has no jobs and expects none soon, is replaced.
  /// Wraps `open(2)` with `O_EXCL`, which is atomic between machines, even on network file systems.
  ///
  /// - Parameter hasJobs: returns whether a run has jobs in the queue.
  /// - Returns: the unfinished run that holds the claim; nil if this run now holds it.
  package func take(hasJobs: (RunName) -> Bool) throws(FileError) -> RunName? {
    try shards.make()
    // Other runs may take and release the claim between two attempts, but not indefinitely.
    for _ in 0..<10 {
      let descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return try write(to: descriptor) }
      guard errno == EEXIST else { throw FileError(.create, path: path, code: errno) }
      guard let holder = try? readBytes(path) else { continue }
      if holder.isEmpty, isNew {
        // The other run has created the file, and is about to write its contents.
        usleep(50_000)
        continue
      }
      let folder = RunFolder(path: String(decoding: holder, as: UTF8.self))
      if folder.path == run.path { return nil }
      if let name = unfinished(folder, hasJobs) { return name }
      unlink(path)
    }
    throw FileError(.create, path: path, code: EEXIST)
  }

  /// Releases the claim if this run holds it, and removes the folders around it that are empty.
  package func release() {
    guard let holder = try? readBytes(path), String(decoding: holder, as: UTF8.self) == run.path else { return }
    unlink(path)
    rmdir(shards.path)
    rmdir(PathName.joined(shards.outputFolder, ".imghost"))
  }

  private func write(to descriptor: Int32) throws(FileError) -> RunName? {
    var text = run.path
    var code = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    // Network file systems report some errors only on close.
    if close(descriptor) != 0, code == 0 { code = errno }
    guard code == 0 else {
      unlink(path)
      throw FileError(.write, path: path, code: code)
    }
    return nil
  }

  /// Returns the name of the run that has this folder; nil if the folder is not that of a run, if the merge of the run
  /// has ended, or if the run has no jobs and expects none soon.
  private func unfinished(_ folder: RunFolder, _ hasJobs: (RunName) -> Bool) -> RunName? {
    guard let name = RunName(folder.name), folder.mergeStatus == nil else { return nil }
    let wasSubmitted = RunRecord(in: folder)?.mergeJob != nil
    return hasJobs(name) || !wasSubmitted && isNew ? name : nil
  }

  /// Whether the claim is so new that the jobs of its run may not be in the queue yet.
  private var isNew: Bool {
    var status = stat()
    return stat(path, &status) == 0 && time(nil) - Int(status.modificationTime.tv_sec) < Self.submission
  }
}
