/// The languages whose sources hold messages.
enum SourceLanguage: String {
  case swift, c, lua

  init?(fileExtension: String) {
    switch fileExtension {
    case "swift": self = .swift
    case "c", "h": self = .c
    case "lua": self = .lua
    default: return nil
    }
  }
}

/// Reads the string literals of a source file. Literals joined by `+`, or side by side in C, become one.
struct LiteralScanner {
  /// Functions whose text reports a bug of the program itself.
  private static let bugReports: Set<String> = [
    "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError",
  ]

  private let bytes: [UInt8]
  private let language: SourceLanguage
  private var position = 0
  private var literals: [String] = []
  /// The names before the open parentheses.
  private var calls: [String] = []
  /// Whether only joiners came since the last literal.
  private var isJoining = false
  private var word = ""

  static func literals(in text: [UInt8], _ language: SourceLanguage) -> [String] {
    var scanner = LiteralScanner(bytes: text, language: language)
    scanner.scan()
    return scanner.literals
  }

  private init(bytes: [UInt8], language: SourceLanguage) {
    self.bytes = bytes
    self.language = language
  }

  private func starts(_ text: StaticString, at place: Int? = nil) -> Bool {
    let start = place ?? position
    guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
    return text.withUTF8Buffer { $0.elementsEqual(bytes[start..<start + $0.count]) }
  }

  private mutating func scan() {
    while position < bytes.count {
      if skipComment() { continue }
      switch bytes[position] {
      case UInt8(ascii: "\""): add(quoted(UInt8(ascii: "\"")))
      case UInt8(ascii: "'") where language == .lua: add(quoted(UInt8(ascii: "'")))
      case UInt8(ascii: "'") where language == .c: _ = quoted(UInt8(ascii: "'"))
      case UInt8(ascii: "#") where language == .swift && starts("#\""): add(raw())
      default: code()
      }
    }
  }

  private mutating func skipComment() -> Bool {
    if language == .lua {
      guard starts("--") else { return false }
      if starts("--[[") { return skip(to: "]]") }
      return skip(to: "\n")
    }
    if starts("//") { return skip(to: "\n") }
    return starts("/*") ? skip(to: "*/") : false
  }

  private mutating func skip(to end: StaticString) -> Bool {
    while position < bytes.count, !starts(end) { position += 1 }
    position += end.utf8CodeUnitCount
    return true
  }

  /// Reads a byte outside of literals and comments.
  private mutating func code() {
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"): break
    case UInt8(ascii: "+") where language == .swift: word = ""
    case UInt8(ascii: ".") where language == .lua: word = ""
    case UInt8(ascii: "("):
      calls.append(word)
      word = ""
      isJoining = false
    case UInt8(ascii: ")"):
      _ = calls.popLast()
      word = ""
      isJoining = false
    default:
      isJoining = false
      let isLetter =
        byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || byte == UInt8(ascii: "_")
      if isLetter { word.append(Character(UnicodeScalar(byte))) } else { word = "" }
    }
  }

  private mutating func add(_ text: String) {
    defer { isJoining = true }
    guard !calls.contains(where: Self.bugReports.contains) else { return }
    if isJoining, let last = literals.popLast() {
      literals.append(last + text)
    } else {
      literals.append(text)
    }
  }

  /// Reads a literal from its opening quote. Interpolations become `\()`.
  private mutating func quoted(_ quote: UInt8) -> String {
    let isLong = language == .swift && starts("\"\"\"")
    position += isLong ? 3 : 1
    var text: [UInt8] = []
    while position < bytes.count {
      if isLong ? starts("\"\"\"") : bytes[position] == quote { break }
      guard bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count else {
        text.append(bytes[position])
        position += 1
        continue
      }
      let escaped = bytes[position + 1]
      position += 2
      switch escaped {
      case UInt8(ascii: "(") where language == .swift:
        skipInterpolation()
        text += Array("\\()".utf8)
      case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "\n"): break
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): text.append(escaped)
      default: text += [UInt8(ascii: "\\"), escaped]
      }
    }
    position += isLong ? 3 : 1
    let result = String(decoding: text, as: UTF8.self)
    return isLong ? Self.withoutIndent(result) : result
  }

  private mutating func raw() -> String {
    position += 2
    let start = position
    while position < bytes.count, !starts("\"#") { position += 1 }
    defer { position += 2 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Skips an interpolation, and reads the literals in it as literals of their own.
  private mutating func skipInterpolation() {
    var inner = LiteralScanner(bytes: bytes, language: language)
    inner.position = position
    inner.calls = [""]
    while inner.position < bytes.count, !inner.calls.isEmpty {
      if bytes[inner.position] == UInt8(ascii: "\"") {
        inner.add(inner.quoted(UInt8(ascii: "\"")))
      } else {
        inner.code()
      }
    }
    position = inner.position
    if !calls.contains(where: Self.bugReports.contains) { literals += inner.literals }
    // The outer literal goes on; it must not join those inside.
    isJoining = false
  }

  /// The lines of a long literal without the indentation of its closing quotes.
  private static func withoutIndent(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 1, let last = lines.popLast() else { return text }
    return lines.dropFirst().map { $0.hasPrefix(last) ? $0.dropFirst(last.count) : $0 }.joined(separator: "\n")
  }
}
