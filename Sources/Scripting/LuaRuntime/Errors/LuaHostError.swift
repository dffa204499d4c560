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
