import ImageCore
import Platform

/// Slurm's queue: `sbatch(1)`, `squeue(1)` and `scancel(1)`.
package struct SlurmQueue: Sendable {
  private let programs: SlurmPrograms

  package init(_ programs: SlurmPrograms = SlurmPrograms()) { self.programs = programs }

  /// A request to run a batch script.
  package struct Request: Sendable {
    /// The unique name in the queue.
    let jobName: String
    /// The batch script, a file in the run's folder.
    let script: String
    /// Further arguments for `sbatch`.
    let words: [String]

    package init(jobName: String, script: String, words: [String] = []) {
      self.jobName = jobName
      self.script = script
      self.words = words
    }
  }

  /// Submits a script, and returns the number of its job.
  ///
  /// If the controller does not answer, it may still have accepted the job, so the queue is searched for the name.
  package func submit(_ request: Request, in folder: RunFolder) throws(SlurmError) -> String {
    let words =
      [
        "--parsable", "--requeue", "--job-name=" + request.jobName, "--chdir=" + folder.path,
      ] + request.words + [folder.file(request.script)]
    let answer = try programs.run("sbatch", words)
    guard answer.ending == .exit(0) else {
      let error = SlurmError(program: "sbatch", errors: answer.errors)
      if case .unreachable = error, let job = try? tasks(named: [request.jobName]).first?.job { return job }
      throw error
    }
    // The last line of the answer is `JOB` or `JOB;CLUSTER`. A plugin of the site may print lines before it, and
    // wrappers may print a sentence instead.
    let last = answer.output.split(separator: "\n").last ?? ""
    let sentence = "Submitted batch job "
    let job = (last.hasPrefix(sentence) ? last.dropFirst(sentence.count) : last).prefix { $0 != ";" && $0 != " " }
    guard !job.isEmpty, job.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .unexpectedAnswer("sbatch", answer.output)
    }
    return String(job)
  }

  /// Returns the user's jobs with one of these names, including ended ones that are still in the queue. Each task of an
  /// array is listed separately.
  package func tasks(named names: [String]) throws(SlurmError) -> [QueuedTask] {
    let answer = try programs.run(
      "squeue",
      [
        "--noheader", "--array", "--states=all", "--user=\(getuid())", "--name=" + names.joined(separator: ","),
        "--format=" + QueuedTask.format,
      ])
    guard answer.ending == .exit(0) else { throw SlurmError(program: "squeue", errors: answer.errors) }
    return answer.output.split(separator: "\n").compactMap(QueuedTask.init(line:)).filter { names.contains($0.jobName) }
  }

  /// Cancels the user's jobs with one of these names.
  package func cancel(named names: [String]) throws(SlurmError) {
    for name in names {
      let answer = try programs.run("scancel", ["--name=" + name])
      guard answer.ending == .exit(0) else { throw SlurmError(program: "scancel", errors: answer.errors) }
    }
  }
}
