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

/// A copy of a Lua table: positions 1…n and the fields with text keys.
///
/// A table with any other key, with a cycle, deeper than 16 levels, or one of a value with more than
/// a million items in all does not become a `LuaTable` but ``LuaValue/unrepresentable(_:)``.
/// Metatables are not looked at.
package struct LuaTable: Sendable, Equatable {
  /// Items 1…n in order. Holes that Lua counts in its length are ``LuaValue/none``.
  package var array: [LuaValue]
  /// Fields sorted by key, because Lua's own order differs from run to run.
  package var fields: [(String, LuaValue)]

  package init(array: [LuaValue] = [], fields: [(String, LuaValue)] = []) {
    self.array = array
    self.fields = fields.sorted { $0.0 < $1.0 }
  }

  /// The field named `name`, or ``LuaValue/none``. Linear in the number of fields.
  package subscript(name: String) -> LuaValue {
    fields.first { $0.0 == name }?.1 ?? .none
  }

  package static func == (left: LuaTable, right: LuaTable) -> Bool {
    left.array == right.array && left.fields.elementsEqual(right.fields) { $0.0 == $1.0 && $0.1 == $1.1 }
  }
}

/// A Lua function that the host may call later with ``LuaState/call(_:_:)``.
///
/// The state keeps the function alive until it closes. The same Lua function always gives an equal
/// `LuaFunction`. It belongs to one state; calling it on another is a bug and stops the process.
package struct LuaFunction: Sendable, Hashable {
  let reference: Int
  /// The number of its state, see ``LuaState``.
  let owner: Int
}

/// An object of the host that a script holds: in Lua a full userdata with the metatable
/// `types[type]` of the prelude.
///
/// Two objects with the same type and handle are one userdata in Lua while the script holds it, so
/// `==` and table keys work without a metamethod. The handle means something to the host alone; the
/// host is not told when Lua drops the userdata.
package struct LuaObject: Sendable, Hashable {
  package let type: String
  package let handle: Int

  package init(type: String, handle: Int) {
    self.type = type
    self.handle = handle
  }
}
