/// The calls in a Lua script whose results the script can no longer use: a call that is a statement, a call whose
/// result is assigned to a local variable that is never named again, and a call that the function of a dropped `map`
/// returns.
///
/// Parses the statements of a script that Lua has compiled: https://www.lua.org/manual/5.4/manual.html#9.
struct DroppedCalls {
  struct Call: Equatable {
    /// The last part of the called name: `resize` in `photo:resize(100)`.
    let name: String
    /// The variable before the name and its colon: `photo`; nil for any other expression, or without a colon.
    let receiver: String?
    /// Whether a colon stands before the name.
    let isMethod: Bool
    /// The lines of the whole call expression.
    let lines: ClosedRange<Int>
    /// The variable to which the result is assigned; nil for none.
    var variable: String?
    /// Whether the function of a dropped `map` returns the result.
    var isMapped = false
  }

  private(set) var all: [Call] = []
  private let tokens: [LuaTokens.Token]
  private var index = 0
  private var depth = 0
  /// The number of times that each name occurs in the script.
  private var counts: [String: Int] = [:]

  /// The error for tokens that cannot be parsed: Lua would not compile them either, or they are nested too deeply.
  private struct Unreadable: Error {}

  init(_ source: [UInt8]) {
    tokens = LuaTokens(source).all
    for case .name(let name) in tokens.map(\.kind) { counts[name, default: 0] += 1 }
    do {
      _ = try block()
      // If tokens are left, a word has ended a block that was never opened.
      guard index == tokens.count else { throw Unreadable() }
    } catch {
      all = []
    }
  }

  // MARK: - Tokens

  private var line: Int { index < tokens.count ? tokens[index].line : tokens.last?.line ?? 1 }

  private func isNext(_ sign: Character) -> Bool {
    index < tokens.count && tokens[index].kind == .sign(sign.asciiValue ?? 0)
  }

  private var word: String? {
    if index < tokens.count, case .name(let name) = tokens[index].kind { name } else { nil }
  }

  private mutating func take(_ sign: Character) -> Bool {
    guard isNext(sign) else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ sign: Character) throws(Unreadable) { if !take(sign) { throw Unreadable() } }

  private mutating func expect(word expected: String) throws(Unreadable) {
    guard word == expected else { throw Unreadable() }
    index += 1
  }

  private mutating func name() throws(Unreadable) -> String {
    guard let word, !Self.keywords.contains(word) else { throw Unreadable() }
    index += 1
    return word
  }

  private static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// Calls a closure at the next level of nesting. Lua itself allows at most 200 levels.
  private mutating func deeper<Result>(_ body: (inout Self) throws(Unreadable) -> Result) throws(Unreadable) -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth < 250 else { throw Unreadable() }
    return try body(&self)
  }

  // MARK: - Statements

  /// Reads statements up to a word that ends a block. Returns the calls whose results the block's `return` statements
  /// return.
  private mutating func block() throws(Unreadable) -> [Call] {
    try deeper { (reader) throws(Unreadable) in
      var returned: [Call] = []
      while reader.index < reader.tokens.count {
        if let word = reader.word, ["end", "else", "elseif", "until"].contains(word) { break }
        returned += try reader.statement()
      }
      return returned
    }
  }

  /// Reads a statement. Returns the calls whose results the statement returns from the function.
  private mutating func statement() throws(Unreadable) -> [Call] {
    guard let word else {
      if take(";") { return [] }
      if take(":") {
        try expect(":")
        _ = try name()
        try expect(":")
        try expect(":")
        return []
      }
      try expressionStatement()
      return []
    }
    switch word {
    case "if", "while": return try conditional()
    case "for":
      index += 1
      while self.word != "do", index < tokens.count {
        if self.word == "in" { index += 1 } else if !take("="), !take(",") { try expression() }
      }
      return try body(from: "do")
    case "do": return try body(from: "do")
    case "repeat":
      index += 1
      let returned = try block()
      try expect(word: "until")
      try expression()
      return returned
    case "function":
      index += 1
      _ = try name()
      while take(".") || take(":") { _ = try name() }
      _ = try function()
    case "local": try local()
    case "return":
      index += 1
      if index == tokens.count || isNext(";") || ["end", "else", "elseif", "until"].contains(self.word) { return [] }
      let calls = try expressions()
      return calls.count == 1 ? calls.compactMap(\.self) : []
    case "goto":
      index += 1
      _ = try name()
    case "break": index += 1
    default: try expressionStatement()
    }
    return []
  }

  private mutating func body(from word: String) throws(Unreadable) -> [Call] {
    try expect(word: word)
    let returned = try block()
    try expect(word: "end")
    return returned
  }

  private mutating func conditional() throws(Unreadable) -> [Call] {
    let isLoop = word == "while"
    var returned: [Call] = []
    repeat {
      index += 1
      try expression()
      try expect(word: isLoop ? "do" : "then")
      returned += try block()
    } while word == "elseif"
    if word == "else" {
      index += 1
      returned += try block()
    }
    try expect(word: "end")
    return returned
  }

  private mutating func local() throws(Unreadable) {
    index += 1
    if word == "function" {
      index += 1
      _ = try name()
      _ = try function()
      return
    }
    var names: [String] = []
    repeat {
      names.append(try name())
      if take("<") {
        _ = try name()
        try expect(">")
      }
    } while take(",")
    guard take("=") else { return }
    let calls = try expressions()
    if names.count == 1, calls.count == 1, var call = calls[0], counts[names[0]] == 1, !names[0].hasPrefix("_") {
      call.variable = names[0]
      all.append(call)
    }
  }

  /// Reads an assignment or a call.
  private mutating func expressionStatement() throws(Unreadable) {
    let (isCall, call, passed) = try suffixed()
    guard isCall else {
      while take(",") { _ = try suffixed() }
      try expect("=")
      _ = try expressions()
      return
    }
    guard let call else { return }
    all.append(call)
    guard call.name == "map" else { return }
    all += passed.map { call in
      var call = call
      call.isMapped = true
      return call
    }
  }

  // MARK: - Expressions

  /// Reads expressions separated by commas. Returns one item for each expression: the call, or nil if the expression is
  /// not a call.
  private mutating func expressions() throws(Unreadable) -> [Call?] {
    var calls = [try expression()]
    while take(",") { calls.append(try expression()) }
    return calls
  }

  /// Reads an expression, and returns it if it is a call, else nil.
  @discardableResult
  private mutating func expression() throws(Unreadable) -> Call? {
    try deeper { (reader) throws(Unreadable) in
      var call: Call?
      var count = 0
      repeat {
        while reader.takeUnary() { count += 1 }
        call = try reader.operand()
        count += 1
      } while reader.takeBinary()
      return count == 1 ? call : nil
    }
  }

  private mutating func takeUnary() -> Bool {
    if take("-") || take("#") || take("~") { return true }
    guard word == "not" else { return false }
    index += 1
    return true
  }

  private mutating func takeBinary() -> Bool {
    if word == "and" || word == "or" {
      index += 1
      return true
    }
    guard index < tokens.count else { return false }
    if tokens[index].kind == .join {
      index += 1
      return true
    }
    guard case .sign(let byte) = tokens[index].kind, "+-*/%^<>=~&|".utf8.contains(byte) else { return false }
    // `==`, `//`, `<<`, `~=` and others are two tokens. A single `=` is an assignment.
    let isDouble = index + 1 < tokens.count && "/<>=".utf8.contains { tokens[index + 1].kind == .sign($0) }
    guard byte != UInt8(ascii: "=") || isDouble else { return false }
    index += isDouble ? 2 : 1
    return true
  }

  private mutating func operand() throws(Unreadable) -> Call? {
    guard index < tokens.count else { throw Unreadable() }
    switch tokens[index].kind {
    case .literal, .dots: index += 1
    case .name("nil"), .name("true"), .name("false"): index += 1
    case .name("function"):
      index += 1
      _ = try function()
    case .sign(UInt8(ascii: "{")): try table()
    default:
      let (isCall, call, _) = try suffixed()
      return isCall ? call : nil
    }
    return nil
  }

  private mutating func table() throws(Unreadable) {
    try expect("{")
    while !take("}") {
      if take("[") {
        try expression()
        try expect("]")
        try expect("=")
      } else if word != nil, index + 1 < tokens.count, tokens[index + 1].kind == .sign(UInt8(ascii: "=")),
        index + 2 < tokens.count, tokens[index + 2].kind != .sign(UInt8(ascii: "="))
      {
        index += 2
      }
      try expression()
      if !take(","), !take(";"), !isNext("}") { throw Unreadable() }
    }
  }

  /// Reads the parameters and the body of a function. Returns the calls whose results the function returns.
  private mutating func function() throws(Unreadable) -> [Call] {
    try expect("(")
    while !take(")") {
      guard index < tokens.count else { throw Unreadable() }
      index += 1
    }
    let returned = try block()
    try expect(word: "end")
    return returned
  }

  /// Reads a variable or a call. Returns the call if it has a name, and the calls that functions among its arguments
  /// return.
  private mutating func suffixed() throws(Unreadable) -> (isCall: Bool, call: Call?, passed: [Call]) {
    let first = line
    // The variable before the called name, if there is one, and the name.
    var names: [String?] = []
    var (isCall, isMethod) = (false, false)
    if take("(") {
      try expression()
      try expect(")")
      names.append(nil)
    } else {
      names.append(try name())
    }
    var call: Call?
    var passed: [Call] = []
    while true {
      if take("[") {
        try expression()
        try expect("]")
        (isCall, isMethod, names) = (false, false, [nil])
      } else if isBeforeName(".") || isBeforeName(":") {
        (isCall, isMethod) = (false, isNext(":"))
        index += 1
        names = [names.count == 1 ? names[0] : nil, try name()]
      } else if let returned = try arguments() {
        let receiver = isMethod ? names[0] : nil
        call = names.last.flatMap(\.self).map {
          Call(name: $0, receiver: receiver, isMethod: isMethod, lines: first...max(first, tokens[index - 1].line))
        }
        (isCall, isMethod, passed, names) = (true, false, returned, [nil])
      } else {
        return (isCall, isCall ? call : nil, passed)
      }
    }
  }

  /// Returns whether the next tokens are this sign and a name.
  private func isBeforeName(_ sign: Character) -> Bool {
    guard isNext(sign), index + 1 < tokens.count, case .name = tokens[index + 1].kind else { return false }
    return true
  }

  /// Reads the arguments of a call. Returns the calls that functions among them return; nil if no arguments follow.
  private mutating func arguments() throws(Unreadable) -> [Call]? {
    if index < tokens.count, tokens[index].kind == .literal {
      index += 1
      return []
    }
    if isNext("{") {
      try table()
      return []
    }
    guard take("(") else { return nil }
    var returned: [Call] = []
    while !take(")") {
      if word == "function" {
        index += 1
        returned += try function()
      } else {
        try expression()
      }
      if !take(","), !isNext(")") { throw Unreadable() }
    }
    return returned
  }
}
