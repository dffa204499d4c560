import ImageCore
import ImagePipeline
import Testing

@testable import Reporting

struct UnreadablePicturesTests {
  private let position = ScriptPosition(file: "t.lua", line: 2)

  private func diagnostic(_ file: String, _ error: CodecError, consequence: String? = nil) -> Diagnostic {
    Diagnostic(unreadable: file, .codec(error), consequence: consequence, at: position)
  }

  private func line(_ diagnostics: [Diagnostic], of total: Int, isWhole: Bool = true) -> String? {
    UnreadablePictures.line(diagnostics, of: total, isWhole: isWhole) { "leave out \($0)" }
  }

  @Test func nothingToSay() {
    #expect(line([], of: 3) == nil)
    #expect(line([diagnostic("a.jpg", .truncated)], of: 1) == nil)
    let crops = ["a.jpg", "b.jpg"].map {
      Diagnostic(.input, at: position, subject: "crop", file: $0, message: "too small")
    }
    #expect(line(crops, of: 3) == nil)
  }

  @Test func reasonsAreCounted() {
    #expect(line([diagnostic("a.jpg", .truncated)], of: 48) == nil)
    let two = [diagnostic("a.jpg", .truncated), diagnostic("b.jpg", .truncated)]
    #expect(line(two, of: 48) == "2 of 48 pictures cannot be read: truncated file; leave out 2")
    #expect(line(two, of: 2) == "2 pictures cannot be read: truncated file")
    let atLeast = line(two, of: 48, isWhole: false)
    #expect(atLeast == "at least 2 of 48 pictures cannot be read: truncated file; leave out 2")
    // A picture that is opened twice is one. Neither advice nor consequences belong to the reason.
    let more =
      two + [
        diagnostic("a.jpg", .truncated), diagnostic("c.jpg", .notRecognised(looksLike: nil)),
        diagnostic("d.jpg", .truncated, consequence: "'d.png' is not written"),
      ]
    #expect(
      line(more, of: 9)
        == "4 of 9 pictures cannot be read: truncated file (3), unrecognized file format (1); leave out 4")
  }

  @Test func fewReasonsAreNamed() {
    let many =
      (1...7).map { diagnostic("\($0).jpg", .refused("reason \($0)")) } + [diagnostic("8.jpg", .refused("reason 7"))]
    #expect(
      line(many, of: 9) == "8 of 9 pictures cannot be read: reason 7 (2), reason 1 (1), reason 2 (1), reason 3 (1), "
        + "other reasons (3); leave out 8")
  }
}
