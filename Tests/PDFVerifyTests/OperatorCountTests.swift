import ImageCore
import PDFTestSupport
import Testing

@testable import PDFVerify

/// Operators count where they are used, however deep.
@Suite struct OperatorCountTests {
  private static let form = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"

  /// Returns the number of operators in a page's content, at most `most`. Object 4 is the first of `streams`.
  private func count(_ content: String, _ resources: String, _ streams: [String], most: Int = 1_000_000) throws -> Int {
    let objects =
      [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources\(resources)>>",
      ] + streams
    let folder = TestFolder()
    let path = folder.write(TestBook.file(objects), as: "count.pdf")
    let file = try PDFFile(FileMapping(InputFile(path: path)))
    var count = OperatorCount(file, most: most)
    let entries = file.resolve(file.object(3)?.dictionary["Resources"]).dictionary ?? [:]
    return Array(content.utf8).withUnsafeBytes { count.count($0, entries) }
  }

  private func stream(_ content: String, _ entries: String = form) -> String {
    HandmadeFaultsTests.stream(content, entries)
  }

  @Test func formsCountPerUse() throws {
    let streams = [stream("0 0 9 9 re f")]
    #expect(try count("q Q", "<</XObject<</F 4 0 R>>>>", streams) == 2)
    #expect(try count("/F Do q /F Do Q", "<</XObject<</F 4 0 R>>>>", streams) == 8)
  }

  /// Thirty forms that each draw the next one twice are read once each, and are too much.
  @Test func doublingIsComputed() throws {
    let streams = (4..<34).map { number in
      stream("/F Do /F Do", Self.form + "/Resources<</XObject<</F \(number + 1) 0 R>>>>")
    }
    let resources = "<</XObject<</F 4 0 R>>>>"
    let all = streams + [stream("0 0 9 9 re f")]
    #expect(try count("/F Do", resources, all) == 1_000_001)
    // 1 + 2 + 4 ... and two in each of the last.
    #expect(try count("/F Do", resources, all, most: 1 << 40) == (1 << 31) - 1 + 2 << 30)
  }

  /// A form without resources takes names from those of what draws it.
  @Test func namesMayBeInherited() throws {
    let streams = [
      stream("/G Do"), stream("/F Do", Self.form + "/Resources<</XObject<</F 4 0 R/G 6 0 R>>>>"),
      stream("q Q q Q"),
    ]
    let resources = "<</XObject<</F 4 0 R/H 5 0 R/G 7 0 R>>>>"
    #expect(try count("/F Do /H Do", resources, streams + [stream("q Q")]) == 2 + 3 + 6)
  }

  @Test func patternsAndGlyphsCount() throws {
    let streams = [
      stream("0 0 9 9 re f", "/Type/Pattern/PatternType 1"),
      "<</Type/Font/Subtype/Type3/CharProcs<</a 6 0 R/b 6 0 R/c 7 0 R>>>>",
      stream("9 0 d0 q Q", ""), stream("9 0 d0", ""),
    ]
    let resources = "<</Pattern<</P 4 0 R>>/Font<</T 5 0 R>>>>"
    #expect(try count("/P scn /P SCN", resources, streams) == 2 + 4)
    // Readers keep glyphs: a font counts once.
    #expect(try count("/T 9 Tf /T 8 Tf", resources, streams) == 2 + 4)
  }

  @Test func whatDrawsItselfIsTooMuch() throws {
    let streams = [stream("/F Do", Self.form + "/Resources<</XObject<</F 4 0 R>>>>")]
    #expect(try count("/F Do", "<</XObject<</F 4 0 R>>>>", streams) == 1_000_001)
  }

  /// Readers go on behind what is malformed.
  @Test func malformedContentCounts() throws {
    #expect(try count("q ) Q } q > Q", "<<>>", []) == 4)
  }
}
