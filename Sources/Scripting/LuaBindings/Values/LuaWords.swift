/// The names in a Lua script, and `...`, except in comments and strings.
struct LuaWords {
  private let words: Set<String>

  init(_ source: [UInt8]) {
    words = Set(
      LuaTokens(source).all.compactMap { token in
        switch token.kind {
        case .name(let name): name
        case .dots: "..."
        case .literal, .join, .sign: nil
        }
      })
  }

  func contains(_ word: String) -> Bool { words.contains(word) }
}

extension ScriptSession {
  /// Returns whether a script, or a module that it loads besides `imghost`, may use the script's arguments.
  package static func mayReadArguments(_ source: [UInt8]) -> Bool {
    let loaders: Set = ["arg", "load", "loadfile", "dofile", "searchers", "preload"]
    var requires = 0
    for token in LuaTokens(source).all {
      switch token.kind {
      case .dots: return true
      case .name("require"): requires += 1
      case .name(let name) where loaders.contains(name): return true
      default: break
      }
    }
    // The tokens of strings do not contain the strings.
    let text = String(decoding: source, as: UTF8.self)
    let own = ["\"imghost\"", "'imghost'"].flatMap { ["require " + $0, "require(" + $0, "require" + $0] }
    return requires > 1 || requires == 1 && !own.contains(where: text.contains)
  }
}
