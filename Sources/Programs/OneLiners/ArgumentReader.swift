import ImageCore
import ImagePipeline

/// Converts an argument of the command line into a value of the script.
enum ArgumentReader {
  /// Returns the value of a parameter.
  ///
  /// - Parameter parameter: the declaration; nil for an unknown parameter, whose type is derived from the syntax of the
  ///   value.
  static func literal(_ word: ArgumentItem.Word, _ name: String, _ parameter: ParameterDescriptor?)
    throws(ArgumentError) -> LuaLiteral
  {
    guard let kind = parameter?.kind else { return free(word) }
    switch kind {
    case .boolean:
      if case .plain(let text) = word, text == "true" || text == "false" { return .word(text) }
    case .booleanOrInteger:
      if case .plain(let text) = word, text == "true" || text == "false" { return .word(text) }
      if let number = number(word) { return number }
    case .integer, .number: if let number = number(word) { return number }
    case .numbers: if let numbers = numbers(word) { return numbers }
    case .side, .numberOrShare, .byteCount, .lengths:
      if let number = number(word) { return number }
      return textOrList(word)
    case .colour:
      if let numbers = numbers(word), case .list = numbers { return numbers }
      return textOrList(word)
    case .text, .choice: if let text = text(word) { return .text(text) }
    case .texts:
      if let text = text(word) { return .list([.text(text)]) }
      return textOrList(word)
    case .textList, .choiceOrList, .fields: return textOrList(word)
    case .picture: if let path = text(word) { return .picture(path: path) }
    case .data: return free(word)
    case .jobs: throw .outOfRange(name: name, value: shown(word), range: "jobs, which only a script has")
    }
    throw .outOfRange(name: name, value: shown(word), range: kind.phrase)
  }

  /// Converts a value by its syntax: a number, true or false, a list in braces, numbers with commas, or text.
  private static func free(_ word: ArgumentItem.Word) -> LuaLiteral {
    switch word {
    case .plain("true"), .plain("false"): .word(text(word) ?? "")
    case .plain: numbers(word) ?? textOrList(word)
    case .quoted, .list: textOrList(word, numbersToo: true)
    }
  }

  private static func text(_ word: ArgumentItem.Word) -> String? {
    switch word {
    case .plain(let text), .quoted(let text): text
    case .list: nil
    }
  }

  private static func number(_ word: ArgumentItem.Word) -> LuaLiteral? {
    if case .plain(let text) = word { LuaLiteral.number(text) } else { nil }
  }

  /// Returns a number, or a list of numbers with commas or in braces; nil if any part of it is not a number.
  private static func numbers(_ word: ArgumentItem.Word) -> LuaLiteral? {
    switch word {
    case .plain(let text):
      if let number = LuaLiteral.number(text) { return number }
      let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { LuaLiteral.number(String($0)) }
      return parts.count > 1 ? whole(parts) : nil
    case .quoted: return nil
    case .list(let items):
      return items.contains { $0.name != nil } ? nil : whole(items.map { numbers($0.value) })
    }
  }

  private static func whole(_ parts: [LuaLiteral?]) -> LuaLiteral? {
    let known = parts.compactMap(\.self)
    return known.count == parts.count ? .list(known) : nil
  }

  /// Returns a text or the contents of braces: a table if all items have names, else a list.
  private static func textOrList(_ word: ArgumentItem.Word, numbersToo: Bool = false) -> LuaLiteral {
    switch word {
    case .plain(let text), .quoted(let text): return .text(text)
    case .list(let items):
      let values = items.map { item in
        if case .list = item.value { return textOrList(item.value, numbersToo: numbersToo) }
        let isFree = numbersToo || item.name != nil
        return isFree ? free(item.value) : textOrList(item.value)
      }
      let names = items.compactMap(\.name)
      return names.count == items.count && !names.isEmpty
        ? .table(zip(names, values).map { (name: $0, value: $1) }) : .list(values)
    }
  }

  /// Returns the value for messages.
  static func shown(_ word: ArgumentItem.Word) -> String {
    switch word {
    case .plain(let text), .quoted(let text): "'\(printable(text))'"
    case .list: "a list in braces"
    }
  }
}
