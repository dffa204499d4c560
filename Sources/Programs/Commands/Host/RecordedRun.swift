import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import RunRecords
import Scheduling
import Synchronization

/// The options of `--only-changed`, and the observer that records what a run writes.
struct RecordedRun: RunObserver {
  static let onlyChanged = CommandOption(
    name: "--only-changed", value: nil,
    help:
      "make only what is missing, and what another script, option or picture has changed since the last such run; "
      + "keeps records in .imghost, in the folder of --out")
  static let hash = CommandOption(
    name: "--hash", value: nil,
    help: "with --only-changed, compare the bytes of all files, and not only their sizes and times")
  static let explain = CommandOption(
    name: "--explain", value: nil, help: "with --only-changed, tell why each output is made")
  static let overwrite = CommandOption(
    name: "--overwrite", value: nil,
    help: "replace outputs, and the file of --design, even if somebody has changed them since")
  static let prune = CommandOption(
    name: "--prune", value: nil,
    help: "with --only-changed, remove unchanged outputs of earlier runs that the script no longer makes")
  static let noWait = CommandOption(
    name: "--no-wait", value: nil,
    help: "fail at once if another run of the script writes into the folder of --out")
  static let options = [onlyChanged, hash, explain, overwrite, prune, noWait]
  /// The options that require `--only-changed`.
  private static let dependent = [hash, explain, prune]

  private let records: RunRecords
  private let isExplicit: Bool
  /// Whether the run makes only the outputs of one shard.
  private let isShard: Bool
  private let prunes: Bool
  /// Whether the script makes every output in the records. False for a script that is not in a file, such as that of
  /// `convert`, because other command lines add their outputs to the same records.
  private let knowsAll: Bool
  /// Identifies the command line, the script and the environment; nil if the script has to run even if nothing has
  /// changed.
  private let context: SHA256Digest?
  private let host: HostEnvironment
  private let told = ToldLines()
  private let reporter: RunReporter

  /// Opens the records of a script, and sets them in the run's options.
  ///
  /// - Parameters:
  ///   - script: the script's path, or the name of one that is not in a file.
  ///   - source: the text of the script.
  ///   - isFile: whether the script is in a file.
  ///   - timeout: the time limit of the run in seconds; nil for none. It also limits the wait for another run.
  /// - Returns: nil for a plan or a merge; a merge gets `MergeRecords` in its options. Without `--only-changed`, also
  ///   nil if the records cannot be used. Without that option, also nil for a whole run that is dry or has no records.
  init?(
    _ line: ParsedLine, script: String, _ source: [UInt8], isFile: Bool, timeout: Double?, _ options: inout RunOptions,
    _ reporter: RunReporter, _ host: HostEnvironment
  ) throws(UsageError) {
    isExplicit = line.has(Self.onlyChanged.name)
    if !isExplicit, options.part.isWhole, let option = Self.dependent.first(where: { line.has($0.name) }) {
      throw .other("\(option.name) needs \(Self.onlyChanged.name)")
    }
    let shard = options.part.shard
    isShard = shard != nil
    if !options.part.isWhole, line.has(Self.prune.name) { throw .other("\(Self.prune.name) is for a whole run") }
    let (script, isFile) = Self.identity(script, isFile: isFile)
    guard options.part.isWhole || isShard else {
      guard options.part.finished != nil else { return nil }
      do throws(RunRecords.Problem) {
        options.records = try MergeRecords(
          outputFolder: options.outputFolder, script: script, isFile: isFile, overwrites: line.has(Self.overwrite.name))
      } catch {
        if case .unusable(let path, let reason) = error {
          throw .other("'\(printable(path))' \(reason); remove it, and merge again")
        }
      }
      return nil
    }
    if isExplicit, isShard { RunRecords.begin(outputFolder: options.outputFolder, script: script, isFile: isFile) }
    // Existing records are also updated without the option, so that a later run can rely on them.
    guard
      isExplicit || isShard
        || !options.isDryRun
          && RunRecords.exist(outputFolder: options.outputFolder, script: script, isFile: isFile, ofShards: true)
    else { return nil }
    (self.host, self.reporter) = (host, reporter)
    let mayLeaveAll = isExplicit && !isShard && isFile && !options.isDryRun
    context = mayLeaveAll ? RunContext.digest(line, script: script, source) : nil
    prunes = line.has(Self.prune.name)
    knowsAll = isFile
    if prunes, !isFile { throw .other("\(Self.prune.name) needs a script in a file, which tells all outputs") }
    var use = RunRecords.Options()
    use.makesAll = !isExplicit && !isShard
    use.hashesAll = line.has(Self.hash.name)
    use.overwrites = line.has(Self.overwrite.name)
    use.isDryRun = options.isDryRun
    use.threads = Machine.detect().effectiveCores
    let (explains, isDryRun) = (line.has(Self.explain.name), options.isDryRun)
    let other = "another run of \(shard.map { "shard \($0) of " } ?? "")'\(printable(script))'"
    let waiting = { (wait: () -> Void) in
      Terminal.error("imghost: waiting for \(other) into this folder", .note)
      Interruption.limiting(timeout) { Interruption.allowingSignals(wait) }
    }
    do throws(RunRecords.Problem) {
      records = try RunRecords(
        outputFolder: options.outputFolder, script: script, isFile: isFile, shard: shard, use,
        aroundWait: line.has(Self.noWait.name) ? nil : waiting
      ) { path, reason in
        if explains, isDryRun || reason != nil { reporter.explain(path, reason, isDryRun: isDryRun) }
      }
    } catch {
      switch error {
      case .locked: throw .other("\(other) writes into this folder; wait for its end")
      case .unusable(let path, let reason):
        guard isExplicit else {
          Self.noteUnrecorded(path, reason)
          return nil
        }
        throw Self.unusable(path, "\(reason); \(Self.removal)")
      case .unwritable(let error):
        guard isExplicit else {
          Self.noteUnrecorded(error.path, "cannot be written: \(error)")
          return nil
        }
        // If there is no folder of records, it could not be created in the folder of outputs.
        let hasFolder = FileIdentity(at: PathName.joined(options.outputFolder, ".imghost")) != nil
        guard hasFolder || ![EACCES, EPERM].contains(error.code) else {
          throw Self.unusable(options.outputFolder, "cannot be written: \(error); write elsewhere with --out")
        }
        throw Self.unusable(error.path, "cannot be written: \(error)\(Self.advice(on: error))")
      }
    }
    options.records = records
  }

  private static let removal = "remove it, or run without \(onlyChanged.name)"

  private static func noteUnrecorded(_ path: String, _ problem: String) {
    let effect = "this run is not recorded, and replaces files that were changed by hand"
    Terminal.error("imghost: note: '\(printable(path))' \(problem); \(effect)", .note)
  }

  private static func unusable(_ path: String, _ problem: String) -> UsageError {
    .other("\(onlyChanged.name): '\(printable(path))' \(problem)")
  }

  /// Returns advice for a record that cannot be written, as the end of a sentence; empty if the error suggests the
  /// remedy.
  private static func advice(on error: FileError) -> String {
    switch error.code {
    case ENOSPC, EMFILE, ENFILE: ""
    // The outputs could not be written either.
    case EROFS, EDQUOT: "; write elsewhere with --out"
    default: "; \(removal)"
    }
  }

  /// Returns a script's name in records, and whether it is the path of a file.
  private static func identity(_ script: String, isFile: Bool = true) -> (name: String, isFile: Bool) {
    script == "-" ? ("stdin", false) : (script, isFile)
  }

  /// Returns what the run reports if nothing has changed since the script's last run; nil if the script has to run.
  func unchangedRun() -> RunRecords.UnchangedRun? {
    guard let context else { return nil }
    return records.unchangedRun(in: context) { host.environment.recipes.answer(to: $0) }
  }

  /// Stores what a complete run depends on, so that the next one need not run the script if nothing has changed.
  private func storeInputs(of outcome: RunOutcome) {
    guard let context, outcome.status == .success, outcome.notes.isEmpty, let printed = told.printed,
      !reporter.hasPluginMessages,
      !outcome.run.graph.inputs.hasOthers
    else { return }
    let environment = host.environment
    records.storeInputs(
      of: outcome.run, in: context,
      code: { readsOthers in
        // These requests add their answers to `host.answers`. The recipes of outputs do not make them for texts that
        // are only measured, and for pictures that are read without being part of an output.
        if outcome.run.graph.inputs.drawsText { _ = environment.recipes.fonts() }
        for codec in readsOthers ? environment.codecs + environment.moreCodecs() : [] {
          if let path = codec.libraryPath { _ = environment.recipes.library(path) }
        }
        return host.answers.all
      }, printed: printed, further: RunContext.programs)
  }

  func observe(_ event: RunEvent) {
    switch event {
    case .failed, .note, .cancelled, .verified: told.addMessage()
    case .started, .pictureDone, .wrote, .kept: break
    }
  }

  func printed(_ line: String, outputTakesLines _: Bool) { told.add(line) }

  /// Removes the records' folder if it was created for a run that does not begin.
  func abandon() { records.abandon() }

  /// Adds the books that a merge has written to the records of its script.
  static func note(_ books: [Job.Output], of script: String, _ options: RunOptions) {
    let (name, isFile) = identity(script)
    RunRecords.note(
      books.map { ($0.key, $0.path) }, outputFolder: options.outputFolder, script: name, isFile: isFile)
  }

  /// Returns whether the records of a script are kept for later runs. They are if this command line requests them, or
  /// if an earlier one did.
  static func isWanted(_ line: ParsedLine, _ script: String, _ options: RunOptions) -> Bool {
    let (name, isFile) = identity(script)
    return line.has(onlyChanged.name)
      || RunRecords.exist(outputFolder: options.outputFolder, script: name, isFile: isFile, ofShards: false)
  }

  /// Records the outputs that were made. After a complete run with `--only-changed`, also removes or reports those that
  /// the script no longer makes.
  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _: PluginHost) -> Diagnostic? {
    let run = outcome.run
    if records.isLeftUnchanged { return nil }
    // A merge has removed the records of this shard in the meantime; see `ShardedRun`.
    if isShard, records.isForgotten { return nil }
    // A script that did not reach its end has not requested all its outputs.
    let isWhole = outcome.failure == nil && !outcome.stopped && outcome.interruption == nil
    // A pattern without files usually means that a disk or a folder is missing.
    let hasPictures = !run.graph.lacksPictures && !run.jobs.isEmpty
    let tidies = isWhole && isExplicit && knowsAll && !isShard && !run.options.isDryRun && hasPictures
    let removed = tidies ? tidied(run) : []
    if tidies { records.forgetUnfinished() }
    do throws(PictureError) {
      let changed = try records.finish(run, on: scheduler, removed: removed)
      if !changed.isEmpty { tell("\(Self.list(changed)) changed during the run; run again", of: run) }
      if tidies { storeInputs(of: outcome) }
      return nil
    } catch {
      return Diagnostic(
        .output, at: nil, subject: isShard ? nil : Self.onlyChanged.name,
        message: "what was made is not recorded, and will be made again: '\(printable(records.path))': "
          + error.description)
    }
  }

  /// Removes the outputs that the script no longer makes, or reports them. Returns the paths of the removed ones.
  private func tidied(_ run: Run) -> Set<RealPaths.Path> {
    let stale = records.stale(after: run)
    var removed: Set<RealPaths.Path> = []
    if prunes {
      let outer = run.options.outputFolder
      for output in stale
      where output.isRemovable && OutputRemoval.remove(output.path, folder: output.folder, in: outer) {
        removed.insert(RealPaths.Path(output.path))
      }
    }
    let left = stale.filter { !removed.contains(RealPaths.Path($0.path)) }
    let note = { (text: String) in tell(text, of: run) }
    if !removed.isEmpty { note("removed \(Self.list(removed.map(\.text).sorted())), which the script no longer makes") }
    let changed = left.filter { !$0.isRemovable && !$0.isShared }.map(\.path)
    let shared = left.filter(\.isShared).map(\.path)
    let others = left.filter(\.isRemovable).map(\.path)
    let (were, lie, them) = changed.count == 1 ? ("was", "lies", "it") : ("were", "lie", "them")
    if !others.isEmpty { note("the script no longer makes \(Self.list(others)); --prune removes such files") }
    if !changed.isEmpty {
      note(
        "the script no longer makes \(Self.list(changed)), which \(were) changed by hand or \(lie) elsewhere; "
          + "remove \(them) by hand")
    }
    if !shared.isEmpty {
      let (stay, its) = shared.count == 1 ? ("stays", "its") : ("stay", "their")
      note(
        "the script no longer makes \(Self.list(shared)), which \(stay), because another output lies among \(its) tiles"
      )
    }
    return removed
  }

  private func tell(_ text: String, of run: Run) {
    run.report(note: Diagnostic(.output, at: nil, message: "note: " + text))
  }

  private static func list(_ paths: [String]) -> String {
    let most = 5
    let named = paths.prefix(most).map { "'\(printable($0))'" }.joined(separator: ", ")
    return paths.count > most ? named + " and \(paths.count - most) more" : named
  }
}

/// The lines that the script has printed, and whether the run has shown other messages. Used from any thread.
private final class ToldLines: Sendable {
  private static let mostBytes = 1 << 16

  private let state = Mutex<(lines: [String], byteCount: Int, hasMessages: Bool)>(([], 0, false))

  func addMessage() { state.withLock { $0.hasMessages = true } }

  func add(_ line: String) {
    state.withLock { state in
      state.byteCount += line.utf8.count
      if state.byteCount <= Self.mostBytes { state.lines.append(line) }
    }
  }

  /// The lines that the script has printed; nil if they are too long, or if the run has shown other messages.
  var printed: [String]? {
    state.withLock { $0.hasMessages || $0.byteCount > Self.mostBytes ? nil : $0.lines }
  }
}
