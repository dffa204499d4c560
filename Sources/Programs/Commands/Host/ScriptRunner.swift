import CProcesses
import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import LuaRuntime
import Platform
import PluginCodecs
import Reporting
import Scheduling

/// Runs a script from the command line: prepares the run, and turns the result into messages and an exit status.
enum ScriptRunner {
  /// A script that is not in a file.
  struct Text {
    /// The name of the script in messages.
    let name: String
    let source: [UInt8]
    /// The script's arguments, in `arg`.
    let arguments: [String]
    /// Mistakes in the command line that the script was generated from. They are reported with the script's own
    /// mistakes, and nothing is written.
    var mistakes: [Diagnostic] = []
  }

  /// - Parameters:
  ///   - text: the script; nil to read the file that the first operand names.
  ///   - tests: the mode for a script of tests; nil for any other script.
  ///   - patience: the time limit of the script and the run in seconds; nil for the limits on the command line.
  ///   - onEnd: called with the run after its end, whether it succeeded or not.
  static func run(
    _ line: ParsedLine, options: RunOptions, reporter: RunReporter, text: Text? = nil,
    part: RequestedPart = .whole, tests: TestMode? = nil, patience: Double? = nil,
    onEnd: (Run, ExitStatus) -> Void = { _, _ in }
  ) throws(UsageError) -> ExitStatus {
    try TrustedOwners.take(line)
    if line.has(RunCommand.durable.name) { DurableWrites.turnOn() }
    let setup = try Setup(line, text, tests: tests, patience: patience)
    let source = try Interruption.limiting(setup.timeout) { () throws(UsageError) in try Self.source(setup, text) }
    if text == nil, let misplaced = line.optionsAfterOperand, !ScriptSession.mayReadArguments(source) {
      throw .other(
        "'\(misplaced.option)' stands after the script, which reads no arguments; write it before the script: "
          + misplaced.corrected)
    }
    let sharded: ShardedRun
    do throws(ShardedRun.Problem) {
      sharded = try ShardedRun(part, line, script: setup.script, source: source, options)
    } catch {
      for problem in error.lines { Terminal.error("imghost: " + problem) }
      return .someFailed
    }
    let report = RunReport(line, script: setup.script)
    let host = try environment(line, setup, reporter, report)
    // Temporary files exist from here on, and an interrupted run must remove them.
    Interruption.block()
    var options = options
    (options.part, options.memoryLimit) = (sharded.part, setup.memoryLimit)
    let recorded =
      try tests == nil
      ? RecordedRun(
        line, script: setup.script, source, isFile: text == nil, timeout: setup.timeout, &options, reporter, host) : nil
    let observers: RunObservers
    do throws(UsageError) {
      observers = try RunObservers(
        line, script: setup.script, &options, reporter, sharded, report, recorded, workers: setup.workers)
    } catch {
      recorded?.abandon()
      throw error
    }
    let cancellation = CancellationToken()
    let interruption = Interruption(
      cancellation: cancellation, timeout: setup.timeout,
      beforeExit: { [requested = options.requested] status in
        observers.cutShort(status, requested: requested.value, by: cancellation.reason)
      })
    shim_keep_memory_small(Int32(setup.workers))
    MemoryShortage.onEnd { Terminal.progress("") }
    let scheduler = observers.scheduler(memory: setup.memory)
    let run = Run(
      environment: host.environment, options: options, scheduler: scheduler, cancellation: cancellation,
      observer: observers.observe)
    let session = session(run, setup, host, observers)
    if text == nil, setup.script != "-" { run.graph.addScript(setup.script) }
    text?.mistakes.forEach(run.graph.note)
    var outcome = outcome(of: run, session, source, setup, sharded, recorded, observers)
    outcome.interruption = interruption.cause
    observers.describeOutputs(of: &outcome, on: scheduler, host.plugins)
    scheduler.invalidate()
    host.invalidate()
    observers.writeReportAndDrawings(&outcome, interruption, source: session.line)
    // Some temporary files belong to objects that live until the process ends.
    TemporaryFiles.removeAll()
    observers.finish(&outcome)
    sharded.tidy(run, setup.script, outcome.status)
    onEnd(run, outcome.status)
    return outcome.status
  }

  /// Runs the script, and returns the outcome. The script does not run if nothing has changed since its last run. In a
  /// merge, it does not run if the shards have recorded everything that the merge needs, and no observer describes
  /// pictures.
  private static func outcome(
    of run: Run, _ session: ScriptSession, _ source: [UInt8], _ setup: Setup, _ sharded: ShardedRun,
    _ recorded: RecordedRun?, _ observers: RunObservers
  ) -> RunOutcome {
    var notes: [String]?
    if let unchanged = recorded?.unchangedRun() {
      unchanged.printed.forEach(observers.printed)
      run.keep(unchanged.outputs)
      notes = []
    } else if !observers.describesPictures {
      notes = sharded.mergeRecorded(run, print: observers.printed)
    }
    let (failure, stopped) = notes == nil ? execute(session, run, source, setup) : (nil, false)
    return RunOutcome(
      run: run, failure: failure, stopped: stopped, notes: notes ?? Self.notes(session, setup),
      mistakeStatus: observers.reporter.mistakeStatus)
  }

  private static func source(_ setup: Setup, _ text: Text?) throws(UsageError) -> [UInt8] {
    if let text { return text.source }
    do throws(FileError) {
      return try readScript(setup.script)
    } catch {
      throw .other("\(printable(setup.script)): \(error)")
    }
  }

  /// Creates the environment of the run. Throws an error if options contradict each other, or if a plugin that
  /// `--isolate all` needs is missing.
  private static func environment(
    _ line: ParsedLine, _ setup: Setup, _ reporter: RunReporter, _ report: RunReport?
  ) throws(UsageError) -> HostEnvironment {
    let host = HostEnvironment(
      workers: setup.workers, memory: setup.memory, pluginsInProcess: line.has("--in-process"),
      isolation: line.value("--isolate").flatMap(CodecIsolation.init) ?? .codecs,
      workerCommand: try WorkerCommand.value(line),
      onPluginEvent: {
        reporter.observe($0)
        report?.log.observe($0)
      })
    let missing = host.codecs.missing
    guard missing.isEmpty else {
      throw .other(
        "--isolate all needs the plugin '\(missing[0])', which 'imghost plugins' does not list; install it beside imghost"
      )
    }
    return host
  }

  private static func session(
    _ run: Run, _ setup: Setup, _ host: HostEnvironment, _ observers: RunObservers
  ) -> ScriptSession {
    ScriptSession(
      run: run, options: setup.session(host.luaPlugins), onPrint: observers.printed,
      onOverrun: { [script = setup.script] message in
        observers.endOverrun(Diagnostic(.script, at: ScriptPosition(file: script, line: 1), message: message))
        TemporaryFiles.removeAll()
        Terminal.error("\(printable(setup.script)): \(message)")
        _exit(ExitStatus.scriptFailed.rawValue)
      })
  }

  /// Runs the script to its end. Returns the script's error, if any, and whether the script ended early.
  private static func execute(_ session: ScriptSession, _ run: Run, _ source: [UInt8], _ setup: Setup)
    -> (failure: Diagnostic?, stopped: Bool)
  {
    do throws(ScriptSession.Failure) {
      try session.execute(
        source: source, name: setup.script == "-" ? "stdin" : setup.script, arguments: setup.arguments)
      return (nil, false)
    } catch {
      run.abandon()
      if case .script(let diagnostic) = error { return (diagnostic, true) }
      return (nil, true)
    }
  }

  /// Returns the notes about settings and arguments that the script never reads.
  private static func notes(_ session: ScriptSession, _ setup: Setup) -> [String] {
    let settings = session.unusedSettings.map { "unused setting '\(printable($0))': the script never reads it" }
    guard !setup.arguments.isEmpty, !session.readsArguments else { return settings }
    return settings + [
      "the script never reads its arguments: "
        + setup.arguments.map { ShellWord.quoted(printable($0)) }.joined(separator: " ")
    ]
  }

  /// The values that a run takes from the command line.
  private struct Setup {
    let script: String
    let arguments: [String]
    let workers: Int
    let memory: Int
    let memoryLimit: Int
    let timeout: Double?
    private let options: ScriptSession.Options

    func session(_ plugins: LuaPluginFiles) -> ScriptSession.Options {
      var options = options
      options.plugins = plugins
      return options
    }

    init(_ line: ParsedLine, _ text: Text?, tests: TestMode?, patience: Double?) throws(UsageError) {
      script = if let text { text.name } else { try line.operand(0, "SCRIPT") }
      arguments = text?.arguments ?? Array(line.operands.dropFirst())
      let machine = Machine.detect()
      workers = min(try line.count("--jobs") ?? machine.effectiveCores, machine.mostWorkers)
      memory = try line.bytes("--memory") ?? machine.defaultMemoryBudget
      memoryLimit = max(memory, machine.availableMemory)
      timeout = if let patience { patience } else { try line.seconds("--timeout") }
      let settings = try ScriptOptions.settings(line)
      var limits = LuaLimits()
      if let seconds = try line.seconds("--script-time") { limits.seconds = seconds }
      if let patience { limits.seconds = patience }
      limits.memoryBytes = try line.bytes("--script-memory") ?? limits.memoryBytes
      var options = ScriptSession.Options(version: CommandList.version, settings: settings, limits: limits)
      options.tests = tests
      self.options = options
    }
  }

  private static let mostScriptBytes = 16 << 20

  /// Reads a script of at most 16 MiB from a file, a pipe, or standard input (`-`).
  static func readScript(_ path: String) throws(FileError) -> [UInt8] {
    guard path == "-" else {
      let file = try InputFile(pathOrPipe: path)
      guard file.byteCount <= mostScriptBytes else { throw FileError(.read, path: path, code: EFBIG) }
      return try file.bytes(at: 0, count: file.byteCount)
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileError(.read, path: path, code: errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= mostScriptBytes else { throw FileError(.read, path: path, code: EFBIG) }
    }
  }
}
