import ClusterRuns
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting

/// Options and helper functions that the commands for clusters share.
enum ClusterOptions {
  static let runs = CommandOption(
    name: "--runs", value: "DIR", help: "folder for scripts and logs of runs, which the nodes see, too",
    defaultValue: "~/.local/state/imghost/runs")
  static let detach = CommandOption(
    name: "--detach", value: nil, help: "print the run's name and return when it is submitted")

  /// The options that set the resources of each task, and other settings of its job.
  static let resources = [
    CommandOption(name: "--partition", value: "NAME", help: "partition of the cluster"),
    CommandOption(name: "--account", value: "NAME", help: "account that is charged"),
    CommandOption(name: "--time", value: "TIME", help: "time limit of each task, such as 30 (minutes) or 2:00:00"),
    CommandOption(
      name: "--task-memory", value: "SIZE", help: "memory of each task", defaultValue: "predicted by the plan"),
    CommandOption(name: "--task-cpus", value: "N", help: "processors of each task", defaultValue: "1"),
    CommandOption(
      name: "--sbatch", value: "FILE", help: "file with further lines '#SBATCH --option=value' for every task"),
  ]

  /// Sets the resources of a run to those that the options request.
  static func read(_ line: ParsedLine, into options: inout BatchOptions) throws(UsageError) {
    for name in ["--partition", "--account", "--time"] {
      guard let word = line.value(name), !BatchOptions.isPlain(word) else { continue }
      throw .badValue(option: name, value: word, expected: "a word of letters, digits and -_.,:@+/=")
    }
    options.partition = line.value("--partition") ?? options.partition
    options.account = line.value("--account") ?? options.account
    options.time = line.value("--time") ?? options.time
    options.taskMemory = try line.bytes("--task-memory") ?? options.taskMemory
    options.taskProcessors = try line.count("--task-cpus") ?? options.taskProcessors
    guard let path = line.value("--sbatch") else { return }
    let text: String
    do throws(FileError) {
      let file = try InputFile(path: path)
      text = String(decoding: try file.bytes(at: 0, count: file.byteCount), as: UTF8.self)
    } catch {
      throw .unusableFile(option: "--sbatch", path: path, problem: "\(error)")
    }
    do throws(BatchOptions.Mistake) {
      options.further = try BatchOptions.furtherOptions(in: text, of: path)
    } catch {
      throw .other("--sbatch: " + error.text)
    }
  }

  /// The options that are passed on unchanged to `run` and `merge` on the nodes.
  static let passed = RunCommand.writing.filter { option in
    !([
      "--design", "--dry-run", "--json", "--progress", "--shard", "--stage", "--trace", "--timeline", "--report",
      "--quiet", "--verbose", "--worker-command",
    ] + RunCommand.ofWholeRuns).contains(option.name)
  }

  static func showsProgress(_ line: ParsedLine) -> Bool {
    let choice = line.value("--progress") ?? "auto"
    return choice == "always" || choice == "auto" && Terminal.canShowProgress
  }

  /// Returns the current folder. Wraps `getcwd(3)`.
  static func workingFolder() throws(UsageError) -> String {
    guard let folder = getcwd(nil, 0) else { throw .other("the current folder: \(systemText(errno))") }
    defer { free(folder) }
    return PathBytes.text(folder)
  }

  /// Returns the folder that contains all runs.
  static func home(_ line: ParsedLine) throws(UsageError) -> String {
    let folder = RunFolder.home(
      runs: line.value("--runs"), workingFolder: try workingFolder(), environment: Executable.environment)
    guard let folder else { throw .other("HOME is not set; name a folder that the nodes see with --runs DIR") }
    // Slurm replaces `%a` and similar sequences in the names of logs, including their folders.
    if let mark = folder.utf8.first(where: { "%\\\n".utf8.contains($0) }) {
      throw .other(
        "\(printable(folder)): Slurm cannot keep logs in a folder with "
          + "'\(printable(String(UnicodeScalar(mark))))' in its path; name another one with --runs DIR")
    }
    return folder
  }

  /// Finds a run by its name or by its folder.
  static func run(_ line: ParsedLine) throws(UsageError) -> ClusterRun {
    try TrustedOwners.take(line)
    let word = try line.operand(0, "RUN")
    let home = try home(line)
    let folder = RunFolder(
      path: word.utf8.contains(UInt8(ascii: "/"))
        ? PathName.absolute(word, in: try workingFolder()) : home + "/" + word)
    if let problem = folder.problem { throw .other(problem.text) }
    guard let record = RunRecord(in: folder) else {
      let known = RunFolder.names(in: home).filter { RunName($0) != nil }
      throw .other(
        "no run '\(printable(word))' in \(ShellWord.quoted(printable(home)))"
          + (known.isEmpty
            ? "; give its folder, or --runs DIR"
            : "; the last ones there: " + known.suffix(5).map { printable($0) }.joined(separator: ", ")))
    }
    return ClusterRun(record, in: folder)
  }
}
