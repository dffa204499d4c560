import Foundation
import Testing

/// The catalogue of messages equals the texts in the sources, so that no message changes unseen.
struct MessagesTests {
  @Test func catalogueIsUpToDate() throws {
    let text = try MessageCatalogue.text()
    if ProcessInfo.processInfo.environment["IMGHOST_WRITE_MESSAGES"] != nil {
      try text.write(toFile: MessageCatalogue.file, atomically: true, encoding: .utf8)
    }
    let kept = (try? String(contentsOfFile: MessageCatalogue.file, encoding: .utf8)) ?? ""
    let changes = text.split(separator: "\n").difference(from: kept.split(separator: "\n"))
    let listed = changes.prefix(20).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
    #expect(
      text == kept,
      """
      \(changes.count) lines of the messages differ from Tests/Snapshots/messages.txt. \
      Run 'Scripts/dev/messages', read the difference in Git, and commit it.
      \(listed.joined(separator: "\n"))
      """)
  }

  static let sources: [(String, SourceLanguage, [String])] = [
    ("f(\"a b\")", .swift, ["a b"]), ("\"a \" + \"b\"", .swift, ["a b"]),
    ("\"a \"\n    + \"b\"", .swift, ["a b"]), ("f(\"a\", \"b\")", .swift, ["a", "b"]),
    ("\"a \\(x) b\"", .swift, ["a \\() b"]),
    ("\"a \\(x ? \"y\" : \"z\") b\"", .swift, ["y", "z", "a \\() b"]),
    ("\"\"\"\n    a\n      b\n    \"\"\"", .swift, ["a\n  b"]),
    ("#\"a \"b\"\"#", .swift, ["a \"b\""]),
    ("// \"a\"\n\"b\"", .swift, ["b"]), ("precondition(x, \"a\")\n\"b\"", .swift, ["b"]),
    ("preconditionFailure(\"a\")", .swift, []), ("\"a \\\"b\\\"\"", .swift, ["a \"b\""]),
    ("x = \"a \" \"b\"; /* \"c\" */", .c, ["a b"]), ("c == '\"'; \"b\"", .c, ["b"]),
    ("f('a ' .. \"b\") -- \"c\"", .lua, ["a b"]), ("--[[ \"a\"\n\"b\" ]] \"c\"", .lua, ["c"]),
  ]

  @Test(arguments: sources)
  func literals(_ source: String, _ language: SourceLanguage, _ expected: [String]) {
    #expect(LiteralScanner.literals(in: Array(source.utf8), language) == expected)
  }

  static let texts: [(String, Bool)] = [
    ("missing argument \\()", true), (" was cancelled", true), ("a.png", false), ("--jobs", false),
    ("1 0 0 1 cm", false), ("object \\() is malformed", true), ("\\() 0 obj\n", false),
    ("<rdf:li xml:lang=\"x\"> text </rdf:li>", false), ("no", false),
  ]

  @Test(arguments: texts)
  func prose(_ text: String, _ expected: Bool) { #expect(MessageCatalogue.isMessage(text) == expected) }
}
