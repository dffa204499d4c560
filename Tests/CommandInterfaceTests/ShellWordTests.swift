import Testing

@testable import CommandInterface

struct ShellWordTests {
  static let words: [(String, String)] = [
    ("", "''"), ("book.lua", "book.lua"), ("--out=/a/b", "--out=/a/b"), ("a b", "'a b'"), ("it's", "'it'\\''s'"),
    ("$HOME", "'$HOME'"), ("a\nb", "'a\nb'"), ("~", "'~'"), ("é", "'é'"),
    // Bytes that are not UTF-8.
    ("caf\u{10ffe9}.jpg", "$'caf\\351.jpg'"), ("a\u{10ff80}0'\\\n", "$'a\\2000\\047\\134\\012'"),
  ]

  @Test(arguments: words)
  func quoted(_ word: String, _ expected: String) { #expect(ShellWord.quoted(word) == expected) }

  /// A quote with a combining mark is one `Character`, which is not a quote.
  @Test func quoteWithMark() {
    #expect(Array(ShellWord.quoted("'\u{301};id").utf8) == Array("''\\''\u{301};id'".utf8))
  }
}
