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
