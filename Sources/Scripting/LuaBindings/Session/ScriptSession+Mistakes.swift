import ImageCore
import ImagePipeline
import LuaRuntime

/// Wrong calls: their mistakes are collected, and the script continues with stand-ins for their results.
extension ScriptSession {
  /// Returns a stand-in for the result of a wrong call that has been reported. A host function that is registered
  /// without `takesStandIns` returns a stand-in if one of its arguments is one.
  func standIn(_ kind: StandInKind = .any) -> LuaValue {
    hasStandIns = true
    return .standIn(StandInKind.allCases.firstIndex(of: kind)!)
  }

  /// Returns a stand-in for a method or a field that pictures do not have. A call of the stand-in returns `picture`.
  func standIn(forMethodGiving picture: Picture) -> LuaValue {
    guard case .object(let object) = object(picture) else { return standIn() }
    hasStandIns = true
    return .standIn(StandInKind.allCases.count + object.handle)
  }

  /// Returns the result of calling a stand-in.
  func called(_ standIn: LuaValue?) -> LuaValue {
    guard case .object(let object)? = standIn, object.handle >= StandInKind.allCases.count else {
      return standIn ?? .none
    }
    return .object(
      LuaObject(type: "picture", handle: object.handle - StandInKind.allCases.count))
  }

  /// Reports that a property of a picture cannot be read, and returns a stand-in for it. The run then writes no files.
  ///
  /// With `--on-error continue`, the run may write files, and the property might decide which ones. So a function that
  /// a method of a list calls gets an error instead, which leaves out the picture. Elsewhere, the script stops, unless
  /// earlier mistakes prevent all files. A plugin's file is not read any further.
  func unknownFact(_ problem: Picture.Problem, _ kind: StandInKind) throws(LuaHostError) -> LuaValue {
    if case .diagnostic(let diagnostic) = problem { graph.note(diagnostic) }
    let goesOn = run.options.onError == .continue
    if goesOn, !itemStarts.isEmpty { throw LuaHostError(message: Self.givenUp) }
    let isWritten = goesOn && !graph.mistakes.contains { $0.kind.stopsRun }
    if isWritten || plugins.loading != nil { throw .abort }
    return standIn(kind)
  }

  /// The message of the error with which `unknownFact` leaves out a picture. The host function `leave_item` recognises
  /// the error by this message.
  static let givenUp = "this picture cannot be read"

  /// Calls a host function. A wrong call is recorded as a mistake of the run, and returns a stand-in; in a plugin, its
  /// error is thrown. Stops the script after too many mistakes.
  func collecting(
    at position: ScriptPosition?,
    _ body: (ScriptPosition?) throws(LuaHostError) -> [LuaValue]
  ) throws(LuaHostError) -> [LuaValue] {
    let results: [LuaValue]
    do throws(LuaHostError) {
      results = try body(position)
    } catch {
      guard error.isMistake, plugins.loading == nil, plugins.callers.isEmpty else { throw error }
      graph.note(Diagnostic(.script, at: position, message: error.message))
      results = [standIn()]
    }
    if graph.hasTooManyMistakes { throw .abort }
    return results
  }

  /// Returns whether Lua failed because of a stand-in, whose mistake has already been reported.
  func isOfStandIn(_ message: String) -> Bool {
    hasStandIns
      && (message.contains("\(LuaValue.standInType) value") || message.contains("got \(LuaValue.standInType)"))
  }
}

/// The type of a stand-in, which Lua's `type` returns.
enum StandInKind: String, CaseIterable {
  case any = "userdata"
  case number, string, boolean, table
}

extension LuaValue {
  fileprivate static let standInType = "mistake"

  /// Makes the stand-in with this handle: the first handles represent kinds, and later ones represent pictures.
  fileprivate static func standIn(_ handle: Int) -> LuaValue {
    .object(LuaObject(type: standInType, handle: handle))
  }

  /// Whether the value is a stand-in, or a table that contains one.
  var hasStandIn: Bool {
    switch self {
    case .object(let object): object.type == Self.standInType
    case .table(let table):
      table.array.contains(where: \.hasStandIn) || table.fields.contains { $0.1.hasStandIn }
    default: false
    }
  }
}

/// Notes about pictures that the script can no longer use. Authors easily forget that an operation returns a new
/// picture instead of changing its input.
extension ScriptSession {
  /// The maximum number of noted lines.
  private static let mostDropped = 5

  /// Notes the calls whose pictures the script can no longer use, at most one for each line. Tests are not checked.
  func tellDropped() {
    // After a mistake, a picture may be unused only because the call that should use it has failed.
    guard options.tests == nil, graph.mistakes.isEmpty else { return }
    var notes: [ScriptPosition: Diagnostic] = [:]
    let operations = run.environment.operations.map(\.descriptor.name)
    let names = Set(operations + chosenOperations + ["open", "canvas", "plugin"])
    for (file, source) in sources {
      for call in DroppedCalls(source).all where names.contains(call.name) {
        guard let note = note(call, in: file), let position = note.position else { continue }
        notes[position] = notes[position] ?? note
      }
    }
    tell(notes.sorted { ($0.key.file, $0.key.line) < ($1.key.file, $1.key.line) }.map(\.value))
  }

  private func tell(_ notes: [Diagnostic]) {
    notes.prefix(Self.mostDropped).forEach(graph.tell)
    let further = notes.count - Self.mostDropped
    guard further > 0, let first = notes.dropFirst(Self.mostDropped).first else { return }
    graph.tell(
      Diagnostic(
        .output, at: first.position,
        message: "note: \(further) more line\(further == 1 ? " makes a picture" : "s make pictures") that nothing uses")
    )
  }

  private func note(_ call: DroppedCalls.Call, in file: String) -> Diagnostic? {
    guard let position = pictures.lazy.filter({ self.isMade($0, by: call, in: file) }).first?.position else {
      return nil
    }
    let words =
      if let variable = call.variable {
        "nothing uses the picture in '\(variable)'"
      } else if call.isMapped {
        "nothing uses the new pictures; keep the list that map returns in a variable, or save it"
      } else if !call.isMethod {
        "nothing uses this picture"
      } else {
        "nothing uses the new picture; keep it"
          + (call.receiver.map { ": \($0) = \($0):\(call.name)(…)" } ?? " in a variable")
      }
    return Diagnostic(.output, at: position, subject: call.name, message: "note: " + words)
  }

  /// Returns whether a call made a picture. If not, the called function may be one of the script that is named like an
  /// operation.
  private func isMade(_ picture: Picture, by call: DroppedCalls.Call, in file: String) -> Bool {
    // The positions of pictures that a plugin made have an origin.
    guard let position = picture.position, position.origin == nil, position.file == file,
      !unreturned.contains(position), call.lines.contains(position.line)
    else { return false }
    return switch picture.step {
    case .invalid: false
    case .source: call.name == "open"
    case .canvas: call.name == "canvas"
    case .operation(let name, _, _):
      name == call.name || call.name == "plugin" || call.name == "text" && name == "img.text"
        || chosenOperations.contains(call.name)
    }
  }

  /// The names of measurements that choose the arguments of an operation, and return its picture.
  private var chosenOperations: [String] {
    run.environment.measurements.filter { if case .operation = $0.result { true } else { false } }.map(
      \.descriptor.name)
  }
}
