import Foundation
import TestSupport
import Testing

/// The changes that qpdf makes to a finished book.
@Suite(.enabled(if: (try? SecondOpinions.run("qpdf", ["--version"])) ?? nil != nil))
struct QPDFPassTests {
  private static let pages = "{ img.canvas(99, 66), img.canvas(66, 99) }"

  @Test func linearizedBooks() throws {
    let folder = try Folder()
    var books: [[UInt8]] = []
    for _ in 0..<2 {
      let outcome = try folder.run("img.book(\"b.pdf\", \(Self.pages), { linearize = true })")
      outcome.expect(status: 0)
      books.append(folder.bytes("b.pdf"))
    }
    #expect(books[0] == books[1])
    let check = try #require(try SecondOpinions.run("qpdf", ["--check-linearization", folder("b.pdf")]))
    #expect(check.status == 0 && check.text.contains("no linearization errors"), "\(check.text)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    #expect(folder.temporaries == [])
  }

  @Test func encryptedBooks() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"b.pdf\", \(Self.pages), { password = \"ein Wort\", owner_password = \"zwei\" })")
    outcome.expect(status: 0)
    let locked = try #require(try SecondOpinions.run("qpdf", ["--check", folder("b.pdf")]))
    #expect(locked.status == 2, "\(locked)")
    let opened = try #require(try SecondOpinions.run("qpdf", ["--password=ein Wort", "--check", folder("b.pdf")]))
    #expect(opened.status == 0 && opened.text.contains("file encryption method: AESv3"))
    #expect(folder.temporaries == [])
  }

  /// Readers without the owner's password may only read and print, unless the script allows more.
  @Test(
    arguments: sampled([
      ("owner_password = \"o\"", "", ["print high resolution"]),
      ("owner_password = \"o\", password = \"p\"", "p", ["print high resolution"]),
      ("owner_password = \"o\", allow = {}", "", []),
      (
        "owner_password = \"o\", allow = { \"print_draft\", \"copy\" }", "",
        ["print low resolution", "extract for any purpose"]
      ),
      (
        "owner_password = \"o\", allow = { \"annotate\", \"fill_forms\" }", "", ["modify annotations", "modify forms"]
      ),
      (
        "owner_password = \"o\", allow = { \"change\", \"assemble\" }", "",
        ["modify document assembly", "modify forms", "modify annotations", "modify other", "modify anything"]
      ),
      (
        "password = \"p\"", "p",
        [
          "extract for any purpose", "print low resolution", "print high resolution",
          "modify document assembly",
          "modify forms", "modify annotations", "modify other", "modify anything",
        ]
      ),
    ]))
  func permissions(options: String, password: String, allowed: [String]) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", \(Self.pages), { verify = true, \(options) })")
    outcome.expect(status: 0)
    let shown = try #require(
      try SecondOpinions.run(
        "qpdf", ["--password=\(password)", "--show-encryption", folder("b.pdf")]))
    let lines = shown.text.split(separator: "\n").map(String.init)
    var found = Set(lines.filter { $0.hasSuffix(": allowed") }.map { String($0.dropLast(9)) })
    // Readers for the blind may read, whatever is said.
    #expect(found.remove("extract for accessibility") != nil, "\(shown.text)")
    // Permission to print at high resolution includes low resolution.
    if found.contains("print high resolution"), !allowed.contains("print low resolution") {
      #expect(found.remove("print low resolution") != nil)
    }
    #expect(found == Set(allowed), "\(shown.text)")
  }

  /// Decrypted again, with the passwords by files that only the user can read.
  @Test func encryptedBooksAreVerified() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local options = { verify = true, linearize = true, title = "T", owner_password = "zwei" }
      local result = img.book("a.pdf", \(Self.pages), options):await()
      assert(result.verified, result.verification)
      options.password = "ein Wort"
      result = img.book("b.pdf", \(Self.pages), options):await()
      assert(result.verified, result.verification)
      assert(img.verify("a.pdf").verified)
      local report = img.verify("b.pdf", { pages = 2, password = "ein Wort" })
      print(report.ok, report.verified, report.sheets[1].pictures, report.text)
      print(img.verify("b.pdf", { password = "falsch" }).text)
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines == [
        "true\ttrue\t1\t",
        "the password does not open the file; nothing was checked",
      ], "\(outcome)")
    #expect(folder.temporaries == [])
  }

  @Test(arguments: [
    ("password = \"x\", conformance = \"pdf/a-1b\"", "PDF/A forbids encryption"),
    ("password = \"a\\nb\"", "contains a control character"),
    (
      "owner_password = \"o\", allow = { \"pirnt\" }", "'allow' has 'pirnt' (did you mean 'print'?)"
    ),
    ("owner_password = \"o\", allow = { print = \"yes\" }", "'allow' takes a list"),
    ("password = \"p\", allow = { \"print\" }", "'allow' needs an owner password"),
    ("allow = { \"print\" }", "'allow' needs an owner password"),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", \(Self.pages), { \(options) })")
    outcome.expect(status: 3, error: message)
  }

  @Test func withoutTheProgram() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"b.pdf\", \(Self.pages), { linearize = true })", environment: ["PATH": "/nowhere"])
    outcome.expect(status: 3, error: "need the program qpdf")
  }
}
