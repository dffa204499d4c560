import Foundation
import PDFTestSupport
import PDFVerify
import Testing

/// Files whose names hold what terminals, XML and JSON take for something else.
@Suite struct OddNamesTests {
  private static let name = "a \"b\" & <c>\n'd'\t\u{1b}[31m\u{9b}0m.pdf"

  @Test func textHasNoControlCharacters() throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(Array("nothing".utf8), as: Self.name)
    let text = try runVerifier([path]).text
    let shown = "\"b\" & <c>\u{fffd}'d'\u{fffd}\u{fffd}[31m\u{fffd}0m.pdf: "
    #expect(text.split(separator: "\n").count == 2, "\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.contains(shown) }, "\(text)")
  }

  @Test func junitKeepsThem() throws {
    let book = try TestBook([TestPicture(1)])
    let path = book.folder.write(book.bytes, as: Self.name)
    let file = book.folder.file("junit.xml")
    #expect(try runVerifier(["--junit", file, path]).status == 0)
    let text = String(decoding: book.folder.read("junit.xml"), as: UTF8.self)
    let name = "a &quot;b&quot; &amp; &lt;c&gt;&#10;'d'&#9;\u{fffd}[31m\u{9b}0m.pdf\""
    #expect(text.components(separatedBy: name).count == 4, "\(text)")
  }

  @Test func jsonKeepsThem() throws {
    let book = try TestBook([TestPicture(1)])
    let paths = [Self.name, "\u{2028}.pdf"].map { book.folder.write(book.bytes, as: $0) }
    let text = try runVerifier(["--json"] + paths).text
    let found = try text.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
    #expect(found.map { $0?["path"] as? String } == paths)
  }

  /// Names of other bytes than UTF-8 are read, and shown by their bytes.
  @Test func namesThatAreNotUTF8() throws {
    let book = try TestBook([TestPicture(1)])
    _ = book.folder.write(book.bytes, as: "a.pdf")
    let script = "mv a.pdf \"$(printf 'a\\377.pdf')\" && \"$0\" \"$(printf 'a\\377.pdf')\""
    let folder = book.folder.path
    let result = try runProgram("/bin/sh", ["-c", "cd '\(folder)' && \(script)", try verifierProgram().path])
    #expect(result.status == 0 && result.text.hasPrefix("a\\xff.pdf: 1 page, verified"), "\(result)")
  }
}
