/// One argument of an operation on the command line: `0.4`, `gravity=south`, `over="a,b.png"`, `black={0,10,0}`.
package struct ArgumentItem: Sendable, Equatable {
  /// A value as the user typed it.
  package indirect enum Word: Sendable, Equatable {
    case plain(String)
    /// A text in quotes.
    case quoted(String)
    case list([ArgumentItem])
  }

  /// A syntax error in arguments.
  package enum Mistake: Error, Equatable {
    case unclosed(Character)
    case trailing(String)
    case empty

    package var text: String {
      switch self {
      case .unclosed(let mark): "'\(mark)' has no end; put a text with this sign in quotes"
      case .trailing(let rest): "unexpected text after the closing sign: \(rest)"
      case .empty: "an argument is empty; put an empty text in quotes: \"\""
      }
    }
  }

  /// The name before the equals sign; nil for a positional argument.
  package let name: String?
  package let value: Word

  /// Parses arguments that are separated by commas.
  ///
  /// A comma starts the next argument if `NAME=` follows it. Otherwise, the comma belongs to the value, because file
  /// names and texts may contain commas.
  ///
  /// - Parameters:
  ///   - splits: whether positional arguments end at every comma.
  ///   - isText: returns whether the value with a name, or else at a position from 0, is a text. Braces in a text mark
  ///     fields and not lists.
  package static func items(
    _ text: String, splits: Bool, isText: (_ name: String?, _ position: Int) -> Bool = { _, _ in false }
  ) throws(Mistake) -> [ArgumentItem] {
    var rest = Substring(text)
    return try items(&rest, splits: splits, isNested: false, isText)
  }

  private static func items(
    _ rest: inout Substring, splits: Bool, isNested: Bool, _ isText: (String?, Int) -> Bool = { _, _ in false }
  ) throws(Mistake) -> [ArgumentItem] {
    var items: [ArgumentItem] = []
    while true {
      if isNested { rest = rest.drop { $0 == " " } }
      if isNested, items.isEmpty, rest.first == "}" { return items }
      let name = takeName(&rest)
      let takesList = !isText(name, items.count)
      items.append(
        ArgumentItem(name: name, value: try word(&rest, splits: splits && name == nil, isNested, takesList: takesList)))
      if isNested { rest = rest.drop { $0 == " " } }
      guard rest.first == "," else { return items }
      rest.removeFirst()
    }
  }

  /// Removes `NAME=` from the beginning, and returns the name; nil if there is none. Dashes in the name, as in options,
  /// become underscores.
  private static func takeName(_ rest: inout Substring) -> String? {
    guard let end = nameEnd(rest) else { return nil }
    let name = rest[..<end]
    rest = rest[end...].dropFirst()
    return String(name).replacing("-", with: "_")
  }

  /// Returns the index of the equals sign after a name; nil if the text does not begin with a name and this sign.
  private static func nameEnd(_ text: Substring) -> Substring.Index? {
    guard let first = text.utf8.first, isOfName(first), !(0x30...0x39).contains(first),
      let end = text.utf8.firstIndex(where: { !isOfName($0) && $0 != UInt8(ascii: "-") }),
      text.utf8[end] == UInt8(ascii: "=")
    else { return nil }
    return end
  }

  /// Returns whether a byte may occur in a name.
  package static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Parses a single value, as in an option: a list if it is in braces, otherwise the text as typed.
  package static func value(_ text: String) throws(Mistake) -> Word {
    guard text.hasPrefix("{") else { return .plain(text) }
    var rest = Substring(text)
    let value = try word(&rest, splits: false, false, takesList: true)
    guard rest.isEmpty else { throw .trailing(String(rest)) }
    return value
  }

  private static func word(_ rest: inout Substring, splits: Bool, _ isNested: Bool, takesList: Bool) throws(Mistake)
    -> Word
  {
    switch rest.first {
    case "\"":
      let text = try quoted(&rest)
      try expectEnd(rest, isNested)
      return .quoted(text)
    case "{" where takesList:
      rest.removeFirst()
      let items = try items(&rest, splits: true, isNested: true)
      guard rest.first == "}" else { throw .unclosed("{") }
      rest.removeFirst()
      try expectEnd(rest, isNested)
      return .list(items)
    default: return .plain(try plain(&rest, splits: splits, isNested))
    }
  }

  /// Removes a quoted text from the beginning. A backslash escapes quotes and backslashes in it.
  private static func quoted(_ rest: inout Substring) throws(Mistake) -> String {
    rest.removeFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return text }
      if character == "\\", let next = rest.first, next == "\"" || next == "\\" {
        text.append(rest.removeFirst())
      } else {
        text.append(character)
      }
    }
    throw .unclosed("\"")
  }

  private static func expectEnd(_ rest: Substring, _ isNested: Bool) throws(Mistake) {
    let after = isNested ? rest.drop { $0 == " " } : rest
    guard let next = after.first, next != ",", !(isNested && next == "}") else { return }
    throw .trailing(String(after))
  }

  private static func plain(_ rest: inout Substring, splits: Bool, _ isNested: Bool) throws(Mistake) -> String {
    var text = ""
    while let character = rest.first {
      if isNested, character == "}" { break }
      if character == ",", splits || isNested || nameEnd(rest.dropFirst()) != nil { break }
      text.append(rest.removeFirst())
    }
    if isNested { while text.last == " " { text.removeLast() } }
    guard !text.isEmpty else { throw .empty }
    return text
  }
}
