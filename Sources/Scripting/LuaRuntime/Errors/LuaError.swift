/// The reason why a chunk or a call ended without returning.
///
/// Messages are those of Lua or the host without the `file:line:` in front. The place is in `line`, which is nil if no
/// line of the script was involved.
package enum LuaError: Error, Equatable {
  /// The chunk is not valid Lua, or is not text.
  case syntax(message: String, line: ScriptLine?)
  /// An error that the script did not catch.
  case runtime(message: String, line: ScriptLine?)
  /// The script needed more than `limit` bytes. Scripts cannot catch this.
  case memory(limit: Int, line: ScriptLine?)
  /// The script spent more than `limit` seconds, or was stopped by ``LuaState/stopper``. Scripts cannot catch this.
  case time(limit: Double, line: ScriptLine?)
  /// The host asked to stop the script silently: see ``LuaHostError/abort``.
  case aborted

  package var line: ScriptLine? {
    switch self {
    case .syntax(_, let line), .runtime(_, let line), .memory(_, let line), .time(_, let line): line
    case .aborted: nil
    }
  }
}

/// An error of a host function, which becomes a Lua error at the line of the script that called the function.
package struct LuaHostError: Error, Equatable {
  /// The way in which the error passes through the script.
  enum Kind {
    /// An ordinary Lua error: the script may catch it.
    case message
    /// An ordinary Lua error, unless the host collects it.
    case mistake
    /// Errors that no `pcall` of the script catches.
    case abort, time, memory
  }

  package let message: String
  let kind: Kind

  /// Creates an error that the script sees as `file:line: message`.
  package init(message: String) { self.init(message: message, kind: .message) }

  /// Makes the error of a wrong call. The host may collect the error instead of raising it, so that the script
  /// continues to the next mistake.
  package static func mistake(_ message: String) -> LuaHostError {
    LuaHostError(message: message, kind: .mistake)
  }

  package var isMistake: Bool { kind == .mistake }

  /// The error that ends the script silently: the script cannot catch it, and the host receives ``LuaError/aborted``.
  package static let abort = LuaHostError(message: "stopped by the host", kind: .abort)

  /// Passes on the error of a function that a host function called with ``LuaState/call(_:_:)``. Exceeded limits and
  /// aborts keep their kind. Any other error becomes a message that begins with the error's line, if it has one.
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

/// A line of the user's script, of a module that it required, or of a plugin that is written in Lua.
package struct ScriptLine: Sendable, Hashable {
  /// The script as it was given to ``LuaState/run(source:name:arguments:)``, such as `photobook.lua`, or the path of a
  /// module or a plugin.
  package let file: String
  /// The number of the line, from 1.
  package let line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

extension ScriptLine: CustomStringConvertible {
  /// The place, such as `photobook.lua:7`.
  package var description: String { "\(file):\(line)" }
}
