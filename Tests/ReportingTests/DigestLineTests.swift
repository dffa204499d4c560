import Platform
import Testing

@testable import Reporting

/// Lines of lists of digests.
@Suite struct DigestLineTests {
  private static let digest = String(repeating: "0a", count: 32)

  @Test(arguments: [
    ("a.png", "D  a.png"), ("a b", "D  a b"), ("a\\b", "\\D  a\\\\b"), ("a\nb", "\\D  a\\nb"),
    ("a\rb", "\\D  a\\rb"), ("é", "D  é"),
  ])
  func writing(path: String, line: String) {
    let text = DigestLine(path: path, digest: Self.digest).text
    #expect(text == line.replacing("D", with: Self.digest))
    #expect(DigestLine(Array(text.utf8)) == DigestLine(path: path, digest: Self.digest))
  }

  @Test(arguments: [
    "", "D", "D ", "D  ", "D a", "Da  b", "0D  a", "D\t a", "\\D  a\\", "\\D  a\\x", "SHA256 (a) = D",
    "zz  a",
  ])
  func otherLines(line: String) {
    #expect(DigestLine(Array(line.replacing("D", with: Self.digest).utf8)) == nil)
  }

  /// A byte that is not UTF-8 comes back.
  @Test func bytesOfNames() {
    let path = PathBytes.text(bytes: [0x61, 0xff, 0x0a, 0x5c])
    let bytes = PathBytes.bytes(of: DigestLine(path: path, digest: Self.digest).text)
    #expect(bytes.suffix(6) == [0x61, 0xff, 0x5c, 0x6e, 0x5c, 0x5c])
    #expect(DigestLine(bytes)?.path == path)
  }
}
