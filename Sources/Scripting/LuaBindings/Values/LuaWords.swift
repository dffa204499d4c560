/// The names in the text of a Lua script, and `...`, without comments and texts in quotes.
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
