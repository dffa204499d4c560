/// The names and dots in the text of a Lua script, without comments and texts in quotes.
///
/// https://www.lua.org/manual/5.4/manual.html#3.1
struct LuaWords {
  private var words: Set<String> = []

  init(_ source: [UInt8]) {
    var rest = source[...]
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "-") where rest.dropFirst().first == byte: Self.skipComment(&rest)
      case UInt8(ascii: "["):
        if !Self.skipLongText(&rest) { rest.removeFirst() }
      case UInt8(ascii: "\""), UInt8(ascii: "'"): Self.skipText(&rest, byte)
      case UInt8(ascii: "."):
        let dots = rest.prefix { $0 == byte }
        if dots.count == 3 { words.insert("...") }
        rest = rest.dropFirst(dots.count)
      case _ where Self.isOfName(byte):
        let name = rest.prefix(while: Self.isOfName)
        words.insert(String(decoding: name, as: UTF8.self))
        rest = rest.dropFirst(name.count)
      default: rest.removeFirst()
      }
    }
  }

  func contains(_ word: String) -> Bool { words.contains(word) }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func skipComment(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.dropFirst(2)
    if skipLongText(&rest) { return }
    rest = rest.drop { $0 != UInt8(ascii: "\n") }
  }

  /// Skips `[[…]]` or `[=[…]=]`; false if the next bytes begin neither.
  private static func skipLongText(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let (open, close, sign) = (UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "="))
    guard rest.first == open else { return false }
    let level = rest.dropFirst().prefix { $0 == sign }.count
    guard rest.dropFirst(1 + level).first == open else { return false }
    let end = [close] + [UInt8](repeating: sign, count: level) + [close]
    rest = rest.dropFirst(2 + level)
    while !rest.isEmpty, !rest.starts(with: end) { rest.removeFirst() }
    rest = rest.dropFirst(end.count)
    return true
  }

  private static func skipText(_ rest: inout ArraySlice<UInt8>, _ quote: UInt8) {
    rest.removeFirst()
    while let byte = rest.popFirst(), byte != quote, byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\\") { _ = rest.popFirst() }
    }
  }
}
