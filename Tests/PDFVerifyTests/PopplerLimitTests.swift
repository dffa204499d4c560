import Testing

@testable import PDFVerify

/// Poppler's own lines beside what the verifier says itself.
@Suite struct PopplerLimitTests {
  @Test func aFewLinesADocument() {
    var limit = PopplerLimit()
    let lines = (1...6).map { Fault.popplerError("line \($0)") }
    #expect(limit.kept(lines + [.missingFont("F")]).count == 7)
    #expect(limit.kept(lines + [.missingFont("F")]).count == 3)
    #expect(limit.omitted == 4)
    // What has no other error keeps one.
    #expect(limit.kept([.poppler("w")] + lines) == [.poppler("w"), lines[0]])
    #expect(limit.omitted == 9)
  }
}
