import ImagePipeline
import Testing

@testable import Reporting

struct UnreadablePicturesTests {
  private func diagnostic(_ file: String, _ message: String, subject: String = "open", cause: String? = nil)
    -> Diagnostic
  {
    var diagnostic = Diagnostic(
      .input, at: ScriptPosition(file: "t.lua", line: 2), subject: subject, file: file, message: message)
    diagnostic.cause = cause
    return diagnostic
  }

  private func line(_ diagnostics: [Diagnostic], of total: Int, isWhole: Bool = true) -> String? {
    UnreadablePictures.line(diagnostics, of: total, isWhole: isWhole) { "leave out \($0)" }
  }

  @Test func nothingToSay() {
    #expect(line([], of: 3) == nil)
    #expect(line([diagnostic("a.jpg", "truncated file")], of: 1) == nil)
    #expect(line([diagnostic("a.jpg", "too small", subject: "crop")], of: 3) == nil)
  }

  @Test func reasonsAreCounted() {
    #expect(line([diagnostic("a.jpg", "truncated")], of: 48) == nil)
    let two = [diagnostic("a.jpg", "truncated"), diagnostic("b.jpg", "truncated")]
    #expect(line(two, of: 48) == "2 of 48 pictures cannot be read: truncated; leave out 2")
    #expect(line(two, of: 2) == "2 pictures cannot be read: truncated")
    let atLeast = line(two, of: 48, isWhole: false)
    #expect(atLeast == "at least 2 of 48 pictures cannot be read: truncated; leave out 2")
    // A picture that is opened twice is one; a failure says what follows behind its cause.
    let more =
      two + [
        diagnostic("a.jpg", "truncated"), diagnostic("c.jpg", "no picture"),
        diagnostic("d.jpg", "truncated; 'd.png' is not written", cause: "truncated"),
      ]
    #expect(line(more, of: 9) == "4 of 9 pictures cannot be read: truncated (3), no picture (1); leave out 4")
  }

  @Test func fewReasonsAreNamed() {
    let many = (1...7).map { diagnostic("\($0).jpg", "reason \($0)") } + [diagnostic("8.jpg", "reason 7")]
    #expect(
      line(many, of: 9) == "8 of 9 pictures cannot be read: reason 7 (2), reason 1 (1), reason 2 (1), reason 3 (1), "
        + "other reasons (3); leave out 8")
  }
}
