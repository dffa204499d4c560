import CLuaFence
import Platform

/// Reads values from the tokens of `CLuaFence.h`, which C wrote and are therefore trusted.
struct TokenDecoder {
  private let bytes: UnsafeRawBufferPointer
  private let owner: Int
  private var position = 0

  /// Copies `count` values out of `bytes`.
  static func values(_ bytes: UnsafeRawBufferPointer, count: Int, owner: Int) -> [LuaValue] {
    var decoder = TokenDecoder(bytes: bytes, owner: owner)
    return (0..<count).map { _ in decoder.value() }
  }

  private init(bytes: UnsafeRawBufferPointer, owner: Int) {
    self.bytes = bytes
    self.owner = owner
  }

  private mutating func value() -> LuaValue {
    switch tag() {
    case SHIM_LUA_NIL: .none
    case SHIM_LUA_BOOLEAN: .boolean(tag() != 0)
    case SHIM_LUA_INTEGER: .integer(integer())
    case SHIM_LUA_NUMBER: .number(Double(bitPattern: UInt64(bitPattern: Int64(integer()))))
    case SHIM_LUA_STRING: string()
    case SHIM_LUA_FUNCTION: .function(LuaFunction(reference: integer(), owner: owner))
    case SHIM_LUA_OBJECT: object()
    case SHIM_LUA_UNREPRESENTABLE: .unrepresentable(text())
    case SHIM_LUA_TABLE: .table(table())
    case let other: preconditionFailure("no such token from Lua: \(other)")
    }
  }

  private mutating func object() -> LuaValue {
    let handle = integer()
    return .object(LuaObject(type: text(), handle: handle))
  }

  private mutating func table() -> LuaTable {
    var array: [LuaValue] = []
    while bytes[position] != SHIM_LUA_FIELDS { array.append(value()) }
    position += 1
    var fields: [(String, LuaValue)] = []
    while bytes[position] != SHIM_LUA_END {
      position += 1
      let name = text()
      fields.append((name, value()))
    }
    position += 1
    return LuaTable(array: array, fields: fields)
  }

  private mutating func tag() -> Int {
    defer { position += 1 }
    return Int(bytes[position])
  }

  private mutating func integer() -> Int {
    defer { position += 8 }
    return Int(bytes.loadUnaligned(fromByteOffset: position, as: Int64.self))
  }

  private mutating func string() -> LuaValue {
    let start = position
    if let text = validText() { return .string(text) }
    position = start
    let length = integer()
    defer { position += length }
    return .notUTF8(PathBytes.text(bytes: UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])))
  }

  /// Nil where the bytes are not UTF-8.
  private mutating func validText() -> String? {
    let length = integer()
    defer { position += length }
    return String(validating: UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]), as: UTF8.self)
  }

  private mutating func text() -> String {
    let length = integer()
    defer { position += length }
    return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]), as: UTF8.self)
  }
}
