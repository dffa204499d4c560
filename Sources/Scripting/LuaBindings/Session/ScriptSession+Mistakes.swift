import ImageCore
import ImagePipeline
import LuaRuntime

/// Wrong calls: they are collected, and the script goes on with a value that stands for their result.
extension ScriptSession {
  /// What stands for the result of a call that has been reported as wrong. The prelude lets scripts do anything with
  /// it; whatever it is handed to gives it back.
  func standIn(_ kind: StandInKind = .any) -> LuaValue {
    hasStandIns = true
    return .standIn(StandInKind.allCases.firstIndex(of: kind)!)
  }

  /// A stand-in for a method or a field that pictures do not have. Calling it gives `picture`.
  func standIn(forMethodGiving picture: Picture) -> LuaValue {
    guard case .object(let object) = object(picture) else { return standIn() }
    hasStandIns = true
    return .standIn(StandInKind.allCases.count + object.handle)
  }

  /// The result of calling a stand-in.
  func called(_ standIn: LuaValue?) -> LuaValue {
    guard case .object(let object)? = standIn, object.handle >= StandInKind.allCases.count else {
      return standIn ?? .none
    }
    return .object(
      LuaObject(type: "picture", handle: object.handle - StandInKind.allCases.count))
  }

  /// What stands for a fact of a picture that cannot be known, as the picture is wrong or cannot be read: that is
  /// reported, and nothing is written. Under `--on-error continue` the fact might decide what is written, so the script
  /// stops; in a function given to a list only that picture is left out.
  func unknownFact(_ problem: Picture.Problem, _ kind: StandInKind) throws(LuaHostError) -> LuaValue
  {
    if case .diagnostic(let diagnostic) = problem { run.note(diagnostic) }
    let goesOn = run.options.onError == .continue
    if goesOn, itemDepth > 0 { throw LuaHostError(message: Self.givenUp) }
    let isWritten = goesOn && !run.mistakes.contains { $0.kind == .script }
    if isWritten || plugins.loading != nil { throw .abort }
    return standIn(kind)
  }

  /// What `unknownFact` says, by which the prelude knows it again.
  static let givenUp = "this picture cannot be read"

  /// Calls a host function, and makes a wrong call a mistake of the run. In plugins it stays an error, which names
  /// the plugin.
  func collecting(
    at position: ScriptPosition?,
    _ body: (ScriptPosition?) throws(LuaHostError) -> [LuaValue]
  ) throws(LuaHostError) -> [LuaValue] {
    let results: [LuaValue]
    do throws(LuaHostError) {
      results = try body(position)
    } catch {
      guard error.isMistake, plugins.loading == nil, plugins.callers.isEmpty else { throw error }
      run.note(Diagnostic(.script, at: position, message: error.message))
      results = [standIn()]
    }
    if run.hasTooManyMistakes { throw .abort }
    return results
  }

  /// Whether Lua stumbled over a stand-in, of which the mistake behind it tells enough.
  func isOfStandIn(_ message: String) -> Bool {
    hasStandIns
      && (message.contains("\(LuaValue.standInType) value")
        || message.contains("got \(LuaValue.standInType)") || message.contains("'for' "))
  }
}

/// What a stand-in stands for, as Lua's `type` calls it.
enum StandInKind: String, CaseIterable {
  case any = "userdata"
  case number, string, boolean, table
}

extension LuaValue {
  fileprivate static let standInType = "mistake"

  /// One for each kind; those after them are for pictures.
  fileprivate static func standIn(_ handle: Int) -> LuaValue {
    .object(LuaObject(type: standInType, handle: handle))
  }

  /// Whether it is a stand-in, or a table with one.
  var hasStandIn: Bool {
    switch self {
    case .object(let object): object.type == Self.standInType
    case .table(let table):
      table.array.contains(where: \.hasStandIn) || table.fields.contains { $0.1.hasStandIn }
    default: false
    }
  }
}
