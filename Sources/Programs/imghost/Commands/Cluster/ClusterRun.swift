import ClusterRuns
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting
import Scheduling

/// A run on a cluster in the hands of one command: submitted, followed, cancelled.
struct ClusterRun {
  var record: RunRecord
  let folder: RunFolder
  let queue = SlurmQueue()

  init(_ record: RunRecord, in folder: RunFolder) {
    self.record = record
    self.folder = folder
  }

  private var jobNames: [String] { [record.name.arrayJob, record.name.mergeJob] }

  /// The jobs of the run in the queue.
  func tasks() throws(SlurmError) -> [QueuedTask] { try queue.tasks(named: jobNames) }

  /// The state of the run now.
  func snapshot() -> RunSnapshot {
    var reports = ManifestReports(record)
    // The queue first: a job that has left it has written its files.
    let tasks = try? tasks()
    return RunSnapshot(
      shards: record.division.shards, reports: reports.scan(), tasks: tasks, mergeStatus: folder.mergeStatus)
  }

  /// Claims the files that the run makes. If another run makes them at the moment, says so.
  ///
  /// - Returns: an exit status if the run cannot go on.
  func claim() -> ExitStatus? {
    do throws(FileError) {
      let other = try RunClaim(record).take { name in
        // A controller that does not answer now takes no jobs, either.
        let tasks = try? queue.tasks(named: [name.arrayJob, name.mergeJob])
        return tasks?.contains(where: \.isAlive) ?? false
      }
      guard let other else { return nil }
      Terminal.error(
        "imghost: run \(other.text) makes these files already; 'imghost status --follow \(other.text)' follows it")
    } catch {
      Terminal.error("imghost: \(printable(error.path)): \(error); write elsewhere with --out")
    }
    return .someFailed
  }

  /// Submits shards and the merge, and follows them unless `--detach` is given.
  ///
  /// - Parameter shards: nil for all.
  mutating func submit(_ shards: [Int]?, isNew: Bool, _ line: ParsedLine) -> ExitStatus {
    let watch = watch()
    let submission = RunSubmission(queue, in: folder)
    do throws(RunSubmission.Failure) {
      record = try watch.holding { [record] () throws(RunSubmission.Failure) in
        try submission.writeScripts(of: record)
        return try submission.submit(record, shards: shards)
      }
    } catch {
      if isNew {
        RunClaim(record).release()
        folder.remove()
      }
      Terminal.error("imghost: \(error.text)")
      return .someFailed
    }
    if line.has("--detach") {
      watch.end()
      Terminal.output(record.name.text)
      Terminal.error(
        "imghost: submitted \(jobs); 'imghost status --follow \(record.name.text)' follows the run")
      return .success
    }
    Terminal.error("imghost: run \(record.name.text), \(jobs); logs in \(ShellWord.quoted(printable(folder.path)))")
    return follow(showsProgress: ClusterOptions.showsProgress(line), watch)
  }

  /// The jobs in words: `job 41 (8 shards) and merge 42`.
  private var jobs: String {
    let merge = "merge \(record.mergeJob ?? "?")"
    return record.arrayJob.map { "array \($0) and \(merge)" } ?? merge
  }

  /// Follows the run to its end, and reports it.
  ///
  /// - Parameter watch: told when signals have nothing to cancel any more; nil if they leave the run alone.
  func follow(showsProgress: Bool, _ watch: SignalWatch? = nil) -> ExitStatus {
    var reports = ManifestReports(record)
    var surroundings = RunFollower.Surroundings(
      now: monotonicSeconds, sleep: { usleep(UInt32($0 * 1e6)) }, tasks: tasks, reports: { reports.scan() },
      mergeStatus: { folder.mergeStatus })
    surroundings.note = { Terminal.error("imghost: note: \($0)") }
    if showsProgress { surroundings.progress = Terminal.progress }
    let snapshot = RunFollower(record, surroundings).follow()
    watch?.end()
    if case .merged = snapshot.verdict(stopsAtFailure: record.command.stopsAtFailure) {
    } else {
      // Nothing that is still in the queue can end the run well.
      try? queue.cancel(named: jobNames)
    }
    let ending = RunEndingText(snapshot, of: record, in: folder)
    ending.print()
    return ending.status
  }

  /// Cancels the run's jobs when a signal comes, and ends the process. A lost connection cancels nothing.
  func watch() -> SignalWatch {
    SignalWatch { [queue, jobNames, name = record.name.text] number in
      Terminal.progress("")
      guard number != SIGHUP else { _exit(ExitStatus.interrupted(by: number).rawValue) }
      do throws(SlurmError) {
        try queue.cancel(named: jobNames)
        Terminal.error("imghost: interrupted; the jobs are cancelled, and 'imghost resume \(name)' makes what is left")
      } catch {
        Terminal.error(
          "imghost: interrupted, but the jobs go on: \(error.text); "
            + "cancel them with 'scancel --name=\(jobNames[0])' and 'scancel --name=\(jobNames[1])'")
      }
      _exit(ExitStatus.interrupted(by: number).rawValue)
    }
  }
}
