/// The tokens of a Lua script with their lines, without comments.
///
/// https://www.lua.org/manual/5.4/manual.html#3.1
struct LuaTokens {
  enum Kind: Equatable {
    /// A name or a keyword.
    case name(String)
    /// A number or a string.
    case literal
    /// `...`
    case dots
    /// `..`
    case join
    /// One byte of an operator or a bracket: `==` is two tokens.
    case sign(UInt8)
  }

  struct Token {
    let kind: Kind
    let line: Int
  }

  private(set) var all: [Token] = []
  private var line = 1

  init(_ source: [UInt8]) {
    var rest = source[...]
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
    if rest.first == UInt8(ascii: "#") { rest = rest.drop { $0 != UInt8(ascii: "\n") } }
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\n"): skip(&rest, 1)
      case UInt8(ascii: "-") where rest.dropFirst().first == byte: skipComment(&rest)
      case UInt8(ascii: "[") where Self.level(rest) != nil: add(.literal) { $0.skipLongText(&rest) }
      case UInt8(ascii: "\""), UInt8(ascii: "'"): add(.literal) { $0.skipText(&rest, byte) }
      case _ where Self.isDigit(rest.first) || byte == UInt8(ascii: ".") && Self.isDigit(rest.dropFirst().first):
        add(.literal) { $0.skipNumber(&rest) }
      case UInt8(ascii: "."):
        let dots = min(rest.prefix { $0 == byte }.count, 3)
        add(dots == 3 ? .dots : dots == 2 ? .join : .sign(byte)) { $0.skip(&rest, dots) }
      case _ where Self.isOfName(byte):
        let name = rest.prefix(while: Self.isOfName)
        add(.name(String(decoding: name, as: UTF8.self))) { $0.skip(&rest, name.count) }
      case 0...0x20: skip(&rest, 1)
      default: add(.sign(byte)) { $0.skip(&rest, 1) }
      }
    }
  }

  /// The names, and `...`.
  var words: Set<String> {
    Set(
      all.compactMap { token in
        switch token.kind {
        case .name(let name): name
        case .dots: "..."
        case .literal, .join, .sign: nil
        }
      })
  }

  /// Adds a token with the line where it begins.
  private mutating func add(_ kind: Kind, _ skip: (inout Self) -> Void) {
    all.append(Token(kind: kind, line: line))
    skip(&self)
  }

  private mutating func skip(_ rest: inout ArraySlice<UInt8>, _ count: Int) {
    line += rest.prefix(count).count { $0 == UInt8(ascii: "\n") }
    rest = rest.dropFirst(count)
  }

  private static func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }

  /// Skips a decimal or hexadecimal number with its fraction and exponent.
  private mutating func skipNumber(_ rest: inout ArraySlice<UInt8>) {
    let isHexadecimal = rest.first == 0x30 && rest.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
    let exponent = isHexadecimal ? UInt8(ascii: "p") : UInt8(ascii: "e")
    var last: UInt8 = 0
    while let byte = rest.first {
      let isSign = (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")) && last | 0x20 == exponent
      guard isSign || byte == UInt8(ascii: ".") || Self.isOfName(byte) else { return }
      last = byte
      skip(&rest, 1)
    }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func endsLine(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

  private mutating func skipComment(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.dropFirst(2)
    if Self.level(rest) != nil { return skipLongText(&rest) }
    rest = rest.drop { !Self.endsLine($0) }
  }

  /// Returns the number of equals signs in the bracket that opens `[[…]]` or `[=[…]=]`; nil for other brackets.
  private static func level(_ rest: ArraySlice<UInt8>) -> Int? {
    guard rest.first == UInt8(ascii: "[") else { return nil }
    let level = rest.dropFirst().prefix { $0 == UInt8(ascii: "=") }.count
    return rest.dropFirst(1 + level).first == UInt8(ascii: "[") ? level : nil
  }

  private mutating func skipLongText(_ rest: inout ArraySlice<UInt8>) {
    guard let level = Self.level(rest) else { return }
    let close = UInt8(ascii: "]")
    let end = [close] + [UInt8](repeating: UInt8(ascii: "="), count: level) + [close]
    skip(&rest, 2 + level)
    while !rest.isEmpty, !rest.starts(with: end) { skip(&rest, 1) }
    skip(&rest, end.count)
  }

  /// Skips a backslash and the character, or the line end of two characters, after it. After `\z`, also skips white
  /// space.
  private mutating func skipEscape(_ rest: inout ArraySlice<UInt8>) {
    let escaped = rest.dropFirst().first
    let pair = rest.dropFirst().prefix(2)
    let isPair = pair.count == 2 && pair.allSatisfy(Self.endsLine) && pair.first != pair.last
    skip(&rest, isPair ? 3 : 2)
    if escaped == UInt8(ascii: "z") {
      skip(&rest, rest.prefix { $0 == 0x20 || (0x09...0x0d).contains($0) }.count)
    }
  }

  private mutating func skipText(_ rest: inout ArraySlice<UInt8>, _ quote: UInt8) {
    skip(&rest, 1)
    while let byte = rest.first, byte != quote, !Self.endsLine(byte) {
      if byte == UInt8(ascii: "\\") { skipEscape(&rest) } else { skip(&rest, 1) }
    }
    if rest.first == quote { skip(&rest, 1) }
  }
}
