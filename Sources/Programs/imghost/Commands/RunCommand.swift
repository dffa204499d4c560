import ImagePipeline
import Scheduling

/// `imghost run`.
enum RunCommand: Command {
  static let name = "run"
  static let summary = "run a script and write what it asks for"
  static let operands = "SCRIPT [ARGS…]"
  static let leavesRestToScript = true
  static let options =
    ScriptOptions.all + [
      CommandOption(name: "--out", value: "DIR", help: "put relative outputs into DIR"),
      CommandOption(
        name: "--confine", value: nil,
        help: "write nothing outside the folder given with --out, or outside the current one"),
      CommandOption(
        name: "--on-error", value: "WHAT", help: "what a failed output does to the rest",
        choices: RunOptions.OnError.allCases.map(\.rawValue)),
      CommandOption(
        name: "--qos", value: "CLASS", help: "class of service of jobs that do not say",
        choices: QualityOfService.allCases.map(\.name)),
      CommandOption(
        name: "--dry-run", value: nil, help: "check the script and print the plan, write nothing"),
      CommandOption(
        name: "--json", value: nil, help: "print one event a line on standard output as JSON"),
      CommandOption(
        name: "--progress", value: "WHEN", help: "show progress on standard error",
        choices: ["auto", "always", "never"]),
      CommandOption(
        name: "--in-process", value: nil,
        help: "run plugins in imghost's own process, unprotected; only for code you trust"),
      CommandOption(
        name: TraceFiles.Kind.trace.option, value: "FILE",
        help: "write what ran where as Chrome trace events, for chrome://tracing or Perfetto"),
      CommandOption(
        name: TraceFiles.Kind.timeline.option, value: "FILE.svg",
        help: "draw what ran where, for any browser"),
    ]
  static let details = """
    With --in-process a plugin that crashes, hangs or writes where it may not takes the whole run
    with it, has no deadline, and may use files and the network as you may. Results are the same.
    SCRIPT may be - for standard input. ARGS are the script's own, in its table 'arg'.
    Exit status: 0 everything written and, where asked, verified; 1 some outputs failed or
    pictures are not there; 2 wrong usage; 3 the script failed; 4 a PDF did not verify; 128 and
    the signal's number where one ended the run: 130 for Ctrl-C, 143 for SIGTERM.
    """

  static func run(_ line: ParsedLine) -> ExitStatus {
    var options = RunOptions()
    options.outputFolder = line.value("--out") ?? "."
    options.isConfined = line.has("--confine")
    options.onError = line.value("--on-error").flatMap(RunOptions.OnError.init) ?? .stop
    options.defaultQoS = line.value("--qos").flatMap(QualityOfService.init(name:)) ?? .default
    options.isDryRun = line.has("--dry-run")
    let progress = line.value("--progress") ?? "auto"
    let observer = RunReporter(
      asJSON: line.has("--json"),
      showsProgress: progress == "always"
        || (progress == "auto" && Terminal.canShowProgress && !line.has("--json")))
    return ScriptRunner.run(line, command: name, options: options, reporter: observer)
  }
}

/// `imghost check`.
enum CheckCommand: Command {
  static let name = "check"
  static let summary = "find every mistake of a script without decoding a picture"
  static let operands = "SCRIPT [ARGS…]"
  static let leavesRestToScript = true
  static let options = ScriptOptions.all

  static func run(_ line: ParsedLine) -> ExitStatus {
    var options = RunOptions()
    options.isDryRun = true
    let reporter = RunReporter(asJSON: false, showsProgress: false, printsPlan: false)
    let status = ScriptRunner.run(line, command: name, options: options, reporter: reporter)
    if status == .success { Terminal.output("\(line.operands[0]): no mistakes found") }
    return status
  }
}

/// Options of every command that runs a script.
enum ScriptOptions {
  static let all = [
    CommandOption(
      name: "--set", value: "KEY=VALUE", help: "give the script a setting: img.settings.KEY",
      repeats: true),
    CommandOption(
      name: "--jobs", value: "N", help: "workers; as many as processors may be used if not given"),
    CommandOption(
      name: "--memory", value: "SIZE",
      help: "bytes for pictures in work, such as 512M; half of what is free if not given"),
    CommandOption(
      name: "--script-time", value: "SECONDS",
      help: "time the script may take, without what it waits for; 30 if not given"),
    CommandOption(
      name: "--script-memory", value: "SIZE",
      help: "memory the script's own values may take; 256M if not given"),
    CommandOption(
      name: "--timeout", value: "SECONDS",
      help: "stop after so long, whatever is under way; no limit if not given"),
  ]
}
