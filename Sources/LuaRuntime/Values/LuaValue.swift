/// A Lua value as a plain Swift value: copied out of the state, so it may outlive it and cross threads.
///
/// Objects and functions are names of things that stay in the state; see ``LuaObject`` and
/// ``LuaFunction``.
public indirect enum LuaValue: Sendable, Equatable {
  /// `nil`, which also stands for a missing argument.
  case none
  case boolean(Bool)
  case integer(Int)
  /// A Lua float. `2.0` is a number and not an integer, as in Lua.
  case number(Double)
  /// A Lua string; bytes that are not UTF-8 were replaced by U+FFFD. It may contain NUL.
  case string(String)
  case table(LuaTable)
  case object(LuaObject)
  case function(LuaFunction)
  /// What has no Swift form, named as an error message would: "thread", "cyclic table".
  case unrepresentable(String)
}
