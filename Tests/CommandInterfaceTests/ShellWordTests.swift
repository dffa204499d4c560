import Testing

@testable import CommandInterface

struct ShellWordTests {
  static let words: [(String, String)] = [
    ("", "''"), ("book.lua", "book.lua"), ("--out=/a/b", "--out=/a/b"), ("a b", "'a b'"), ("it's", "'it'\\''s'"),
    ("$HOME", "'$HOME'"), ("a\nb", "'a\nb'"), ("~", "'~'"), ("é", "'é'"),
  ]

  @Test(arguments: words)
  func quoted(_ word: String, _ expected: String) { #expect(ShellWord.quoted(word) == expected) }

  /// A quote with a combining mark is one `Character`, which is not a quote.
  @Test func quoteWithMark() {
    #expect(Array(ShellWord.quoted("'\u{301};id").utf8) == Array("''\\''\u{301};id'".utf8))
  }
}
