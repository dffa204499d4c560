import Foundation
import ImageCore
import PDFBook
import PDFTestSupport
import TestSupport
import Testing

/// The program `imghost-verify`, as people and imghost run it.
@Suite struct ProgramTests {
  private func run(_ arguments: [String]) throws -> (status: Int32, text: String) { try runVerifier(arguments) }

  /// A full disk: whoever reads the report later must not take its absence for good news.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: ["", "--json"])
  func reportsThatCannotBeWrittenAreToldOf(option: String) throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "a.pdf")
    let result = try runProgram(
      "/bin/sh", ["-c", "\"$0\" \(option) '\(path)' > /dev/full", try verifierProgram().path])
    #expect(result.status == 1)
    #expect(
      result.text == "imghost-verify: cannot write the report: No space left on device\n")
  }

  /// `imghost verify book.pdf | true`: the status and the other files are there.
  @Test func nobodyNeedsToReadTheReport() throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "a.pdf")
    let (sheet, junit) = (book.folder.file("c.png"), book.folder.file("j.xml"))
    let call = "(sleep 0.1; \"$0\" --contact '\(sheet)' --junit '\(junit)' '\(path)'; echo $? >&2) | true"
    let result = try runProgram("/bin/sh", ["-c", call, try verifierProgram().path])
    #expect(result.text == "0\n")
    #expect(!book.folder.read("c.png").isEmpty && !book.folder.read("j.xml").isEmpty)
  }

  /// Contact sheets and reports can be written into a folder whose name is not UTF-8.
  @Test func foldersThatAreNotUTF8() throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "a.pdf")
    let call = """
      cd '\(book.folder.file("."))' && name=$(printf 'p\\377') && mkdir "$name" || exit 9
      for round in 1 2; do "$0" --contact "$name/c.png" --junit "$name/j.xml" '\(path)' >/dev/null || exit 8; done
      ls "$name" | wc -l
      """
    let result = try runProgram("/bin/sh", ["-c", call, try verifierProgram().path])
    #expect(result.status == 0 && result.text.trimmingCharacters(in: .whitespacesAndNewlines) == "2", "\(result)")
  }

  /// Files of the user stay; an earlier report and contact sheet are replaced.
  @Test func foreignFilesAreNotReplaced() throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "a.pdf")
    let notes = book.folder.write(Array("<?xml version=\"1.0\"?><notes/>".utf8), as: "notes.xml")
    let photo = book.folder.write(TestPicture(1).jpeg(quality: 90), as: "photo.jpg")
    for (flag, file, what) in [("--junit", notes, "no report"), ("--contact", photo, "no contact sheet")] {
      let before = book.folder.read(String(file.split(separator: "/").last!))
      let result = try run([flag, file, path])
      #expect(result.status == 2 && result.text.contains("\(flag): \(file): the file exists and is \(what)"))
      #expect(book.folder.read(String(file.split(separator: "/").last!)) == before)
    }
    for sheet in ["sheet.png", "sheet.jpg"] {
      for _ in 0..<2 {
        let files = ["--junit", book.folder.file("r.xml"), "--contact", book.folder.file(sheet)]
        #expect(try run(files + [path]).status == 0)
      }
    }
  }

  /// Pictures of 96 pixels an inch.
  @Test(arguments: [("95.5", Int32(0)), ("96", 0), ("96.5", 4), ("0.5", 2), ("nan", 2), ("x", 2)])
  func resolutionsMayHaveDecimals(dpi: String, status: Int32) throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "a.pdf")
    #expect(try run(["--dpi", dpi, path]).status == status)
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
        {"path":"\(bad)","verified":false,"ok":false,"sealed":false,\
        "summary":"0 pages, not verified: 1 error","pages":[],"fonts":[],"findings":[{"severity":"error","page":null,\
        "text":"the file is truncated; its end is missing"}],"result":"wrong"}
        {"path":"\(good)","verified":true,"ok":true,"sealed":true,"summary":"4 pages, verified","pages":[{"page":1,"width":72,"height":48,
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
    ([], "imghost-verify: missing argument PDF; see --help\n"),
    (["--wat"], "imghost-verify: unknown option '--wat'; see --help\n"),
    (
      ["--jobs", "0", "a"], "imghost-verify: invalid value '0' for --jobs: expected a whole number from 1 to 1024\n"
    ),
    (["--expect", "x", "a", "b"], "imghost-verify: --expect takes one PDF, but 2 were given\n"),
    (["--jobs"], "imghost-verify: --jobs needs a value\n"),
    (["--text", " ", "a"], "imghost-verify: --text is empty; which text must be there?\n"),
    (
      ["--contact", "c.webp", "a"],
      "imghost-verify: --contact writes PNG or JPEG; end its name in .png, .jpg or .jpeg, not " + "'c.webp'\n"
    ),
    (
      ["--password", "a", "--password", "b", "a"],
      "imghost-verify: --password and --password-file: only one password can be given\n"
    ),
    (
      ["--password-file", "/nowhere", "a"], "imghost-verify: --password-file: /nowhere: the file does not exist\n"
    ),
    (
      ["--password-file", "/dev/null", "a"],
      "imghost-verify: --password-file: /dev/null: the file has no password in its first line\n"
    ),
    (["--expect", "/nowhere", "a"], "imghost-verify: /nowhere: the file does not exist\n"),
  ]

  @Test(arguments: ProgramTests.mistakes) func wrongUsage(arguments: [String], text: String) throws {
    let result = try run(arguments)
    #expect(result.status == 2)
    #expect(result.text == text)
  }

  /// Whoever kills the check, or leaves it no memory, says nothing of the book.
  @Test func checksThatAreKilledBlameNoBook() throws {
    let folder = TestFolder()
    let path = folder.write(Self.endless, as: "endless.pdf")
    // Two children: the loop itself, and then the check.
    let call =
      "(until set -- $(cat /proc/$$/task/*/children); [ $# -gt 1 ]; do :; done; kill -9 $2) & "
      + "exec \"$0\" --timeout 3600 '\(path)'"
    let result = try runProgram("/bin/sh", ["-c", call, try verifierProgram().path])
    #expect(result.status == 4)
    #expect(result.text.contains("error: the system killed its check, as it does when memory"))
  }

  /// From what the program cannot start with to what is plenty.
  @Test(.unsanitized, arguments: [40_000, 50_000, 60_000, 70_000, 80_000, 100_000])
  func littleMemoryBlamesNoBook(kilobytes: Int) throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "a.pdf")
    let call = "ulimit -v \(kilobytes); exec \"$0\" '\(path)'"
    let result = try runProgram("/bin/sh", ["-c", call, try verifierProgram().path])
    let isTold = ["memory", "map segment"].contains { result.text.contains($0) }
    #expect(result.status == 0 || isTold, "\(result.text)")
  }

  /// Forms that draw the next form ten times, six deep: within what is rendered, and many seconds of work.
  private static var endless: [UInt8] {
    var objects = [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<</F 5 0 R>>>>"
        + "/Contents 4 0 R>>",
      "<</Length 5>>stream\n/F Do\nendstream",
    ]
    for level in 5..<11 {
      let content = String(repeating: "/F Do ", count: 10)
      objects.append(
        "<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<</F \(level + 1) 0 R>>>>"
          + "/Length \(content.utf8.count)>>stream\n\(content)\nendstream")
    }
    objects.append("<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Length 9>>stream\n0 0 9 9 re f\nendstream")
    return TestBook.file(objects)
  }

  @Test func endlessPagesAreGivenUp() throws {
    let folder = TestFolder()
    let path = folder.write(Self.endless, as: "endless.pdf")
    // A machine that is too busy to open it in a second gets more time.
    var (seconds, result) = (1, try run(["--timeout", "1", path]))
    while result.text.contains("opening it takes more"), seconds < 1_000 {
      seconds *= 2
      result = try run(["--timeout", "\(seconds)", path])
    }
    #expect(result.status == 4)
    #expect(
      result.text == """
        \(path): 0 pages, not verified: 1 error
        \(path): page 1: error: rendering takes more than \(seconds) s of processor time and 1 s a megapixel; the document was given up

        """)
  }

  /// A book still verifies after another program has moved its objects into object streams.
  @Test func rewrittenBooks() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "plain.pdf")
    let packed = book.folder.file("packed.pdf")
    guard try runTool("qpdf", ["--object-streams=generate", path, packed]) != nil else { return }
    let result = try run([packed])
    #expect(result.status == 0)
    #expect(
      result.text.contains("  4     72 x 48  96x64     structure, stream, pixels equal  ok\n"))
  }

  /// Passwords to encrypt with and to open with, the exit status, and the end of what is printed.
  static let encrypted: [(user: String, options: [String], status: Int32, end: String)] = [
    ("", [], 0, "note: the file is encrypted; the copy that qpdf decrypted was checked\n"),
    ("üser", ["--password", "üser"], 0, "the copy that qpdf decrypted was checked\n"),
    ("user", ["--password", "owner"], 0, "the copy that qpdf decrypted was checked\n"),
    (
      "user", [], 4,
      "error: the file needs a password; nothing was checked: give it with "
        + "--password-file, or as 'password' in a script\n"
    ),
    (
      "user", ["--password", "wrong"], 4, "error: the password does not open the file; nothing was checked\n"
    ),
  ]

  @Test(arguments: ProgramTests.encrypted)
  func encryptedBooks(user: String, options: [String], status: Int32, end: String) throws {
    let book = try TestBook([TestPicture(1), TestPicture(2)])
    let path = book.folder.write(book.bytes, as: "plain.pdf")
    let locked = book.folder.file("locked.pdf")
    guard try runTool("qpdf", ["--encrypt", user, "owner", "256", "--", path, locked]) != nil else { return }
    let result = try run(options + [locked])
    #expect(result.status == status)
    #expect(result.text.hasSuffix(end), "\(result.text)")
    #expect(result.text.contains("pixels equal") == (status == 0))
  }

  @Test func passwordsComeFromFilesToEveryWorker() throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "plain.pdf")
    let secret = book.folder.write(Array("open sesame\r\nmore\n".utf8), as: "secret")
    let locked = ["a.pdf", "b.pdf"].map { book.folder.file($0) }
    for file in locked {
      guard
        try runTool("qpdf", ["--encrypt", "open sesame", "o", "256", "--", path, file]) != nil
      else { return }
    }
    let result = try run(["--json", "--password-file", secret] + locked)
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text.components(separatedBy: "\"verified\":true").count == 3)
  }

  /// A change made before encryption is found as in any book. Damage after it is for qpdf to report.
  @Test func damageIsFoundInEncryptedBooks() throws {
    let book = try TestBook([TestPicture(1), TestPicture(2)])
    let path = book.folder.write(book.patched("/Producer(imghost)", "/Title(x)"), as: "plain.pdf")
    let locked = book.folder.file("locked.pdf")
    guard try runTool("qpdf", ["--encrypt", "u", "o", "256", "--", path, locked]) != nil else { return }
    let changed = try run(["--password", "u", locked])
    #expect(changed.status == 4)
    #expect(changed.text.contains("error: the title is 'x'; it was written without one"))
    var bytes = book.folder.read("locked.pdf")
    let word = Array("startxref\n".utf8)
    let start = bytes.indices.last { bytes[$0...].starts(with: word) }!
    bytes[start + word.count] ^= 1
    _ = book.folder.write(bytes, as: "locked.pdf")
    let damaged = try run(["--password", "u", locked])
    #expect(damaged.status == 4, "\(damaged.text)")
  }

  @Test func withoutTheProgram() throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: "plain.pdf")
    let locked = book.folder.file("locked.pdf")
    guard try runTool("qpdf", ["--encrypt", "u", "o", "256", "--", path, locked]) != nil else { return }
    let program = try verifierProgram().path
    let refused = try runProgram("/usr/bin/env", ["PATH=/nowhere", program, "--password", "u", locked])
    #expect(refused.status == 4)
    #expect(
      refused.text.hasSuffix(
        "error: the file needs a password, and only qpdf can use it, which is not on "
          + "the PATH\n"))
    _ = try runTool("qpdf", ["--encrypt", "", "o", "256", "--", path, locked])
    let opened = try runProgram("/usr/bin/env", ["PATH=/nowhere", program, locked])
    #expect(opened.status == 0)
    #expect(opened.text.hasSuffix("only rendered, because qpdf is not on the PATH\n"))
  }

  /// How many bytes follow the end, of which kind, the exit status and what is told.
  static let tails: [(String, Int32, String?)] = [
    ("\n\r\n ", 0, nil),
    ("x", 4, "error: 1 byte follows the end of the PDF (%%EOF), which imghost did not write\n"),
    (
      String(repeating: "x", count: 1_024), 4,
      "error: 1024 bytes follow the end of the PDF (%%EOF), which imghost did not write\n"
    ),
    (
      String(repeating: "\0", count: 5_000), 4,
      "error: 5000 bytes follow the end of the PDF (%%EOF); readers accept at most 1,024" + ": cut them off\n"
    ),
    ("7 0 obj\n<</Type/Catalog", 4, "error: the file is truncated; its end is missing\n"),
  ]

  @Test(arguments: ProgramTests.tails)
  func bytesAfterTheEnd(tail: String, status: Int32, line: String?) throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes + Array(tail.utf8), as: "tail.pdf")
    let result = try run([path])
    #expect(result.status == status)
    if let line {
      #expect(result.text.hasSuffix(line), "\(result.text)")
    } else {
      #expect(!result.text.contains("after the end"), "\(result.text)")
    }
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
