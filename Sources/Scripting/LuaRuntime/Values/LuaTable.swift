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
