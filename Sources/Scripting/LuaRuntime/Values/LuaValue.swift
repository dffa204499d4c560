/// A Lua value as a plain Swift value: copied out of the state, so it may outlive it and cross threads.
///
/// Objects and functions are names of things that stay in the state; see ``LuaObject`` and
/// ``LuaFunction``.
package enum LuaValue: Sendable, Equatable {
  /// `nil`, or a missing argument.
  case none
  case boolean(Bool)
  case integer(Int)
  /// A Lua float. `2.0` is a number and not an integer, as in Lua.
  case number(Double)
  /// A Lua string. It may contain NUL.
  case string(String)
  /// A Lua string that is not UTF-8, as `PathBytes` has it: it may be a path.
  case notUTF8(String)
  case table(LuaTable)
  case object(LuaObject)
  case function(LuaFunction)
  /// A value without a Swift form, by its name in messages: "thread", "cyclic table".
  case unrepresentable(String)
}
