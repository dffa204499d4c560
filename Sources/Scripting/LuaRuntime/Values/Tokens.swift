import CLuaFence
import Platform

/// Writes values as the tokens of `CLuaFence.h`.
struct TokenEncoder {
  private(set) var bytes: [UInt8] = []
  let owner: Int

  init(owner: Int) { self.owner = owner }

  /// Writes a value. Throws for values without a Lua form: a table deeper than 100 levels, or a value that had no Swift
  /// form.
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

  /// Writes a string's raw bytes, which need not be UTF-8.
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

/// Reads values from the tokens of `CLuaFence.h`, which are trusted because C wrote them.
struct TokenDecoder {
  private let bytes: UnsafeRawBufferPointer
  private let owner: Int
  private var position = 0

  /// Returns copies of the `count` values in `bytes`.
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
    let bytes = stringBytes()
    return String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .notUTF8(PathBytes.text(bytes: bytes))
  }

  private mutating func text() -> String { String(decoding: stringBytes(), as: UTF8.self) }

  private mutating func stringBytes() -> UnsafeRawBufferPointer {
    let length = integer()
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
  }
}
