import BookComposing
import ImageCore
import ImagePipeline
import Platform

/// The contents of the page: the last evaluation without mistakes, and the messages of the most recent evaluation. Safe
/// to use from any thread.
final class PreviewModel: Sendable {
  /// A picture or a page that has a key.
  enum Shown: Sendable {
    case picture(Picture)
    /// The page at an index of the drawing, with its own pictures or their untouched versions (`Environment.before`).
    case page(DrawnPage, index: Int, BookDrawing)
  }

  private struct State {
    var version = 0
    var targets: ScreenTargets
    var shown: [String: Shown] = [:]
    /// The outputs as JSON for the page, in their order.
    var outputs: [JSON] = []
    /// The keys of the outputs, in the same order.
    var keys: [String] = []
    /// The whole state as JSON for the page.
    var text = ""
    /// The state as JSON without its version, to detect whether anything has changed.
    var content = ""
    /// The settings that the script declared last. They are kept if an evaluation with mistakes declares fewer.
    var settings: [JSON] = []
    /// The keys of the pictures and pages whose steps the browser has requested.
    var plans: Set<String> = []
  }

  private let environment: Environment
  private let script: String
  private let state: Monitor<State>

  init(_ environment: Environment, script: String) {
    self.environment = environment
    self.script = script
    state = Monitor(State(targets: ScreenTargets(environment)))
  }

  var text: String { state.withLock { $0.text } }

  var keys: [String] { state.withLock { $0.keys } }

  func shows(_ key: String) -> Bool { state.withLock { $0.shown[key] != nil } }

  /// Stores an evaluation.
  ///
  /// - Returns: the new version of the state if the page has to change; nil if nothing is new.
  func take(_ evaluation: ScriptEvaluation) -> Int? {
    // This runs without the lock, because it takes a while for thousands of pictures.
    var fresh: State?
    if evaluation.status == .ok {
      var made = State(targets: ScreenTargets(environment, locale: evaluation.locale))
      for graph in evaluation.graphs { add(graph, to: &made) }
      fresh = made
    }
    return state.withLock { state in
      if var fresh {
        (fresh.version, fresh.content, fresh.text) = (state.version, state.content, state.text)
        // The steps that are shown keep their keys, so that the page does not request them again.
        for key in state.plans where fresh.shown[key] != nil { _ = Self.graph(key, &fresh) }
        state = fresh
      }
      // A script that ends early may not have reached all declarations of its settings and plugins.
      if evaluation.status == .ok || evaluation.settings.count >= state.settings.count {
        state.settings = evaluation.settings
      }
      let content = JSON.object([
        ("script", .text(script)), ("status", .text(evaluation.status.rawValue)),
        ("messages", .array(evaluation.messages.map(Self.json))), ("settings", .array(state.settings)),
        ("outputs", .array(state.outputs)),
      ]).line
      guard content != state.content else { return nil }
      state.version += 1
      state.content = content
      state.text = "{\"version\":\(state.version)," + content.dropFirst()
      return state.version
    }
  }

  /// Returns the picture to render for a key at a size; nil if no output has this key any more.
  func target(_ key: String, width: Int, height: Int, _ renderer: ScreenRenderer) throws(Picture.Problem)
    -> ScreenTarget?
  {
    try state.withLock { state throws(Picture.Problem) in
      switch state.shown[key] {
      case nil: nil
      case .picture(let picture):
        try state.targets.picture(picture, width: width, height: height, seen: renderer.wasMade)
      case .page(let page, let index, let drawing):
        state.targets.page(
          page, at: index, of: drawing, width: width, height: height, seen: renderer.wasMade)
      }
    }
  }

  /// Returns the size of a picture in pixels, or of a page in points; nil if no output has this key any more, or if the
  /// picture cannot be read.
  func size(_ key: String) -> (width: Double, height: Double)? {
    switch state.withLock({ $0.shown[key] }) {
    case nil: nil
    case .picture(let picture): (try? picture.info().layout).map { (Double($0.width), Double($0.height)) }
    case .page(let page, _, _): (page.width, page.height)
    }
  }

  /// Returns the steps that produce a picture or the pictures of a page, each after its inputs, and gives them keys;
  /// nil if no output has this key any more.
  func graph(_ key: String) -> JSON? { state.withLock { Self.graph(key, &$0) } }

  private static func graph(_ key: String, _ state: inout State) -> JSON? {
    state.plans.insert(key)
    switch state.shown[key] {
    case nil: return nil
    case .picture(let picture): return graph(of: [picture], &state)
    case .page(let page, _, _): return graph(of: page.pictures.map(\.picture), &state)
    }
  }

  private static func graph(of ends: [Picture], _ state: inout State) -> JSON {
    var nodes: [JSON] = []
    var numbers: [ObjectIdentifier: Int] = [:]
    for end in ends {
      for picture in end.stepsInOrder where numbers[ObjectIdentifier(picture)] == nil {
        let key = state.targets.key(of: picture)
        if state.shown[key] == nil { state.shown[key] = .picture(picture) }
        let layout = (try? picture.info())?.layout
        let (name, detail) = picture.stepText
        numbers[ObjectIdentifier(picture)] = nodes.count
        nodes.append(
          .object([
            ("id", .integer(nodes.count)), ("name", .text(name)), ("detail", .text(detail)), ("key", .text(key)),
            ("width", .optional(layout?.width)), ("height", .optional(layout?.height)),
            ("line", .optional(picture.position?.line)),
            ("inputs", .array(picture.inputs.compactMap { numbers[ObjectIdentifier($0)] }.map { .integer($0) })),
          ]))
      }
    }
    return .object([("nodes", .array(nodes))])
  }

  // MARK: - JSON

  /// Adds the outputs of a graph: files with one picture, the pictures of files with several, and books.
  private func add(_ graph: CheckedGraph, to state: inout State) {
    for file in graph.outputs.files { add(file.picture, file.path, file.position, to: &state) }
    for page in graph.outputs.entries where !BookDrawing.draws(page.document) {
      add(page.picture, page.document.title(of: page), page.document.job.position, to: &state)
    }
    for document in graph.outputs.documents { if let book = BookDrawing(document) { add(book, to: &state) } }
  }

  private func add(_ picture: Picture, _ path: String, _ position: ScriptPosition?, to state: inout State) {
    guard let layout = (try? picture.info())?.layout else { return }
    let key = state.targets.key(of: picture)
    state.shown[key] = .picture(picture)
    state.keys.append(key)
    var fields: [(String, JSON)] = [
      ("kind", .text("save")), ("path", .text(path)), ("key", .text(key)),
      ("width", .integer(layout.width)), ("height", .integer(layout.height)),
    ]
    if let source = picture.start, let path = picture.origin?.path {
      let key = state.targets.key(of: source)
      state.shown[key] = .picture(source)
      fields += [("source", .text(path)), ("sourceKey", .text(key))]
    }
    state.outputs.append(.object(fields + [("line", .optional(position?.line))]))
  }

  private func add(_ book: BookDrawing, to state: inout State) {
    let pages = book.pages.enumerated().map { index, page in
      let key = state.targets.key(of: page)
      state.shown[key] = .page(page, index: index, book)
      state.keys.append(key)
      let before = page.map(environment.before)
      let sourceKey = state.targets.key(of: before)
      if sourceKey != key { state.shown[sourceKey] = .page(before, index: index, book) }
      return JSON.object([
        ("number", .integer(index + 1)), ("key", .text(key)),
        ("sourceKey", .optional(sourceKey == key ? nil : sourceKey)),
        ("width", .number(page.width)), ("height", .number(page.height)), ("side", .text(page.side.rawValue)),
      ])
    }
    state.outputs.append(
      .object([
        ("kind", .text("book")), ("path", .text(book.path)), ("line", .optional(book.position?.line)),
        ("pages", .array(pages)),
      ]))
  }

  private static func json(_ message: ScriptEvaluation.Message) -> JSON {
    .object([
      ("kind", .text(message.kind.rawValue)), ("file", .optional(message.position?.file)),
      ("line", .optional(message.position?.line)), ("text", .text(message.text)),
    ])
  }
}
