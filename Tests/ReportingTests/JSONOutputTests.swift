import ImageCore
import ImagePipeline
import Scheduling
import Testing

@testable import Reporting

struct JSONOutputTests {
  static let values: [(JSON, String)] = [
    (.null, "null"), (.boolean(true), "true"), (.integer(-3), "-3"), (.number(0.5), "0.5"),
    (.number(.infinity), "null"), (.text("a\"\n"), #""a\"\n""#),
    (.array([.integer(1), .null]), "[1,null]"),
    (.object([("b", .integer(1)), ("a", .text("x"))]), #"{"b":1,"a":"x"}"#),
    (.optional(String?.none), "null"), (.optional(3), "3"),
  ]

  @Test(arguments: values)
  func lines(_ value: JSON, _ expected: String) { #expect(value.line == expected) }

  static let parameters: [(ParameterValue, String)] = [
    (.boolean(false), "false"), (.integer(3), "3"), (.number(1.5), "1.5"), (.text("a"), #""a""#),
    (.list([.integer(1)]), "[1]"),
    (.fields(["b": .integer(2), "a": .integer(1)]), #"{"a":1,"b":2}"#),
  ]

  @Test(arguments: parameters)
  func parameterValue(_ value: ParameterValue, _ expected: String) { #expect(JSON(value).line == expected) }

  private static let diagnostic = Diagnostic(
    .input, at: ScriptPosition(file: "t.lua", line: 3), subject: "open", file: "a.jpg", message: "truncated file")

  /// Every kind of event with its line.
  static let events: [(RunEvent, String)] = [
    (.started(pictures: 3), #"{"event":"started","pictures":3}"#),
    (.pictureDone, #"{"event":"picture_done"}"#),
    (
      .wrote(
        path: "a.png", byteCount: 9, layout: PictureLayout(width: 2, height: 1, format: .rgb8)),
      #"{"event":"wrote","path":"a.png","bytes":9,"width":2,"height":1}"#
    ),
    (
      .wrote(
        path: "a.jpg", byteCount: 9, layout: PictureLayout(width: 2, height: 1, format: .rgb8), quality: 71),
      #"{"event":"wrote","path":"a.jpg","bytes":9,"width":2,"height":1,"quality":71}"#
    ),
    (
      .wrote(path: "b.pdf", byteCount: 9, layout: nil),
      #"{"event":"wrote","path":"b.pdf","bytes":9,"width":null,"height":null}"#
    ),
    (
      .failed(diagnostic),
      #"{"event":"failed","kind":"input","script":"t.lua","line":3,"subject":"open","file":"a.jpg","#
        + #""message":"truncated file","text":"t.lua:3: open: a.jpg: truncated file"}"#
    ),
    (
      .cancelled(path: "a.png", CancellationReason("the run was interrupted")),
      #"{"event":"cancelled","path":"a.png","reason":"the run was interrupted"}"#
    ),
    (
      .verified(
        path: "b.pdf",
        VerificationOutcome(
          isVerified: false, summary: "1 fault",
          findings: [
            DocumentReport.Finding(page: 2, severity: "error", text: "x"),
            DocumentReport.Finding(page: nil, severity: "warning", text: "y"),
          ])),
      #"{"event":"verified","path":"b.pdf","ok":false,"summary":"1 fault","findings":["page 2: error: x","warning: y"]}"#
    ),
  ]

  @Test(arguments: events)
  func eventLine(_ event: RunEvent, _ expected: String) {
    let (name, fields) = RunEvents.fields(event)
    #expect(JSON.object([("event", .text(name))] + fields).line == expected)
  }
}
