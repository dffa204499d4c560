import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import LuaRuntime
import Platform
import PluginCodecs
import PreviewServer
import Reporting
import Scheduling

/// Evaluates a script repeatedly for a preview, as `imghost check` does, and keeps the resulting plan.
final class ScriptPreview: ScriptEvaluator {
  private let script: String
  private let arguments: [String]
  private let line: ParsedLine
  private let host: HostEnvironment
  private let scheduler: Scheduler
  private let limits: LuaLimits
  private let settings: [String: String]
  private let memoryLimit: Int
  /// The function that ends the current evaluation; nil if none is running.
  private let running = Monitor<(@Sendable () -> Void)?>(nil)
  /// The digest of the script that hung, and the message about it, if this program has restarted itself for that
  /// reason. Nil after the first evaluation.
  private let reason: Monitor<(digest: String, message: String)?>
  /// Called before this program restarts itself. Set it before an evaluation can exceed its time limit.
  var onRestart: @Sendable () -> Void {
    get { restart.withLock { $0 } }
    set { restart.withLock { $0 = newValue } }
  }
  private let restart = Monitor<@Sendable () -> Void>({})
  /// Whether this program has restarted itself.
  let isRestart: Bool

  init(_ line: ParsedLine, script: String) throws(UsageError) {
    self.line = line
    self.script = script
    try TrustedOwners.take(line)
    arguments = Array(line.operands.dropFirst())
    let machine = Machine.detect()
    let workers = min(try line.count("--jobs") ?? machine.effectiveCores, machine.mostWorkers)
    let memory = try line.bytes("--memory") ?? machine.defaultMemoryBudget
    memoryLimit = max(memory, machine.availableMemory)
    var limits = LuaLimits()
    limits.seconds = try line.seconds("--script-time") ?? 5
    limits.memoryBytes = try line.bytes("--script-memory") ?? limits.memoryBytes
    self.limits = limits
    settings = try ScriptOptions.settings(line)
    let reason = Executable.environment(Self.reasonVariable)
    unsetenv(Self.reasonVariable)
    isRestart = reason != nil
    self.reason = Monitor(
      reason.map {
        let parts = $0.split(separator: " ", maxSplits: 1)
        return (String(parts.first ?? ""), String(parts.last ?? ""))
      })
    host = HostEnvironment(workers: workers, memory: memory, pluginDeadline: .seconds(5))
    scheduler = Scheduler(Scheduler.Configuration(workers: workers, memoryBudget: memory))
    scheduler.activate()
  }

  var parts: PreviewServer.Parts {
    let (script, arguments, owners) = (script, arguments, TrustedOwners.words(line))
    return PreviewServer.Parts(
      script: script, environment: host.environment, scheduler: scheduler, evaluator: self, settings: settings,
      addressFolder: Self.addressFolder, memoryLimit: memoryLimit,
      runWords: { settings, timeline in
        ["run", "--json", "--timeline", timeline] + owners
          + settings.sorted { $0.key < $1.key }.map { "--set=\($0.key)=\($0.value)" } + [script] + arguments
      })
  }

  /// imghost's folder among the user's runtime files, or else among the user's caches; nil if there is neither. Created
  /// if it is missing.
  private static var addressFolder: String? {
    let runtime = Executable.environment("XDG_RUNTIME_DIR").flatMap { PathName.isAbsolute($0) ? $0 + "/imghost" : nil }
    let cache = HostEnvironment.descriptionFolder.flatMap { PathName.folder($0).map(String.init) }
    guard let folder = runtime ?? cache else { return nil }
    FolderFiles.make(folder)
    return folder
  }

  func invalidate() {
    scheduler.invalidate()
    host.invalidate()
  }

  func stop() { running.withLock { $0 }?() }

  func evaluate(_ settings: [String: String]) -> ScriptEvaluation? {
    let source: [UInt8]
    do throws(FileError) {
      source = try ScriptRunner.readScript(script)
    } catch {
      var evaluation = ScriptEvaluation(error.code == ENOENT ? .missing : .mistakes)
      evaluation.messages = [.init(.mistake, "\(printable(script)): \(error)")]
      return evaluation
    }
    let digest = SHA256.digest(of: source).description
    let reason = reason.withLock { reason in
      defer { reason = nil }
      return reason
    }
    // If the script was edited while it hung, the mistake may be gone.
    if let reason, reason.digest == digest {
      var evaluation = ScriptEvaluation(.stuck)
      evaluation.messages = [.init(.mistake, "\(printable(script)): \(reason.message)")]
      return evaluation
    }
    let notes = Monitor<[ScriptEvaluation.Message]>([])
    var options = RunOptions()
    options.isDryRun = true
    options.keepsPlan = true
    options.memoryLimit = memoryLimit
    let run = Run(
      environment: host.environment, options: options, scheduler: scheduler, cancellation: CancellationToken(),
      observer: { event in
        if case .note(let note) = event {
          notes.withLock { $0.append(.init(.note, note.textWithoutPosition, at: note.position)) }
        }
      })
    let session = ScriptSession(
      run: run,
      options: ScriptSession.Options(
        version: CommandList.version, settings: settings, limits: limits, plugins: host.luaPlugins),
      onPrint: { text in notes.withLock { if $0.count < 1_000 { $0.append(.init(.print, printable(text))) } } },
      onOverrun: { [restart] message in
        restart.withLock { $0 }()
        Self.startAgain(digest + " " + message)
      })
    run.graph.addScript(script)
    return evaluate(source, settings, session, run, notes)
  }

  private func evaluate(
    _ source: [UInt8], _ settings: [String: String], _ session: ScriptSession, _ run: Run,
    _ notes: Monitor<[ScriptEvaluation.Message]>
  ) -> ScriptEvaluation? {
    let (stopper, cancellation) = (session.stopper, run.cancellation)
    running.withLock {
      $0 = {
        cancellation.cancel()
        stopper()
      }
    }
    var failure: Diagnostic?
    var (hasEnded, wasStopped) = (true, false)
    do throws(ScriptSession.Failure) {
      try session.execute(source: source, name: script, arguments: arguments)
    } catch {
      wasStopped = cancellation.isCancelled
      run.abandon()
      hasEnded = false
      if case .script(let diagnostic) = error { failure = diagnostic }
    }
    // The session is released next, so `stop` must not use it any more.
    running.withLock { $0 = nil }
    if wasStopped { return nil }
    let mistakes = run.graph.mistakes + [failure].compactMap { $0 }
    var evaluation = ScriptEvaluation(mistakes.isEmpty && hasEnded ? .ok : .mistakes)
    evaluation.messages =
      mistakes.map { .init(.mistake, $0.textWithoutPosition, at: $0.position) } + notes.withLock { $0 }
    evaluation.graphs = run.results.checked
    evaluation.settings = (run.graph.settings.declared + run.graph.settings.controls).map { .object($0.json) }
    evaluation.unknownSettings = settings.keys.filter(run.graph.settings.isUnknown)
    evaluation.locale = run.graph.languageOfDates
    evaluation.files = [script] + session.sourcePaths + run.graph.sourcePaths
    return evaluation
  }

  /// The environment variable that tells a restarted program the reason.
  private static let reasonVariable = "IMGHOST_PREVIEW_STUCK"

  /// Restarts the whole program, because a script that hangs inside a function of Lua cannot be stopped in any other
  /// way. The page finds the new process at the same address.
  ///
  /// - Parameter reason: the script's digest and the message.
  private static func startAgain(_ reason: String) {
    setenv(reasonVariable, reason, 1)
    execProgram(ownProgram, commandWords)
    _exit(ExitStatus.scriptFailed.rawValue)
  }
}
