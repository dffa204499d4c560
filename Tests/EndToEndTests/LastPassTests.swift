import Foundation
import Testing

/// What qpdf does to a finished book.
@Suite(.enabled(if: (try? SecondOpinions.run("qpdf", ["--version"])) ?? nil != nil))
struct LastPassTests {
  private static let pages = "{ img.canvas(99, 66), img.canvas(66, 99) }"

  @Test func linearizedBooks() throws {
    let folder = try Folder()
    var books: [[UInt8]] = []
    for _ in 0..<2 {
      let outcome = try folder.run("img.book(\"b.pdf\", \(Self.pages), { linearize = true })")
      #expect(outcome.status == 0, "\(outcome)")
      books.append(folder.bytes("b.pdf"))
    }
    #expect(books[0] == books[1])
    let check = try #require(
      try SecondOpinions.run("qpdf", ["--check-linearization", folder("b.pdf")]))
    #expect(check.status == 0 && check.text.contains("no linearization errors"), "\(check.text)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    #expect(folder.temporaries == [])
  }

  @Test func encryptedBooks() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"b.pdf\", \(Self.pages), { password = \"ein Wort\", owner_password = \"zwei\" })")
    #expect(outcome.status == 0, "\(outcome)")
    let locked = try #require(try SecondOpinions.run("qpdf", ["--check", folder("b.pdf")]))
    #expect(locked.status == 2, "\(locked.text)")
    let opened = try #require(
      try SecondOpinions.run("qpdf", ["--password=ein Wort", "--check", folder("b.pdf")]))
    #expect(opened.status == 0 && opened.text.contains("file encryption method: AESv3"))
    #expect(folder.temporaries == [])
  }

  @Test(arguments: [
    ("password = \"x\", verify = true", "'verify' cannot read"),
    ("password = \"x\", conformance = \"pdf/a-1b\"", "PDF/A forbids encryption"),
    ("password = \"a\\nb\"", "contains a control character"),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", \(Self.pages), { \(options) })")
    #expect(outcome.status == 3 && outcome.error.contains(message), "\(outcome)")
  }

  @Test func withoutTheProgram() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"b.pdf\", \(Self.pages), { linearize = true })", environment: ["PATH": "/nowhere"])
    #expect(outcome.status == 3 && outcome.error.contains("need the program qpdf"), "\(outcome)")
  }
}
