import ImageCore
import ImagePipeline
import PictureTraits
import Testing

@testable import Reporting

/// The page of a run: what it shows, and that no text from outside is more than text.
struct ReportPageTests {
  private func facts() -> ReportFacts {
    var facts = ReportFacts()
    facts.script = "book.lua"
    facts.status = .init(isSuccess: true, text: "everything is written")
    return facts
  }

  @Test func emptyRun() {
    let page = ReportPage(facts()).html
    #expect(page.hasPrefix(ReportPage.beginning))
    #expect(page.contains("<title>book.lua: everything is written</title>"))
    for section in ["messages", "outputs", "documents", "timeline", "plan", "printed"] {
      #expect(!page.contains("id=\"\(section)\""), "\(section)")
    }
    #expect(page.contains("<section id=\"machine\""))
  }

  /// Every place of a page with a text that tries to be more.
  @Test func everyTextIsEscaped() {
    let hostile = "</p></title></style><script>x</script>\"'&\u{1b}\u{202e}"
    let position = ScriptPosition(file: hostile, line: 3)
    var facts = facts()
    facts.script = hostile
    facts.status = .init(isSuccess: false, text: hostile)
    facts.startedAt = hostile
    var message = ReportFacts.Message(.error, hostile, at: position)
    message.sourceLine = hostile
    facts.messages = [message, ReportFacts.Message(.note, hostile)]
    facts.printed = [hostile]
    facts.plan = [hostile]
    facts.machine = [("Command", hostile)]
    facts.thumbnailProblem = hostile
    let thumbnail = ReportFacts.Thumbnail(mediaType: "image/png", base64: "AAAA", width: 2, height: 1)
    var output = ReportFacts.Output(path: hostile, state: .written(byteCount: 3))
    output.position = position
    facts.outputs = [output, output]
    facts.outputs[0].thumbnail = thumbnail
    facts.outputCount = 2
    var document = ReportFacts.Document(path: hostile, pageCount: 2)
    document.position = position
    document.proof = .wrong
    document.summary = hostile
    document.findings = [hostile]
    var page = ReportFacts.Document.Page(number: 1)
    page.thumbnail = thumbnail
    page.marks = [DocumentReport.Finding(page: 1, severity: "error", text: hostile)]
    document.pages = [page]
    facts.documents = [document]
    facts.documentCount = 1
    let html = ReportPage(facts).html
    #expect(!html.contains("<script") && !html.contains("</p></title>") && !html.contains("\u{1b}"))
    #expect(html.ranges(of: "&lt;script>").count == 0)
    #expect(html.ranges(of: "&lt;script&gt;").count >= 15)
    // Attributes end where they should.
    #expect(html.contains("alt=\"Page 1 of &lt;/p&gt;") && html.contains("&quot;'&amp;\u{fffd}\u{fffd}\""))
  }

  @Test func marksOfPages() {
    var facts = facts()
    var document = ReportFacts.Document(path: "b.pdf", pageCount: 40)
    document.proof = .wrong
    let area = UnitRectangle(left: 0.25, top: 0.5, width: 0.5, height: 0.5)
    document.pages = [1, 2, 3].map { ReportFacts.Document.Page(number: $0) }
    document.pages[1].marks = [DocumentReport.Finding(page: 2, severity: "error", text: "pixels differ", area: area)]
    document.pages[2].marks = [DocumentReport.Finding(page: 3, severity: "warning", text: "not compared")]
    facts.documents = [document]
    facts.documentCount = 1
    let html = ReportPage(facts).html
    #expect(html.contains("style=\"left:25%;top:50%;width:50%;height:50%\""))
    #expect(html.contains("<li class=\"wrong\">") && html.contains("<li class=\"warned\">"))
    #expect(html.contains("37 more pages are not shown"))
  }

  static let numbers: [(Int, String)] = [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")]

  @Test(arguments: numbers)
  func grouped(_ number: Int, _ expected: String) { #expect(ReportPage.number(number) == expected) }

  /// However long a run is, its log stays bounded, and counts what it leaves out.
  @Test func logsAreBounded() {
    let log = ReportLog()
    for index in 0..<10_000 {
      log.observe(.wrote(path: "\(index).png", byteCount: 2, layout: nil))
      log.observe(.note(Diagnostic(.input, at: nil, message: "note \(index)")))
      log.observe(.note(Diagnostic(.input, at: nil, message: "the same")))
      log.printed("\(index)", outputTakesLines: true)
    }
    let state = log.snapshot
    #expect(state.totals.written == 10_000 && state.totals.byteCount == 20_000)
    #expect(state.order.count == ReportLog.mostOutputs * 10 && state.written.count == state.order.count)
    #expect(state.messages.count == ReportLog.mostMessages)
    #expect(state.printed.count + state.furtherPrinted == 10_000)
  }
}
