import ImageCore
import Platform

/// A value in the source code of a Lua script.
package indirect enum LuaLiteral: Sendable, Equatable {
  /// Lua code, such as a number, `true` or a name.
  case word(String)
  case text(String)
  case list([LuaLiteral])
  case table([(name: String, value: LuaLiteral)])
  /// A picture file, which the script opens.
  case picture(path: String)

  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// The value as Lua source code.
  package var code: String {
    switch self {
    case .word(let word): word
    case .text(let text): Self.quoted(text)
    case .list(let items): items.isEmpty ? "{}" : "{ " + items.map(\.code).joined(separator: ", ") + " }"
    case .table(let fields):
      fields.isEmpty ? "{}" : "{ " + fields.map { Self.field($0.name, $0.value) }.joined(separator: ", ") + " }"
    case .picture(let path): "img.open(\(Self.quoted(path)))"
    }
  }

  /// Returns one field of a table: `name = value`.
  package static func field(_ name: String, _ value: LuaLiteral) -> String {
    (isName(name) ? name : "[\(quoted(name))]") + " = " + value.code
  }

  /// Returns a text as a quoted string.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      default:
        // A byte above 127 has three digits, so a digit that follows is not taken for a part of the escape.
        if let byte = PathBytes.byte(of: scalar) {
          result += "\\\(byte)"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// Lua's reserved words: https://www.lua.org/manual/5.4/manual.html#3.1
  private static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not",
    "or", "repeat", "return", "then", "true", "until", "while",
  ]

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return !reserved.contains(text) && text.utf8.allSatisfy(ArgumentItem.isOfName)
  }

  /// Returns a number as a literal that Lua parses to the same value; nil if the text is not a finite decimal number.
  static func number(_ text: String) -> LuaLiteral? {
    if let whole = Int(text) { return .word(String(whole)) }
    guard let value = Double(text), value.isFinite, !text.lowercased().contains("x") else { return nil }
    // The digits are kept as typed if Lua parses them identically.
    let isPlain = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
    }
    return .word(isPlain && !text.hasPrefix(".") && !text.hasPrefix("-.") && !text.hasSuffix(".") ? text : "\(value)")
  }
}
