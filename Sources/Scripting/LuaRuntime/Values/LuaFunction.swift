/// A Lua function that the host may call later with ``LuaState/call(_:_:)``.
///
/// The state keeps the function alive until it closes. The same Lua function always gives an equal
/// `LuaFunction`. It belongs to one state; calling it on another is a bug and stops the process.
package struct LuaFunction: Sendable, Hashable {
  let reference: Int
  /// The number of its state, see ``LuaState``.
  let owner: Int
}
