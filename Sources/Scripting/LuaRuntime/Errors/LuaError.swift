/// How a chunk or a call ended when it did not return.
///
/// Messages are Lua's or the host's own sentence without the `file:line:` in front; the place is in
/// `line` (nil when no line of the script was involved).
package enum LuaError: Error, Equatable {
  /// The chunk is not Lua, or not text.
  case syntax(message: String, line: ScriptLine?)
  /// An error that nothing in the script caught.
  case runtime(message: String, line: ScriptLine?)
  /// The script wanted more than `limit` bytes. Scripts cannot catch this.
  case memory(limit: Int, line: ScriptLine?)
  /// The script spent more than `limit` seconds in Lua. Scripts cannot catch this.
  case time(limit: Double, line: ScriptLine?)
  /// The host asked to stop the script silently, see ``LuaHostError/abort``.
  case aborted

  package var line: ScriptLine? {
    switch self {
    case .syntax(_, let line), .runtime(_, let line), .memory(_, let line), .time(_, let line): line
    case .aborted: nil
    }
  }
}

/// An error of a host function, which becomes a Lua error at the script's line that called it.
package struct LuaHostError: Error, Equatable {
  /// How the error travels through the script.
  enum Kind {
    /// An ordinary Lua error: the script may catch it.
    case message
    /// The same, unless the host collects it.
    case mistake
    /// The three that no `pcall` of the script stops.
    case abort, time, memory
  }

  package let message: String
  let kind: Kind

  /// An error that the script sees as `file:line: message`.
  package init(message: String) { self.init(message: message, kind: .message) }

  /// A wrong call, which the host may collect instead, so that the script goes on to the next mistake.
  package static func mistake(_ message: String) -> LuaHostError {
    LuaHostError(message: message, kind: .mistake)
  }

  package var isMistake: Bool { kind == .mistake }

  /// Ends the script silently: nothing in it catches this, and the host gets ``LuaError/aborted``.
  package static let abort = LuaHostError(message: "stopped by the host", kind: .abort)

  /// Passes on what ended a function that the host function called with ``LuaState/call(_:_:)``:
  /// an exceeded limit or an abort stays one, anything else keeps its message and first line.
  package init(_ error: LuaError) {
    switch error {
    case .syntax(let message, let line), .runtime(let message, let line):
      self.init(message: line.map { "\($0): \(message)" } ?? message)
    case .memory: self.init(message: "not enough memory", kind: .memory)
    case .time: self.init(message: "out of time", kind: .time)
    case .aborted: self = .abort
    }
  }

  private init(message: String, kind: Kind) {
    self.message = message
    self.kind = kind
  }
}

/// A place in the user's script, or in a module it required.
package struct ScriptLine: Sendable, Hashable {
  /// The file as it was given to ``LuaState/run(source:name:arguments:)``, e.g. `photobook.lua`.
  package let file: String
  /// Counted from 1.
  package let line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

extension ScriptLine: CustomStringConvertible {
  /// `photobook.lua:7`
  package var description: String { "\(file):\(line)" }
}
