import ImageCore
import ImagePipeline

/// The submission of a run: an array of shards, followed by the merge.
package struct RunSubmission {
  private let queue: SlurmQueue
  private let folder: RunFolder

  package init(_ queue: SlurmQueue, in folder: RunFolder) {
    self.queue = queue
    self.folder = folder
  }

  package enum Failure: Error {
    case slurm(SlurmError)
    case file(FileError)

    package var text: String {
      switch self {
      case .slurm(let error): error.text
      case .file(let error): "\(printable(error.path)): \(error)"
      }
    }
  }

  /// Submits shards and the merge, and writes the record. If the merge cannot be submitted or recorded, both jobs are
  /// cancelled.
  ///
  /// - Parameter shards: the shards to process; nil for all, and empty for none.
  package func submit(_ record: RunRecord, shards: [Int]? = nil) throws(Failure) -> RunRecord {
    var record = record
    folder.removeMergeStatus()
    (record.arrayJob, record.mergeJob) = (nil, nil)
    try write(record)
    var dependency: [String] = []
    if shards?.isEmpty != true {
      let job = try submit(
        record.name.arrayJob, RunFolder.jobScript, shards.map { ["--array=" + arrayText($0)] } ?? [])
      record.arrayJob = job
      // If the array fails, the merge is removed from the queue instead of waiting forever.
      dependency = ["--dependency=afterok:" + job, "--kill-on-invalid-dep=yes"]
    }
    do throws(Failure) {
      record.mergeJob = try submit(record.name.mergeJob, RunFolder.mergeScript, dependency)
      try write(record)
    } catch {
      try? queue.cancel(named: [record.name.mergeJob, record.name.arrayJob])
      throw error
    }
    return record
  }

  private func submit(_ jobName: String, _ script: String, _ words: [String]) throws(Failure) -> String {
    do throws(SlurmError) {
      return try queue.submit(
        SlurmQueue.Request(jobName: jobName, script: script, words: words), in: folder)
    } catch {
      throw .slurm(error)
    }
  }

  /// Writes both batch scripts.
  package func writeScripts(of record: RunRecord) throws(Failure) {
    let scripts = BatchScripts(record)
    do throws(FileError) {
      try folder.write(RunFolder.jobScript, scripts.job)
      try folder.write(RunFolder.mergeScript, scripts.merge)
    } catch {
      throw .file(error)
    }
  }

  private func write(_ record: RunRecord) throws(Failure) {
    do throws(FileError) {
      try folder.write(RunFolder.record, record.json.line + "\n")
    } catch {
      throw .file(error)
    }
  }
}
