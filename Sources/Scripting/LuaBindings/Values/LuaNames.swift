/// The names in a Lua script by their uses: the variables that the script sets, and the names that are the whole value
/// of an argument, or of a field in a table among the arguments.
///
/// https://www.lua.org/manual/5.4/manual.html#9
struct LuaNames {
  /// A name as the whole value of an argument, or of a field in a table among the arguments.
  struct Use: Hashable {
    /// The called function: `save` in `photo:save("a.jpg", { quality = best })`.
    let function: String
    /// Whether a colon stands before the function.
    let isMethod: Bool
    /// The name before the function's dot or colon; nil for another expression.
    let receiver: String?
    /// The field with the value; nil for an argument without a name.
    let option: String?
    /// The line where the arguments begin. It is also the line of the call, unless the called name is on an earlier
    /// line.
    let line: Int
  }

  /// The local variables, parameters and loop variables.
  private(set) var locals: Set<String> = []
  /// The variables that assignments and function statements set.
  private(set) var assigned: Set<String> = []
  /// The variables that hold modules.
  private(set) var modules: Set<String> = []
  /// Whether the script may set globals in ways that its text does not show.
  var isDynamic: Bool {
    ["_G", "_ENV", "load", "loadstring"].contains { mentioned.contains($0) || locals.contains($0) }
  }
  private var mentioned: Set<String> = []
  private var uses: [String: [Int: Use]] = [:]
  private let tokens: [LuaTokens.Token]
  private var open: [Frame] = []
  /// The first token that has not been read.
  private var next = 0

  /// A bracket or a block that is not closed yet.
  private struct Frame {
    /// The bracket; nil for a block.
    let bracket: Character?
    /// The call whose arguments are in the bracket, with `option` nil; nil for other brackets and for blocks.
    let call: Use?
  }

  init(_ source: [UInt8]) {
    tokens = LuaTokens(source).all
    for index in tokens.indices where index >= next {
      switch tokens[index].kind {
      case .name(let name): read(name, index)
      case .sign(let byte): read(Character(Unicode.Scalar(byte)), index)
      case .literal, .dots, .join: break
      }
    }
  }

  /// Returns the use of a name in a line; nil if it is not the whole value of anything there.
  func use(of name: String, inLine line: Int) -> Use? { uses[name]?[line] }

  /// Returns the number of lines where a name is the whole value of anything.
  func useCount(of name: String) -> Int { uses[name]?.count ?? 0 }

  // MARK: - Tokens

  private func sign(_ index: Int) -> Character? {
    guard tokens.indices.contains(index), case .sign(let byte) = tokens[index].kind else { return nil }
    return Character(Unicode.Scalar(byte))
  }

  private func word(_ index: Int) -> String? {
    guard tokens.indices.contains(index), case .name(let name) = tokens[index].kind else { return nil }
    return name
  }

  private func isSign(_ index: Int, of signs: String) -> Bool { sign(index).map(signs.contains) ?? false }

  /// Returns whether the token after a name is the sign of an assignment or of a field, and does not begin `==`.
  private func isEqual(_ index: Int) -> Bool { sign(index) == "=" && sign(index + 1) != "=" }

  // MARK: - Brackets and blocks

  private mutating func read(_ sign: Character, _ index: Int) {
    switch sign {
    case "(", "{", "[": open.append(Frame(bracket: sign, call: sign == "[" ? nil : call(at: index)))
    case ")", "}", "]": _ = open.popLast()
    default: break
    }
  }

  /// Returns the method or the module's function whose arguments begin at a bracket; nil for another bracket.
  private func call(at index: Int) -> Use? {
    guard let function = word(index - 1), isSign(index - 2, of: ".:") else { return nil }
    return Use(
      function: function, isMethod: sign(index - 2) == ":", receiver: word(index - 3), option: nil,
      line: tokens[index].line)
  }

  // MARK: - Names

  private mutating func read(_ name: String, _ index: Int) {
    switch name {
    case "function":
      open.append(Frame(bracket: nil, call: nil))
      readFunction(index)
    case "if", "do", "repeat": open.append(Frame(bracket: nil, call: nil))
    case "end", "until": _ = open.popLast()
    case "local", "for": readVariables(after: index)
    default: readVariable(name, index)
    }
  }

  /// Reads the name and the parameters of a function.
  private mutating func readFunction(_ index: Int) {
    var index = index + 1
    if let name = word(index) {
      if word(index - 2) == "local" { locals.insert(name) } else if sign(index + 1) == "(" { assigned.insert(name) }
      while index < tokens.count, sign(index) != "(" { index += 1 }
    }
    while index < tokens.count, sign(index) != ")" {
      if let name = word(index) { locals.insert(name) }
      index += 1
    }
  }

  /// Reads the variables of `local` or `for`.
  private mutating func readVariables(after index: Int) {
    next = index + 1
    while let name = word(next), name != "function" {
      locals.insert(name)
      next += 1
      if isEqual(next), word(next + 1) == "require" { modules.insert(name) }
      if sign(next) == "<" { next += 3 }
      guard sign(next) == "," else { return }
      next += 1
    }
  }

  private mutating func readVariable(_ name: String, _ index: Int) {
    mentioned.insert(name)
    guard !isSign(index - 1, of: ".:") else { return }
    if isEqual(index + 1) {
      if open.last?.bracket == "{", isSign(index - 1, of: "{,;") { return }
      if word(index + 2) == "require" { modules.insert(name) }
      readAssignment(index)
    } else if isSign(index - 1, of: "({,;="), isSign(index + 1, of: ",)};"), let use = use(index) {
      uses[name, default: [:]][tokens[index].line] = use
    }
  }

  /// Reads the variables before the sign of an assignment, from the last to the first.
  private mutating func readAssignment(_ last: Int) {
    var index = last
    while let name = word(index) {
      assigned.insert(name)
      guard sign(index - 1) == "," else { return }
      index -= 2
    }
  }

  /// Returns the use of a value in the innermost call around it; nil if it is not a whole argument or a whole field.
  private func use(_ index: Int) -> Use? {
    let isField = sign(index - 1) == "=" && isSign(index - 3, of: "{,;") && open.last?.bracket == "{"
    guard isField || sign(index - 1) != "=" else { return nil }
    let option = isField ? word(index - 2) : nil
    for frame in open.reversed() {
      if let call = frame.call {
        return Use(
          function: call.function, isMethod: call.isMethod, receiver: call.receiver, option: option, line: call.line)
      }
      guard frame.bracket == "{" else { return nil }
    }
    return nil
  }
}
