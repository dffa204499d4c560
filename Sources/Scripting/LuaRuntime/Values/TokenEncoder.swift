import CLuaFence
import Platform

/// Writes values as the tokens of `CLuaFence.h`.
struct TokenEncoder {
  private(set) var bytes: [UInt8] = []
  let owner: Int

  init(owner: Int) { self.owner = owner }

  /// Throws for what Lua cannot be given: a table deeper than 100 levels, a value that had no Swift form.
  mutating func value(_ value: LuaValue, depth: Int = 0) throws(LuaHostError) {
    switch value {
    case .none: tag(SHIM_LUA_NIL)
    case .boolean(let flag):
      tag(SHIM_LUA_BOOLEAN)
      bytes.append(flag ? 1 : 0)
    case .integer(let integer):
      tag(SHIM_LUA_INTEGER)
      word(UInt64(bitPattern: Int64(integer)))
    case .number(let number):
      tag(SHIM_LUA_NUMBER)
      word(number.bitPattern)
    case .string(let text): string(text)
    case .function(let function):
      precondition(function.owner == owner, "a LuaFunction of another state")
      tag(SHIM_LUA_FUNCTION)
      word(UInt64(bitPattern: Int64(function.reference)))
    case .object(let object):
      tag(SHIM_LUA_OBJECT)
      word(UInt64(bitPattern: Int64(object.handle)))
      text(object.type)
    case .table(let table):
      guard depth < 100 else { throw LuaHostError(message: "a table is nested too deeply") }
      try self.table(table, depth: depth + 1)
    case .notUTF8(let text): string(text)
    case .unrepresentable(let what):
      throw LuaHostError(message: "a \(what) cannot be handed to Lua")
    }
  }

  mutating func string(_ string: String) {
    tag(SHIM_LUA_STRING)
    text(string)
  }

  /// A string's raw bytes, UTF-8 or not.
  mutating func string(bytes string: [UInt8]) {
    tag(SHIM_LUA_STRING)
    word(UInt64(string.count))
    bytes += string
  }

  private mutating func table(_ table: LuaTable, depth: Int) throws(LuaHostError) {
    tag(SHIM_LUA_TABLE)
    for item in table.array { try value(item, depth: depth) }
    tag(SHIM_LUA_FIELDS)
    for (name, field) in table.fields {
      tag(SHIM_LUA_STRING)
      text(name)
      try value(field, depth: depth)
    }
    tag(SHIM_LUA_END)
  }

  private mutating func tag(_ tag: Int) { bytes.append(UInt8(tag)) }

  private mutating func word(_ word: UInt64) { withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) } }

  private mutating func text(_ text: String) {
    guard !PathBytes.containsMark(text) else {
      let raw = PathBytes.bytes(of: text)
      word(UInt64(raw.count))
      return bytes += raw
    }
    word(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}
