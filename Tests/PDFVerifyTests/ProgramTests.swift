import Foundation
import ImageCore
import PDFBook
import PDFTestSupport
import Testing

/// The program `imghost-verify`, as people and imghost run it.
@Suite struct ProgramTests {
  private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
    try runVerifier(arguments)
  }

  @Test func rightAndWrongBooks() throws {
    let book = try TestBook()
    let good = book.folder.write(book.bytes, as: "good.pdf")
    let bad = book.folder.write(Array(book.bytes.dropLast(900)), as: "bad.pdf")
    let expected = book.folder.write(Array(book.expected.text.utf8), as: "expected")
    let verified = try run(["--expect", expected, good])
    #expect(verified.status == 0)
    #expect(
      verified.text == """
        \(good): 4 pages, verified
          page  points   pictures  checked                          result
          1     72 x 48  96x64     structure, stream, pixels equal  ok
          2     72 x 48  96x64     structure, stream, pixels equal  ok
          3     72 x 48  96x64     structure, stream, pixels equal  ok
          4     72 x 48  96x64     structure, stream, pixels equal  ok

        """)
    let both = try run(["--json", bad, good])
    #expect(both.status == 4)
    #expect(
      both.text.hasPrefix(
        """
        {"path":"\(bad)","verified":false,"pages":[],"fonts":[],"findings":[{"severity":"error","page":null,\
        "text":"the end of the file is missing; it is truncated"}]}
        {"path":"\(good)","verified":true,"pages":[{"page":1,"width":72,"height":48,
        """.dropLast(0)))
  }

  /// 1 for what cannot be read, which tells nothing of a PDF; 4 for what was read and is none.
  @Test func unreadableFilesAreNoFailedProof() throws {
    let book = try TestBook()
    let good = book.folder.write(book.bytes, as: "good.pdf")
    let text = book.folder.write(Array("no PDF".utf8), as: "text.pdf")
    let empty = book.folder.write([], as: "empty.pdf")
    let missing = book.folder.file("missing.pdf")
    let result = try run([missing])
    #expect(result.status == 1)
    #expect(
      result.text == """
        \(missing): 0 pages, not verified: 1 error
        \(missing): error: the file cannot be read: the file does not exist

        """)
    #expect(try run(["/"]).status == 1)
    #expect(try run([missing, good]).status == 1)
    #expect(try run([text]).status == 4)
    #expect(try run([empty]).status == 4)
    #expect(try run([text, missing]).status == 4)
    #expect(try run([missing, text, good]).status == 4)
  }

  static let mistakes: [([String], String)] = [
    ([], "imghost-verify: which PDF? See --help\n"),
    (["--wat"], "imghost-verify: unknown option '--wat'; see --help\n"),
    (
      ["--jobs", "0", "a"], "imghost-verify: --jobs takes a whole number from 1 to 1024, not '0'\n"
    ),
    (["--expect", "x", "a", "b"], "imghost-verify: --expect goes with one PDF, not 2\n"),
    (["--jobs"], "imghost-verify: --jobs needs a value\n"),
    (["--expect", "/nowhere", "a"], "imghost-verify: /nowhere: the file does not exist\n"),
  ]

  @Test(arguments: ProgramTests.mistakes) func wrongUsage(arguments: [String], text: String) throws
  {
    let result = try run(arguments)
    #expect(result.status == 2)
    #expect(result.text == text)
  }

  /// Forms that draw the next form ten times, a dozen deep: no reader ever finishes.
  @Test func endlessPagesAreGivenUp() throws {
    var objects = [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<</F 5 0 R>>>>"
        + "/Contents 4 0 R>>",
      "<</Length 5>>stream\n/F Do\nendstream",
    ]
    for level in 5..<17 {
      let content = String(repeating: "/F Do ", count: 10)
      objects.append(
        "<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<</F \(level + 1) 0 R>>>>"
          + "/Length \(content.utf8.count)>>stream\n\(content)\nendstream")
    }
    objects.append(
      "<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Length 9>>stream\n0 0 9 9 re f\nendstream")
    let folder = TestFolder()
    let path = folder.write(TestBook.file(objects), as: "endless.pdf")
    let start = Date()
    let result = try run(["--timeout", "1", path])
    #expect(result.status == 4)
    #expect(
      result.text == """
        \(path): 0 pages, not verified: 1 error
        \(path): page 1: error: rendering takes more than 1 s; the document was given up

        """)
    #expect(Date().timeIntervalSince(start) < 5)
  }

  /// What another program makes of a book: objects in object streams, or encrypted.
  @Test func rewrittenBooks() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "plain.pdf")
    let packed = book.folder.file("packed.pdf")
    guard try runTool("qpdf", ["--object-streams=generate", path, packed]) != nil else { return }
    let result = try run([packed])
    #expect(result.status == 0)
    #expect(
      result.text.contains("  4     72 x 48  96x64     structure, stream, pixels equal  ok\n"))
    let locked = book.folder.file("locked.pdf")
    _ = try runTool("qpdf", ["--encrypt", "", "owner", "256", "--", path, locked])
    let rendered = try run([locked])
    #expect(rendered.status == 0)
    #expect(
      rendered.text.hasSuffix("warning: the file is encrypted; its pages were only rendered\n"))
    _ = try runTool("qpdf", ["--encrypt", "user", "owner", "256", "--", path, locked])
    let refused = try run([locked])
    #expect(refused.status == 4)
    #expect(
      refused.text.hasSuffix(
        "error: the file opens with a password only; nothing was checked\n"))
  }
}

/// Runs the program `imghost-verify`.
func runVerifier(_ arguments: [String]) throws -> (status: Int32, text: String) {
  try runProgram(try verifierProgram().path, arguments)
}

/// The program `imghost-verify`, which is built beside the test bundle.
func verifierProgram() throws -> URL {
  let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  return try #require(
    [bundle, bundle.deletingLastPathComponent()].map {
      $0.appendingPathComponent("imghost-verify")
    }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) })
}
