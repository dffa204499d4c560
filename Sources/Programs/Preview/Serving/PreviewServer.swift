import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// Serves a web page that shows the outputs of a script while the script is being edited.
///
/// One thread evaluates the script after changes, one waits for changes to files, one runs the web server, and the
/// scheduler's workers render pictures. Only a run that the user starts on the page writes output files.
package final class PreviewServer: Sendable {
  /// The parts that the program provides for a preview.
  package struct Parts: Sendable {
    package let script: String
    package let environment: Environment
    package let scheduler: Scheduler
    package let evaluator: any ScriptEvaluator
    package let settings: [String: String]
    /// The folder that stores the address; nil for none.
    package let addressFolder: String?
    /// The maximum memory for rendering one picture, in bytes.
    package let memoryLimit: Int
    /// Returns the command line for a run of the whole script.
    package let runWords: @Sendable ([String: String], String) -> [String]

    package init(
      script: String, environment: Environment, scheduler: Scheduler, evaluator: any ScriptEvaluator,
      settings: [String: String], addressFolder: String?, memoryLimit: Int,
      runWords: @escaping @Sendable ([String: String], String) -> [String]
    ) {
      self.script = script
      self.environment = environment
      self.scheduler = scheduler
      self.evaluator = evaluator
      self.settings = settings
      self.addressFolder = addressFolder
      self.memoryLimit = memoryLimit
      self.runWords = runWords
    }
  }

  /// The reason why there is no preview, as a clause for the user.
  package struct Failure: Error { package let reason: String }

  private struct State {
    var settings: [String: String]
    /// The number of events so far that made an evaluation of the script necessary.
    var wanted = 1
    var evaluated = 0
  }

  private let parts: Parts
  private let state: Monitor<State>
  let model: PreviewModel
  let pictures: PreviewPictures
  let run: WholeRun
  private let audience = Audience()
  private let address: PreviewAddress
  let routes: PreviewRoutes
  private static let cacheByteCount = 40 << 20
  /// The maximum size of a state that is sent to pages without a request, in bytes.
  private static let mostToldBytes = 16 << 10

  /// - Parameter port: the port; nil for the previous one, or any.
  package init(_ parts: Parts, port: Int?) throws(Failure) {
    self.parts = parts
    state = Monitor(State(settings: parts.settings))
    address = try PreviewAddress(port: port, script: Self.absolute(parts.script), folder: parts.addressFolder)
    model = PreviewModel(parts.environment, script: parts.script)
    let renderer = ScreenRenderer(
      parts.environment, on: parts.scheduler, cacheByteCount: Self.cacheByteCount, memoryLimit: parts.memoryLimit)
    pictures = PreviewPictures(model, renderer, on: parts.scheduler)
    run = WholeRun(words: parts.runWords, tell: { [audience] event, data in audience.tell(event, data) })
    routes = PreviewRoutes(address, model, pictures, run, audience)
  }

  /// Starts the server.
  ///
  /// - Returns: the address of the page.
  package func start() throws(Failure) -> String {
    routes.onSettings = { [self] in change($0) }
    routes.settings = { [state] in state.withLock { $0.settings } }
    _ = try WebServer(on: address.socket, root: address.root) { [routes] in routes.answer($0) }
    let watch = FolderWatch()
    watch?.watch([Self.folder(of: parts.script)])
    startThread { [self] in evaluate(watch) }
    if let watch { startThread { [self] in follow(watch) } }
    return address.text
  }

  /// The address for a browser's command line. Other users may read that line, so this is the address of a private file
  /// that redirects to the page; nil if there is no such file.
  package var browserAddress: String? { address.link.map { "file://" + $0 } }

  /// Passes the address on to this program when it restarts itself, so that open pages reconnect.
  package func keepForRestart() { address.keepForRestart() }

  /// Ends a run, and tells the pages that the preview ends.
  package func end() {
    run.cancel()
    audience.tell("ended", .object([]))
    address.forget()
  }

  /// Changes settings; nil resets one to its value on the command line.
  private func change(_ changes: [(name: String, value: String?)]) {
    state.withLock { state in
      for (name, value) in changes { state.settings[name] = value ?? parts.settings[name] }
      state.wanted += 1
    }
    parts.evaluator.stop()
    state.notifyAll()
  }

  /// Evaluates the script after each event that requires it.
  private func evaluate(_ watch: FolderWatch?) {
    while true {
      let (settings, number) = state.wait(retryingEvery: 1) { state in
        state.wanted > state.evaluated ? (state.settings, state.wanted) : nil
      }
      // An evaluation that was stopped for a newer one has no result.
      guard let evaluation = parts.evaluator.evaluate(settings) else { continue }
      let isToRepeat = state.withLock { state in
        // If the script no longer declares a setting, the page has no control to reset that setting, so it is reset
        // here.
        let old = evaluation.unknownSettings.filter { parts.settings[$0] == nil && state.settings[$0] != nil }
        for name in old { state.settings[name] = nil }
        if old.isEmpty { state.evaluated = number }
        return !old.isEmpty
      }
      if isToRepeat { continue }
      files.withLock { $0 = Set(evaluation.files.map(Self.absolute)) }
      watch?.watch(Set(evaluation.files.map(Self.folder)))
      guard let version = model.take(evaluation) else { continue }
      pictures.forgetStale()
      let text = routes.stateText
      // A small state is part of the event, because requesting it would take as long as evaluating a small script.
      if text.utf8.count <= Self.mostToldBytes {
        audience.tell("state", text)
      } else {
        audience.tell("state", .object([("version", .integer(version))]))
      }
    }
  }

  /// The paths of the script, its modules and its pictures.
  private let files = Monitor<Set<String>>([])

  /// Waits for changes to files, and requests an evaluation after those that count.
  private func follow(_ watch: FolderWatch) {
    while let changed = watch.wait() {
      let known = files.withLock { $0 }
      // Other files count, too, because a new picture may match a pattern in the script. Temporary files of editors and
      // of imghost are ignored.
      let counts = changed.contains { path in
        let name = PathName.name(path)
        return known.contains(path) || path == Self.absolute(parts.script)
          || !(name.hasPrefix(".") || name.hasSuffix("~") || name.hasSuffix(".swp") || name == "4913")
      }
      guard counts else { continue }
      state.withLock { $0.wanted += 1 }
      parts.evaluator.stop()
      state.notifyAll()
    }
  }

  private static func absolute(_ path: String) -> String { PathName.absolute(path, in: currentFolder()) }

  private static func folder(of path: String) -> String { PathName.folder(absolute(path)).map(String.init) ?? "/" }
}

/// The pages that receive events. Safe to use from any thread.
final class Audience: Sendable {
  private let streams = Monitor<[EventStream]>([])

  func add(_ stream: EventStream, _ event: String, _ data: JSON) {
    streams.withLock { streams in
      // A closed page is only noticed when something is sent to it.
      streams = streams.filter { $0.send("ping", "{}") }
      _ = stream.send(event, data.line)
      streams.append(stream)
    }
  }

  func tell(_ event: String, _ data: JSON) { tell(event, data.line) }

  func tell(_ event: String, _ data: String) {
    streams.withLock { streams in streams = streams.filter { $0.send(event, data) } }
  }
}
