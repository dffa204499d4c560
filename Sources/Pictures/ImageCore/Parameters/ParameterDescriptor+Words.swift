/// Values that are written as words, as on a command line.
extension ParameterDescriptor {
  /// Reads a word, such as `200`, `true`, `#ff0000` or `0.5,0.5`, and checks it like the argument of a call.
  public func value(ofWord word: String) throws(ArgumentError) -> ParameterValue {
    do throws(ArgumentError) {
      return try check(kind.read(word))
    } catch .wrongType(let name, let expected, _) {
      // Every word is a string; the word itself says what is wrong with it.
      throw .wrongType(name: name, expected: expected, found: "'\(word)'")
    }
  }
}

extension ParameterKind {
  /// Returns the value that a word stands for; the word as a text if it stands for nothing of this kind.
  fileprivate func read(_ word: String) -> ParameterValue {
    switch self {
    case .boolean: Self.boolean(word) ?? .text(word)
    case .booleanOrInteger: Self.boolean(word) ?? Self.number(word) ?? .text(word)
    case .integer, .side, .number, .numberOrShare, .lengths, .byteCount: Self.number(word) ?? .text(word)
    case .numbers: Self.numbers(word) ?? .text(word)
    case .choice, .choiceOrList, .text, .colour, .fields, .data, .texts, .textList, .picture, .jobs: .text(word)
    }
  }

  private static func boolean(_ word: String) -> ParameterValue? {
    switch word {
    case "true": .boolean(true)
    case "false": .boolean(false)
    default: nil
    }
  }

  /// Reads a decimal number. Swift would also read `0x1p3`, `inf` and `nan`.
  private static func number(_ word: String) -> ParameterValue? {
    guard word.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Int(word).map { .integer($0) } ?? Double(word).map { .number($0) }
  }

  private static func numbers(_ word: String) -> ParameterValue? {
    let parts = word.split(separator: ",", omittingEmptySubsequences: false).map { number(String($0)) }
    return parts.contains(nil) ? nil : .list(parts.compactMap { $0 })
  }
}
