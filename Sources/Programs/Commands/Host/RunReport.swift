import ClusterRuns
import CommandInterface
import ImageCore
import ImageKernels
import ImagePipeline
import Platform
import Reporting
import RunTrace
import Scheduling

/// Collects the events of a run, and builds the page of `--report` at its end.
final class RunReport: Sendable {
  let log: ReportLog
  private let line: ParsedLine
  private let script: String
  private let isDryRun: Bool
  private let startedAt: String

  init?(_ line: ParsedLine, script: String) {
    guard line.has(TraceFiles.Kind.report.option) else { return nil }
    log = ReportLog()
    startedAt = MachineFacts.localTime()
    self.line = line
    self.script = script == "-" ? "standard input" : script
    isDryRun = line.has("--dry-run")
  }

  // MARK: - the end of a run

  /// Collects the facts about a finished run.
  ///
  /// - Parameters:
  ///   - source: returns the text of a line of the script.
  ///   - isCancelled: returns whether the user has cancelled the run. A report of a cancelled run has only the first
  ///     thumbnails.
  func facts(
    _ outcome: RunOutcome, _ workers: Int, source: (ScriptPosition) -> String?, isCancelled: () -> Bool
  ) -> ReportFacts {
    var facts = base(workers: workers)
    let run = outcome.run
    facts.status = Self.status(outcome, isDryRun: isDryRun)
    facts.totals = run.totals
    addMessages(&facts, outcome, source)
    let settings = run.graph.settings.declared.map { setting in
      let value = Self.isSecret(setting.parameter.name) ? "…" : setting.value?.text ?? "nil"
      return setting.parameter.name + " = " + value
    }
    if !settings.isEmpty { facts.machine.append(("Settings", settings.joined(separator: ", "))) }
    facts.plan = Array(run.results.planLines.prefix(Self.mostPlanLines))
    facts.isPlanCut = run.results.planLines.count > facts.plan.count
    var outputs = ReportOutputs(run, log.snapshot)
    if outcome.interruption == nil {
      outputs.makePictures(line, isCancelled: isCancelled)
    } else {
      outputs.makePictures(line, seconds: Self.secondsAfterInterruption)
    }
    outputs.put(into: &facts)
    return facts
  }

  /// The time limit for the thumbnails of an interrupted run, in seconds.
  static let secondsAfterInterruption = 2.0

  /// Returns a function that builds the page from a record of the threads' activity, for a run that ends early. The
  /// page has no plan.
  func cutShort(_ status: ExitStatus, _ workers: Int) -> (TraceRecord) -> String {
    var facts = base(workers: workers)
    facts.status = .init(isSuccess: false, text: "the run was ended before it was done")
    let state = log.snapshot
    facts.totals = state.totals
    facts.messages = state.messages
    var outputs = ReportOutputs(state)
    outputs.makePictures(line, seconds: Self.secondsAfterInterruption)
    outputs.put(into: &facts)
    return Self.page(facts)
  }

  /// Returns a function that builds the page from a record of the threads' activity.
  static func page(_ facts: ReportFacts) -> (TraceRecord) -> String {
    { record in
      var facts = facts
      if !record.steps.isEmpty { facts.timeline = Timeline(record).svg }
      return ReportPage(facts).html
    }
  }

  static let mostPlanLines = 300

  private func base(workers: Int) -> ReportFacts {
    var facts = ReportFacts()
    let state = log.snapshot
    facts.script = script
    facts.isDryRun = isDryRun
    facts.startedAt = startedAt
    facts.seconds = monotonicSeconds() - log.startedAt
    facts.furtherMessages = state.furtherMessages
    (facts.printed, facts.furtherPrinted) = (state.printed, state.furtherPrinted)
    facts.machine = machine(workers)
    return facts
  }

  // MARK: - parts

  private func addMessages(_ facts: inout ReportFacts, _ outcome: RunOutcome, _ source: (ScriptPosition) -> String?) {
    let known = log.snapshot.messages
    var messages: [ReportFacts.Message] = []
    if let cause = outcome.interruption { messages.append(.init(.error, "imghost: " + cause.text)) }
    messages += Diagnostic.byPlace(outcome.run.graph.mistakes).map { .init(.error, $0) }
    if let failure = outcome.failure { messages.append(.init(.error, failure)) }
    messages += known.filter { $0.kind == .error } + known.filter { $0.kind != .error }
    messages += outcome.notes.map { .init(.note, $0) }
    var seen: Set<String> = []
    messages = messages.filter { seen.insert($0.text).inserted }
    facts.messages = messages.prefix(ReportLog.mostMessages).map { message in
      var message = message
      message.sourceLine = message.position.flatMap(source)
      return message
    }
    facts.furtherMessages += messages.count - facts.messages.count + outcome.run.graph.furtherMistakes
  }

  private static func status(_ outcome: RunOutcome, isDryRun: Bool) -> ReportFacts.ExitStatusText {
    let (run, totals) = (outcome.run, outcome.run.totals)
    let text: String
    switch outcome.status {
    case .success where isDryRun: return .init(isSuccess: true, text: "no mistakes found; a dry run writes nothing")
    case .success where run.results.documentReports.contains(where: { !$0.isSound }):
      return .init(isSuccess: true, text: "the script ended well; a PDF that it checked did not verify")
    case .success where totals.written == 0: return .init(isSuccess: true, text: "the script ended without outputs")
    case .success:
      let isProven = run.jobs.contains { $0.result.verification != nil }
      return .init(isSuccess: true, text: "everything is written" + (isProven ? " and verified" : ""))
    case .scriptFailed: text = "the script has mistakes"
    case .wrongUsage: text = "a setting of the command line is wrong"
    case .notVerified: text = "everything is written, but a PDF did not verify"
    case .someFailed
    where outcome.hasUnwrittenFiles && run.graph.mistakes.isEmpty && run.failures.isEmpty && !outcome.stopped:
      return .init(isSuccess: false, text: "the outputs are written, but a file that describes them is not")
    case .someFailed where outcome.interruption == nil:
      text = run.graph.mistakes.isEmpty ? "some outputs are missing" : "pictures cannot be read"
    default: text = outcome.interruption.map { $0.text } ?? "the run failed"
    }
    return .init(isSuccess: false, text: totals.written == 0 ? text + "; nothing is written" : text)
  }

  private func machine(_ workers: Int) -> [(name: String, value: String)] {
    let machine = Machine.detect()
    return [
      ("imghost", CommandList.version), ("Command", command), ("System", MachineFacts.system),
      ("Processor", MachineFacts.processor ?? "unknown"),
      ("Workers", "\(workers) of \(machine.onlineCores) processors"),
      ("Kernels", InstructionSet.current.rawValue),
      ("Free memory", SummaryLine.size(machine.availableMemory)),
    ]
  }

  private static func isSecret(_ name: some StringProtocol) -> Bool {
    ["password", "secret", "token"].contains(where: name.lowercased().contains)
  }

  /// The command line. Values of settings and options whose names suggest secrets are left out, because pages are
  /// shared.
  private var command: String {
    var hidesNext = false
    let words = commandWords.dropFirst().map { word in
      if hidesNext {
        hidesNext = false
        return "…"
      }
      // The name of a setting follows `--set=`.
      let name = word.hasPrefix("--set=") ? word.dropFirst("--set=".count) : word[...]
      guard let sign = name.firstIndex(of: "=") else {
        hidesNext = word.hasPrefix("--") && Self.isSecret(word)
        return ShellWord.quoted(word)
      }
      return ShellWord.quoted(Self.isSecret(name[..<sign]) ? word[...sign] + "…" : word)
    }
    return (["imghost"] + words).joined(separator: " ")
  }
}
