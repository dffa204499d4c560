import ClusterRuns
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting
import Scheduling

/// A run on a cluster, with the functions that commands use to submit, follow or cancel it.
struct ClusterRun {
  var record: RunRecord
  let folder: RunFolder
  let queue = SlurmQueue()

  init(_ record: RunRecord, in folder: RunFolder) {
    self.record = record
    self.folder = folder
  }

  private var jobNames: [String] { [record.name.arrayJob, record.name.mergeJob] }

  /// Returns the jobs of the run that are in the queue, without the ended jobs of earlier attempts.
  func tasks() throws(SlurmError) -> [QueuedTask] {
    try queue.tasks(named: jobNames).filter { !$0.isOver || [record.arrayJob, record.mergeJob].contains($0.job) }
  }

  func snapshot() -> RunSnapshot {
    var reports = ManifestReports(record)
    // The queue is asked first: a job that has left it has already written its files.
    let tasks = try? tasks()
    return RunSnapshot(
      shards: record.division.shards, reports: reports.scan(), tasks: tasks, mergeStatus: folder.mergeStatus)
  }

  /// Claims the output files of the run. Prints a message if another run is writing them, or the claim cannot be
  /// written.
  ///
  /// - Returns: an exit status if the run cannot continue, else nil.
  func claim() -> ExitStatus? {
    do throws(FileError) {
      let other = try RunClaim(record).take { name in
        // A controller that does not answer now would not accept jobs either.
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

  /// Submits the shards and the merge, and follows them unless `--detach` is given. If a new run cannot be submitted,
  /// its claim and its folder are removed.
  ///
  /// - Parameter shards: the shards to submit; nil for all.
  mutating func submit(_ shards: [Int]?, isNew: Bool, _ line: ParsedLine) -> ExitStatus {
    let watch = watch()
    let submission = RunSubmission(queue, in: folder)
    do throws(RunSubmission.Failure) {
      record = try watch.holding { [record] () throws(RunSubmission.Failure) in
        try submission.writeScripts(of: record)
        return try submission.submit(record, shards: shards)
      }
    } catch {
      watch.end()
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
      Terminal.error("imghost: submitted \(jobs); 'imghost status --follow \(record.reference)' follows the run")
      return .success
    }
    Terminal.error("imghost: run \(record.name.text), \(jobs); logs in \(ShellWord.quoted(printable(folder.path)))")
    return follow(showsProgress: ClusterOptions.showsProgress(line), watch)
  }

  /// The maximum number of times that lost jobs are submitted again.
  private static let mostTries = 3

  /// The job numbers in words: `array 41 and merge 42`.
  private var jobs: String {
    let merge = "merge \(record.mergeJob ?? "?")"
    return record.arrayJob.map { "array \($0) and \(merge)" } ?? merge
  }

  /// Follows the run to its end, and reports the result. If `watch` is given, jobs that the controller lost in a crash
  /// are submitted again.
  ///
  /// - Parameter watch: the watch that cancels the run at a signal; this function ends the watch. Nil if another
  ///   command submitted the run.
  mutating func follow(showsProgress: Bool, _ watch: SignalWatch? = nil) -> ExitStatus {
    var snapshot = followed(showsProgress)
    var tries = 0
    while let watch, tries < Self.mostTries, let lost = snapshot.forgottenShards(of: record) {
      tries += 1
      Terminal.error("imghost: note: Slurm has lost \(lost.isEmpty ? "the merge" : "jobs"); submitting again")
      do throws(RunSubmission.Failure) {
        record = try watch.holding { [record] () throws(RunSubmission.Failure) in
          try RunSubmission(queue, in: folder).submit(record, shards: lost)
        }
      } catch {
        Terminal.error("imghost: \(error.text)")
        break
      }
      snapshot = followed(showsProgress)
    }
    watch?.end()
    if case .merged = snapshot.verdict(stopsAtFailure: record.command.stopsAtFailure) {
    } else {
      // None of the jobs that are still in the queue can succeed now.
      try? queue.cancel(named: jobNames)
    }
    let ending = RunEndingText(snapshot, of: record, in: folder)
    ending.print()
    return ending.status
  }

  private func followed(_ showsProgress: Bool) -> RunSnapshot {
    var reports = ManifestReports(record)
    var surroundings = RunFollower.Surroundings(
      now: monotonicSeconds, sleep: { usleep(UInt32($0 * 1e6)) }, tasks: tasks, reports: { reports.scan() },
      mergeStatus: { folder.mergeStatus })
    surroundings.note = { Terminal.error("imghost: note: \($0)") }
    if showsProgress { surroundings.progress = Terminal.progress }
    return RunFollower(record, surroundings).follow()
  }

  /// Returns a watch that cancels the run's jobs and ends the process when a signal arrives. A lost connection (SIGHUP)
  /// cancels nothing.
  func watch() -> SignalWatch {
    SignalWatch { [queue, jobNames, name = record.reference] number in
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
