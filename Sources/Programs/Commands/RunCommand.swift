import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginCodecs
import Reporting
import Scheduling

enum RunCommand: Command {
  static let name = "run"
  static let summary = "run a script and write its outputs"
  static let operands = "SCRIPT|-e CODE [ARGS…]"
  static let leavesRestToScript = true
  static let options = [ScriptOptions.code] + writing + [RunWatch.option]
  static let durable = CommandOption(
    name: "--durable", value: nil,
    help: "wait until each file is on the disk before it gets its name, and its name before the run goes on")
  /// The names of options that only whole runs support: shards and merges refuse them.
  static let ofWholeRuns = [RecordedRun.prune.name, DependencyFile.option.name]
  /// The options of all commands that write outputs.
  static let writing =
    ScriptOptions.all + [
      CommandOption(
        name: "--out", value: "DIR",
        help: "folder for outputs with relative paths", defaultValue: "the current one"),
      CommandOption(
        name: "--confine", value: nil,
        help: "refuse outputs outside the folder of --out"),
      CommandOption(
        name: "--on-error", value: "WHAT", help: "how to continue after a failed output",
        choices: RunOptions.OnError.allCases.map(\.rawValue), defaultValue: "stop"),
      CommandOption(
        name: "--qos", value: "CLASS", help: "service class of jobs without one",
        choices: QualityOfService.allCases.map(\.name), defaultValue: "default"),
      CommandOption(
        name: "--shard", value: "K/N",
        help: "make only part K of N, from 0; auto/N takes K from Slurm, Kubernetes or AWS Batch"),
      CommandOption(
        name: "--stage", value: "DIR",
        help: "copy each picture into this folder before it is decoded; for slow shared storage"),
      CommandOption(
        name: "--dry-run", value: nil, help: "check the script and print the plan; write nothing"),
      CommandOption(
        name: "--json", value: nil, help: "print events on standard output, one JSON object a line"),
      CommandOption.quiet, CommandOption.verbose, CommandOption.progress,
      ManifestFile.option, DependencyFile.option, DesignFile.option, durable,
    ]
    + RecordedRun.options + [
      CommandOption(
        name: "--isolate", value: "WHAT",
        help: "decoders that run in confined processes: those of plugins, or JPEG and PNG, too",
        choices: CodecIsolation.allCases.map(\.rawValue), defaultValue: "codecs"),
      CommandOption(
        name: "--in-process", value: nil,
        help: "run plugins in imghost's own process, without isolation; only for code you trust"),
      WorkerCommand.option,
      CommandOption(
        name: TraceFiles.Kind.trace.option, value: "FILE",
        help: "record the work of every thread as Chrome trace events, for Perfetto"),
      CommandOption(
        name: TraceFiles.Kind.timeline.option, value: "FILE.svg",
        help: "draw the work of every thread as a picture for browsers"),
      CommandOption(
        name: TraceFiles.Kind.report.option, value: "FILE.html",
        help: "write a page about the run: small pictures, failures, verification, timeline, plan"),
    ]
  /// The exit statuses of all commands that run a script.
  static let exitStatus = """
    Exit status: 0 everything is written and, where asked, verified; 1 some outputs failed or
    pictures are missing; 2 wrong usage; 3 the script failed; 4 a PDF did not verify; 128 plus the
    number of the signal that ended the run: 130 for Ctrl-C, 143 for SIGTERM.
    """
  static let details = """
    SCRIPT may be - for standard input, or a pipe. The script finds ARGS in its table 'arg'.
    In CODE, 'img' is the module. Pictures may be read from standard input and written to standard
    output as well: img.open("-"), picture:save("-", { format = "jpg" }).

    With --only-changed, running again is resuming: after an interruption, a kill or a power cut, the
    same command makes the rest. With --shard, that is always so.

    With --in-process, a plugin that crashes, hangs or damages memory ends the whole run. It has no
    time limit, and may use your files and the network. The outputs are the same.

    \(exitStatus)
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let options = RunOptions(line)
    try RunReporter.check(line)
    if let folder = options.stageFolder, let problem = OutputPlaces.problem(withFolder: folder) {
      throw .unusableFile(option: "--stage", path: folder, problem: problem)
    }
    let part = try line.value("--shard").map { text throws(UsageError) in try ShardIndex.option(text) }
    if part != nil, options.isDryRun {
      throw .other("--shard and --dry-run contradict each other; 'imghost plan --shards N' shows all shards")
    }
    if part != nil, line.has(ScriptOptions.code.name) {
      throw .other("--shard and -e contradict each other; write the code to a file, which every shard can read")
    }
    if line.has(RunWatch.option.name) {
      guard !line.has(ScriptOptions.code.name) else { throw .other("\(RunWatch.option.name) needs a script in a file") }
      return try RunWatch.run(line, script: try line.operand(0, "SCRIPT"))
    }
    return try ScriptRunner.run(
      line, options: options, reporter: RunReporter(line), text: ScriptOptions.text(line),
      part: part.map { .shard($0) } ?? .whole)
  }
}

extension RunOptions {
  /// Reads the options of commands that write outputs.
  init(_ line: ParsedLine) {
    self.init()
    outputFolder = line.value("--out") ?? "."
    isConfined = line.has("--confine")
    onError = line.value("--on-error").flatMap(RunOptions.OnError.init) ?? .stop
    defaultQoS = line.value("--qos").flatMap(QualityOfService.init(name:)) ?? .default
    isDryRun = line.has("--dry-run")
    stageFolder = line.value("--stage")
  }
}

extension RunReporter {
  /// Creates the reporter that the options request.
  convenience init(
    _ line: ParsedLine, mistakeStatus: ExitStatus = .scriptFailed,
    words: @escaping @Sendable (Diagnostic) -> String = { $0.text }
  ) {
    let progress = line.value("--progress") ?? "auto"
    let isAutomatic = Terminal.canShowProgress && !line.has("--json") && !line.has("--quiet")
    self.init(
      asJSON: line.has("--json"),
      showsProgress: progress == "always"
        // A debugger talks to its user on the same terminal, so progress lines would disturb it.
        || progress == "auto" && isAutomatic && !line.has(WorkerCommand.option.name),
      verbosity: line.has("--quiet") ? .quiet : line.has("--verbose") ? .verbose : .normal,
      mistakeStatus: mistakeStatus, words: words)
  }

  static func check(_ line: ParsedLine) throws(UsageError) {
    guard line.has("--quiet"), line.has("--verbose") else { return }
    throw .other("--quiet and --verbose contradict each other; give one of them")
  }
}
