import CommandInterface
import ImagePipeline

/// The two batch scripts of a run, for `sbatch`. Any POSIX shell can run them.
package struct BatchScripts {
  private let record: RunRecord

  package init(_ record: RunRecord) { self.record = record }

  /// The shell expression for the folder of staged files on a node, from an environment variable.
  private static let stageFolder = "\"${SLURM_TMPDIR:-${TMPDIR:-/tmp}}\""

  /// The script of the array job: one shard for each task.
  package var job: String {
    let count = record.division.shards
    return script(
      purpose:
        "Makes one of \(count) shard\(count == 1 ? "" : "s") of '\(printable(record.command.script))' in each task.",
      options: [
        "--job-name=" + record.name.arrayJob, "--array=0-\(count - 1)", "--requeue",
        // A restarted task appends to its log.
        "--open-mode=append", "--output=" + RunFolder.logs + "/shard-%a.log",
      ],
      words: ["run", "--shard auto/\(count)"]
        + (record.command.isStaged ? ["--stage=" + Self.stageFolder] : [])
        // Only the merge knows all outputs.
        + sharedWords(but: ["--manifest"]),
      ending: record.command.stopsAtFailure
        ? nil
        : """
        # The manifest names pictures that failed, and the merge reports them.
        if [ "$status" -eq 1 ]; then exit 0; fi

        """)
  }

  /// The script of the merge.
  package var merge: String {
    script(
      purpose: "Merges the shards of '\(printable(record.command.script))' when all of them are made.",
      options: [
        "--job-name=" + record.name.mergeJob, "--requeue", "--open-mode=truncate",
        "--output=" + RunFolder.mergeOutput, "--error=" + RunFolder.mergeLog,
      ],
      words: ["merge", "--shards=\(record.division.shards)"] + sharedWords(),
      ending: """
        # Tells 'imghost status' how it ended: whole or not at all.
        printf '%s\\n' "$status" > "$run/.\(RunFolder.mergeStatus)" \\
          && mv -- "$run/.\(RunFolder.mergeStatus)" "$run/\(RunFolder.mergeStatus)"

        """)
  }

  /// Returns the options of the run except those named in `left`, with limits on workers and memory if the run sets
  /// none, followed by the script and its arguments. All words are quoted for the shell.
  private func sharedWords(but left: [String] = []) -> [String] {
    let given = record.command.words.filter { word in !left.contains { word.hasPrefix($0 + "=") } }
    var words = given.map(ShellWord.quoted)
    // Not all clusters limit a task to its processors and its memory, so imghost limits itself.
    if !given.contains(where: { $0.hasPrefix("--jobs=") }) { words.append("--jobs=\"${SLURM_CPUS_ON_NODE:-1}\"") }
    if !given.contains(where: { $0.hasPrefix("--memory=") }) {
      words.append("--memory=\(record.batch.pictureMemory >> 20)M")
    }
    return words + (["-- " + ShellWord.quoted(record.command.script)] + record.command.arguments.map(ShellWord.quoted))
  }

  /// - Parameters:
  ///   - options: the options of sbatch that the run depends on. They come last, so that no other option overrides
  ///     them.
  ///   - ending: the lines that run after imghost has ended, with its exit status in the variable `status`; nil if
  ///     imghost takes the place of the shell.
  private func script(purpose: String, options: [String], words: [String], ending: String?) -> String {
    let command = ([ShellWord.quoted(record.command.program) + " " + words[0]] + words.dropFirst()).joined(
      separator: " \\\n  ")
    // If a job is cancelled while the shell starts imghost, the signal may reach only the shell. If the shell ended
    // then, imghost would go on without a job, and Slurm could not find it.
    let lines =
      ending.map {
        """
        # Without a trap, a signal could end this shell and leave imghost running.
        trap 'exit 143' TERM
        \(command)
        status=$?
        \($0)exit "$status"

        """
      } ?? "exec \(command)\n"
    return """
      #!/bin/sh
      # \(purpose)
      # Written by 'imghost submit' \(record.command.version); 'imghost resume \(record.reference)' submits it again.
      \((record.batch.lines + options).map { "#SBATCH " + $0 }.joined(separator: "\n"))

      # A controller that has forgotten the end of a run may start its jobs again.
      run=\(ShellWord.quoted(record.folder))
      if [ -e "$run/\(RunFolder.mergeStatus)" ]; then exit 0; fi

      cd -- \(ShellWord.quoted(record.command.workingFolder)) || exit 1
      \(lines)
      """
  }
}
