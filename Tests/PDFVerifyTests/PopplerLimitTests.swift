import Testing

@testable import PDFVerify

/// Poppler's own lines beside what the verifier says itself.
@Suite struct PopplerLimitTests {
  @Test func aFewLinesADocument() {
    var limit = PopplerLimit()
    let lines = (1...6).map { Fault.poppler(.error("line \($0)")) }
    #expect(limit.kept(lines + [.font(.missing("F"))]).count == 7)
    #expect(limit.kept(lines + [.font(.missing("F"))]).count == 3)
    #expect(limit.omitted == 4)
    // A list without another error keeps one.
    #expect(limit.kept([.poppler(.message("w"))] + lines) == [.poppler(.message("w")), lines[0]])
    #expect(limit.omitted == 9)
  }
}
