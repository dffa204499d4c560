import BookComposing
import ImageCore
import ImagePipeline
import LuaRuntime
import Scheduling

/// A script and the run it builds: the functions that `require "imghost"` offers, bound to one `Run`.
///
/// Used on the script's thread only, except for `stopper`. Callbacks run on that thread, too, never on a worker.
package final class ScriptSession {
  /// The options of a session, most of them from the command line.
  package struct Options: Sendable {
    package var version: String
    /// The values of `--set`, by name.
    package var settings: [String: String]
    package var limits: LuaLimits
    /// The files with Lua plugins; none by default.
    package var plugins: LuaPluginFiles
    /// The mode for a file of tests; nil for a script.
    package var tests: TestMode?

    package init(
      version: String, settings: [String: String], limits: LuaLimits, plugins: LuaPluginFiles = LuaPluginFiles()
    ) {
      self.version = version
      self.settings = settings
      self.limits = limits
      self.plugins = plugins
    }
  }

  /// The reason why a script ended early.
  package enum Failure: Error {
    /// The run has collected mistakes, or the host has stopped the script silently.
    case mistakes
    /// An error in the script itself.
    case script(Diagnostic)
  }

  let run: Run
  let options: Options
  /// The recorder of what the script requests.
  var graph: GraphBuilder { run.graph }
  /// The recorder of what the script requests for books.
  let books: BookRequests
  let lua: LuaState
  var pictures: [Picture] = []
  private var handles: [ObjectIdentifier: Int] = [:]
  var jobs: [Job] = []
  /// The functions given to `on_done`, by job, each with the service class that applied when `on_done` was called.
  var callbacks: [ObjectIdentifier: [(function: LuaFunction, qos: QualityOfService)]] = [:]
  /// The number of bytes of the run's records that have been counted as the script's memory.
  private var claimedByteCount = 0
  /// The places of calls, each stored once.
  private var positions: Set<ScriptPosition> = []
  private var lastPosition: ScriptPosition?
  /// The places in the script that use a field or an item that pictures do not have.
  var unknownFields: Set<ScriptPosition> = []
  /// Missing settings, with the last place in the script that read each of them.
  var absentSettings: [String: ScriptPosition?] = [:]
  /// Missing fields of `exif`, `xmp` or `iptc`, with the last block and the last place in the script where each was
  /// looked up.
  var absentFields: [String: (block: String, position: ScriptPosition?)] = [:]
  /// Globals that are not set, in the places where a call of imghost takes them as values.
  var absentGlobals: [AbsentGlobal] = []
  /// The absent globals that have been reported, or mentioned in the message about a mistake.
  var explainedGlobals: Set<AbsentGlobal> = []
  /// All absent globals that the script has so far given to calls as values, to those of imghost and to others.
  var knownGlobals: Set<AbsentGlobal> = []
  /// The names in the script and in its modules, by file; read when they are first needed.
  var names: [String: LuaNames] = [:]
  /// The groups of pictures for the next book.
  var nextGroups: [PictureGroup] = []
  /// The pages that the script has declared, and those of the next book.
  var pages: [BookRequests.Page] = []
  var nextPages: [BookRequests.Page] = []
  /// The texts of the script and its modules by their paths.
  private(set) var sources: [String: [UInt8]] = [:]
  /// The paths of templates that the script names.
  var templateFiles: Set<String> = []
  /// Whether nil is among the arguments of the running host function.
  private(set) var callHasNil = false
  /// Whether the script may hold a stand-in for the result of a wrong call.
  var hasStandIns = false
  /// The patterns that the script gave to `glob`.
  var patterns: Set<String> = []
  /// For each running call of a function that the script passed to a method of a list, the count of `pictures` when the
  /// call began; and this count for the last such call that has ended.
  var itemStarts: [Int] = []
  var lastItem = 0
  /// The places of pictures that a function given to `map` made but did not return, which has been reported.
  var unreturned: Set<ScriptPosition> = []
  var plugins = LuaPluginTable()

  /// - Parameters:
  ///   - onPrint: called with each line that the script prints.
  ///   - onOverrun: ends the process: see `LuaState`.
  package init(
    run: Run, options: Options, onPrint: @escaping (String) -> Void, onOverrun: @escaping @Sendable (String) -> Void
  ) {
    self.run = run
    self.options = options
    books = BookRequests(run)
    run.graph.settings = ScriptSettings(given: options.settings)
    lua = LuaState(limits: options.limits, onOverrun: onOverrun)
    lua.onPrint = onPrint
    registerSources()
    registerPictures()
    registerTraits()
    registerPages()
    registerSinks()
    registerJobs()
    registerVerification()
    registerHelpers()
    registerSettings()
    registerDates()
    registerPlugins()
    do {
      try lua.loadPrelude(EmbeddedScript.text("Prelude.lua"), name: "imghost")
    } catch {
      preconditionFailure("the prelude does not load: \(error)")
    }
    lua.addModule("imghost", fromPreludeGlobal: "imghost")
    if let tests = options.tests { registerTesting(tests) }
  }

  deinit {
    // Pictures are released from the last to the first. Otherwise, each picture would release the picture from which it
    // was made, and the recursion would be thousands of calls deep.
    while pictures.popLast() != nil {}
  }

  /// A function that asks a running script to stop, without waiting for it. It may be called from any thread while the
  /// session exists.
  package var stopper: @Sendable () -> Void { lua.stopper }

  /// The paths of the script, and of the modules and templates that it has requested.
  package var sourcePaths: [String] { templateFiles.union(sources.keys).sorted() }

  /// Runs the script, its jobs, and its callbacks.
  ///
  /// - Parameter name: the script's path as given.
  package func execute(source: [UInt8], name: String, arguments: [String]) throws(Failure) {
    sources[name] = source
    graph.explain = { [unowned self] in
      (callHasNil || $0.lacksValue ? absence(at: $0.position) : nil) ?? absentGlobals(behind: $0)
    }
    let folder = String(PathName.folder(name) ?? "")
    plugins.scriptFolder = folder
    lua.moduleLoader = { [unowned self] (path) throws(LuaHostError) in
      let place = folder.isEmpty && !PathName.isAbsolute(name) ? path : folder + "/" + path
      graph.inputs.addSearched([place])
      let file = try? InputFile(path: place)
      if let file { graph.addScript(file.path) }
      if file == nil, path == Self.testModulePath {
        throw LuaHostError(message: "require: '\(Self.testModule)' is for tests; run this file with 'imghost test'")
      }
      if file == nil, let advice = Self.advice(onMissing: path) { throw LuaHostError(message: advice) }
      guard let file, file.byteCount <= 1 << 20 else { return nil }
      let source = try? file.bytes(at: 0, count: file.byteCount)
      sources[file.path] = source
      return source
    }
    do {
      try lua.run(source: source, name: name, arguments: arguments)
      noteAbsentGlobals()
      tellDropped()
      let strays = graph.settings.endCalls()
      // A callback may still call a plugin.
      if callbacks.isEmpty { strays.forEach(graph.note) }
      if isDone {
        handles = [:]
        lua.collectGarbage()
      }
      noteOtherInputs()
      try run.finish(onChecked: forgetPictures, onFinished: notify)
    } catch let error as LuaError {
      noteAbsentGlobals()
      // The jobs recorded so far may contain mistakes, too.
      if !graph.hasTooManyMistakes, !run.cancellation.isCancelled {
        switch error {
        case .runtime, .aborted: run.checkPending()
        case .syntax, .memory, .time: break
        }
      }
      throw failure(error, script: name)
    } catch is Run.Stopped {
      throw .mistakes
    } catch {
      preconditionFailure("unexpected error: \(error)")
    }
  }

  /// Whether releasing the pictures is worth the time: there are many, and no callback can use them.
  private var isDone: Bool { callbacks.isEmpty && pictures.count >= 100 }

  /// Releases the pictures of a script that has ended, if `isDone`.
  private func forgetPictures() { if isDone { run.forget(&pictures) } }

  /// The settings of the command line that the script never reads, which are probably misspelt.
  package var unusedSettings: [String] { graph.settings.unused }

  /// Whether the script or one of its modules uses the script's arguments: the table `arg`, or `...`.
  package var readsArguments: Bool {
    sources.values.contains { !LuaTokens($0).words.isDisjoint(with: ["arg", "..."]) }
  }

  /// Returns whether a script, or a module that it loads besides `imghost`, may use the script's arguments.
  package static func mayReadArguments(_ source: [UInt8]) -> Bool {
    let loaders: Set = ["arg", "load", "loadfile", "dofile", "searchers", "preload"]
    var requires = 0
    for token in LuaTokens(source).all {
      switch token.kind {
      case .dots: return true
      case .name("require"): requires += 1
      case .name(let name) where loaders.contains(name): return true
      default: break
      }
    }
    // A token of a string does not contain the string's text, so the source is searched.
    let text = String(decoding: source, as: UTF8.self)
    let own = ["\"imghost\"", "'imghost'"].flatMap { ["require " + $0, "require(" + $0, "require" + $0] }
    return requires > 1 || requires == 1 && !own.contains(where: text.contains)
  }

  /// Returns the text of a line of the script or of its modules; empty if there is no such line, nil if the file is not
  /// known.
  package func line(_ position: ScriptPosition) -> String? {
    guard let source = sources[position.file] else { return nil }
    let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.indices.contains(position.line - 1) ? String(decoding: lines[position.line - 1], as: UTF8.self) : ""
  }

  private func failure(_ error: LuaError, script: String) -> Failure {
    let position = ScriptPosition(error.line) ?? ScriptPosition(file: script, line: 1)
    let message: String
    switch error {
    case .aborted: return .mistakes
    case .syntax(let text, _): message = "the script is not valid Lua: " + text
    case .runtime(let text, _): message = explained(text, at: position)
    case .memory(let limit, _):
      message = "the script needs more than \(limit >> 20) MiB of memory; " + "raise the limit with --script-memory"
    case .time(let limit, _):
      message = "the script takes longer than \(ParameterValue.text(limit)) s; " + "raise the limit with --script-time"
    }
    // An error that is caused by a reported mistake needs no explanation of its own.
    if case .runtime = error, isOfStandIn(message) || unknownFields.contains(position) {
      return .script(
        Diagnostic(
          .script, at: position,
          message: "the script cannot continue after the mistakes above; later lines are not checked"))
    }
    var diagnostic = Diagnostic(.script, at: position, message: message)
    // The message of an error that a script raises, such as a report, may have several lines.
    if case .runtime = error { diagnostic.keepsLines = true }
    return .script(diagnostic)
  }

  /// Calls the functions given to `on_done` for a job, unless the work is divided.
  func notify(_ job: Job) throws {
    if isDivided { return }
    let key = ObjectIdentifier(job)
    let current = graph.currentQoS
    defer { graph.currentQoS = current }
    // Each function is removed before it is called. If it fails, the others remain for a later call.
    while var left = callbacks[key], !left.isEmpty {
      let (function, qos) = left.removeFirst()
      callbacks[key] = left.isEmpty ? nil : left
      graph.currentQoS = qos
      _ = try lua.call(function, [job.luaResult])
    }
  }

  // MARK: - handles

  /// Returns the script's handle of a picture, which is always the same for the same picture.
  func object(_ picture: Picture) -> LuaValue {
    let key = ObjectIdentifier(picture)
    lua.claim(byteCount: Self.recordByteCount)
    if let handle = handles[key] { return .object(LuaObject(type: "picture", handle: handle)) }
    pictures.append(picture)
    handles[key] = pictures.count - 1
    return .object(LuaObject(type: "picture", handle: pictures.count - 1))
  }

  /// The number of bytes that count as the script's memory for a picture and its handle, a job's handle, or another
  /// small record.
  static let recordByteCount = 128

  func picture(_ value: LuaValue?) -> Picture? {
    guard case .object(let object)? = value, object.type == "picture" else { return nil }
    return pictures[object.handle]
  }

  func object(_ job: Job) -> LuaValue {
    lua.claim(byteCount: Self.recordByteCount)
    jobs.append(job)
    return .object(LuaObject(type: "job", handle: jobs.count - 1))
  }

  func job(_ value: LuaValue?, _ method: String) throws(LuaHostError) -> Job {
    guard case .object(let object)? = value, object.type == "job" else {
      throw .mistake("\(method) is called on a job with a colon: job:\(method)()")
    }
    return jobs[object.handle]
  }

  /// Counts what the run has recorded since the previous call as the script's memory.
  private func claimRecords() {
    lua.claim(byteCount: graph.recordedByteCount - claimedByteCount)
    claimedByteCount = graph.recordedByteCount
  }

  /// Registers a host function. The function need not retain `self`, because the state calls it only inside methods of
  /// `self`.
  ///
  /// - Parameter takesStandIns: whether the function is called even with a stand-in among the arguments.
  func register(
    _ name: String, takesStandIns: Bool = false,
    _ body: @escaping (ScriptSession, [LuaValue], ScriptPosition?) throws(LuaHostError) -> [LuaValue]
  ) {
    let isKnown = Self.functionsOfInputs.contains(name)
    lua.register(name) { [unowned self] (arguments, line) throws(LuaHostError) in
      if !isKnown { graph.inputs.hasOthers = true }
      if hasStandIns, !takesStandIns, arguments.contains(where: \.hasStandIn) { return [standIn()] }
      let outer = callHasNil
      callHasNil = arguments.contains(.none)
      // The run may keep the arguments, so long ones count as the script's memory.
      lua.claimLongArguments()
      defer {
        callHasNil = outer
        claimRecords()
      }
      return try collecting(at: position(line)) { position throws(LuaHostError) in
        try body(self, arguments, position)
      }
    }
  }

  /// Returns the place of the script's call. Thousands of pictures from one line share one object.
  private func position(_ line: ScriptLine?) -> ScriptPosition? {
    guard let line else { return nil }
    let origin = plugins.origin
    if let last = lastPosition, last.line == line.line, last.file == line.file, last.origin == origin {
      return last
    }
    let position = ScriptPosition(file: line.file, line: line.line, origin: origin)
    lastPosition = positions.insert(position).memberAfterInsert
    return lastPosition
  }
}

// MARK: - Shards

/// Scripts whose work is divided: a shard does not know the results of other shards.
extension ScriptSession {
  /// Whether the script runs in a shard, or in a plan of shards.
  var isDivided: Bool { run.options.part.isDivided }

  func registerShards() {
    register("is_divided") { (session, _, _) throws(LuaHostError) in [.boolean(session.isDivided)] }
    register("refuse_result") { (_, arguments, _) throws(LuaHostError) in
      guard arguments.count > 1, case .string(let field) = arguments[1] else {
        throw Self.unknownResult("the result of a job")
      }
      throw Self.unknownResult("'\(field)' of a job's result")
    }
    register("refuse_winner") { (_, _, _) throws(LuaHostError) in throw Self.unknownResult("the winner of a race") }
  }

  /// Returns the error for a script that reads a result although other shards contribute to it.
  static func unknownResult(_ what: String) -> LuaHostError {
    .mistake(
      "\(what) is not known in a shard, because other shards make a part of the job; read it in a function given to "
        + "on_done, which 'imghost merge' calls, or use 'imghost run' without --shard")
  }
}
