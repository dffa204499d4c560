/// A Lua value as a plain Swift value: a copy, which may outlive the state and be passed between threads.
///
/// Objects and functions are only references to things that stay in the state: see ``LuaObject`` and ``LuaFunction``.
package enum LuaValue: Sendable, Equatable {
  /// `nil`, or a missing argument.
  case none
  case boolean(Bool)
  case integer(Int)
  /// A Lua float. `2.0` is a number and not an integer, as in Lua.
  case number(Double)
  /// A Lua string. It may contain NUL.
  case string(String)
  /// A Lua string that is not UTF-8, in the form of `PathBytes`, because it may be a path.
  case notUTF8(String)
  case table(LuaTable)
  case object(LuaObject)
  case function(LuaFunction)
  /// A value without a Swift form, with its name for messages: "thread", "cyclic table".
  case unrepresentable(String)
}

/// A copy of a Lua table: the items 1…n, and the fields with text keys.
///
/// A table becomes ``LuaValue/unrepresentable(_:)`` instead if it has any other key, if it is nested in 16 other
/// tables, or where it occurs inside itself. A value with more than a million items in all becomes unrepresentable as a
/// whole. Metatables are ignored.
package struct LuaTable: Sendable, Equatable {
  /// The items 1…n in order. Holes that Lua counts in the table's length are ``LuaValue/none``.
  package var array: [LuaValue]
  /// The fields sorted by key, because Lua's own order differs from run to run.
  package var fields: [(String, LuaValue)]

  package init(array: [LuaValue] = [], fields: [(String, LuaValue)] = []) {
    self.array = array
    self.fields = fields.sorted { $0.0 < $1.0 }
  }

  /// Returns the field with this name, or ``LuaValue/none``. Takes time in proportion to the number of fields.
  package subscript(name: String) -> LuaValue {
    fields.first { $0.0 == name }?.1 ?? .none
  }

  package static func == (left: LuaTable, right: LuaTable) -> Bool {
    left.array == right.array && left.fields.elementsEqual(right.fields) { $0.0 == $1.0 && $0.1 == $1.1 }
  }
}

/// A Lua function that the host may call later with ``LuaState/call(_:_:)``.
///
/// The state keeps the function alive until it closes. The same Lua function always gives an equal `LuaFunction`. A
/// function belongs to one state; calling it in another is a bug, and stops the process.
package struct LuaFunction: Sendable, Hashable {
  let reference: Int
  /// The number of the state that owns the function: see ``LuaState/identity``.
  let owner: Int
}

/// An object of the host that a script holds: in Lua, a full userdata with the metatable `types[type]` of the prelude.
///
/// Two objects with the same type and handle are one userdata in Lua while the script holds it, so that `==` and table
/// keys work without a metamethod. Only the host knows what the handle means; Lua does not notify the host when it
/// frees the userdata.
package struct LuaObject: Sendable, Hashable {
  package let type: String
  package let handle: Int

  package init(type: String, handle: Int) {
    self.type = type
    self.handle = handle
  }
}
