import Testing

@testable import BookComposing

/// The texts with which `book` reports how `imghost-verify` ended.
@Suite struct VerifierProgramTests {
  struct Ending: Sendable, CustomTestStringConvertible {
    let name: String
    let output: String
    let status: CapturedProgram.Status
    var worstPSNR = Double.infinity
    let summary: String
    var findings: [String] = []
    var isVerified = false
    var testDescription: String { name }
  }

  typealias Row = (severity: String, page: Int?, text: String)

  /// A report as `imghost-verify --json` prints it.
  static func report(_ summary: String, _ findings: Row...) -> String { report(summary, findings) }

  static func report(_ summary: String, _ findings: [Row]) -> String {
    let rows = findings.map { row in
      #"{"severity":"\#(row.severity)","page":\#(row.page.map(String.init) ?? "null"),"text":"\#(row.text)","#
        + #""area":[0,0,0.5,1]}"#
    }
    let pages = (0..<Int(summary.prefix { $0.isNumber })!).map { #"{"page":\#($0 + 1),"pictures":[]}"# }
    return #"{"path":"a.pdf","summary":"\#(summary)","pages":[\#(pages.joined(separator: ","))],"#
      + #""fonts":[],"findings":[\#(rows.joined(separator: ","))]}"# + "\n"
  }

  static let endings = [
    Ending(
      name: "nothing wrong", output: report("4 pages, verified"), status: .exited(0),
      summary: "4 pages, verified", isVerified: true),
    Ending(
      name: "encoded pages", output: report("4 pages, verified"), status: .exited(0),
      worstPSNR: 38.26, summary: "4 pages, verified; encoded to 38.3 dB or better",
      isVerified: true),
    Ending(
      name: "notes and lines of libraries are left out",
      output: "odd font\n" + report("1 page, verified", ("note", nil, "old"), ("warning", nil, "odd")),
      status: .exited(0), summary: "1 page, verified", findings: ["warning: odd"],
      isVerified: true),
    Ending(
      name: "faults", output: report("1 page, not verified: 1 error", ("error", 1, "gone")),
      status: .exited(4), summary: "1 page, 1 error", findings: ["page 1: error: gone"]),
    Ending(
      name: "half a report", output: #"{"summary":"1 page, verified","pages":[{"page":1"#, status: .exited(0),
      summary: "imghost-verify gave no report", findings: [#"{"summary":"1 page, verified","pages":[{"page":1"#]),
    Ending(
      name: "unreadable", output: "no such file\n", status: .exited(1),
      summary: "the book cannot be read again", findings: ["no such file"]),
    Ending(
      name: "another status", output: "", status: .exited(9),
      summary: "imghost-verify ended with status 9"),
    Ending(
      name: "killed", output: "", status: .signalled(9),
      summary: "the system killed imghost-verify, as it does when memory runs out"),
    Ending(
      name: "crashed", output: "", status: .signalled(11),
      summary: "imghost-verify crashed (signal 11)"),
  ]

  @Test(arguments: endings) func outcome(_ ending: Ending) {
    let outcome = VerifierProgram.outcome(ending.output, ending.status, worstPSNR: ending.worstPSNR)
    #expect(outcome.summary == ending.summary)
    #expect(outcome.lines(about: "a.pdf") == ending.findings)
    #expect(outcome.isVerified == ending.isVerified)
  }

  @Test func manyFindingsAreCutShort() {
    let output = Self.report("40 pages, not verified: 40 errors", (1...40).map { ("error", $0, "gone") })
    let outcome = VerifierProgram.outcome(output, .exited(4), worstPSNR: .infinity)
    #expect(outcome.findings.count == 40)
    let lines = outcome.lines(about: "a.pdf")
    #expect(lines.count == 33)
    #expect(lines.last == "8 more; 'imghost verify a.pdf' lists all")
  }

  @Test func findingsKeepTheirPlaces() {
    let output = Self.report("3 pages, not verified: 1 error", ("error", 2, "gone"), ("warning", nil, "torn"))
    let outcome = VerifierProgram.outcome(output, .exited(4), worstPSNR: .infinity)
    #expect(outcome.findings.map(\.page) == [2, nil])
    #expect(outcome.findings.map(\.area?.right) == [0.5, 0.5])
  }

  @Test func leastMemory() {
    let program = VerifierProgram(path: "/nowhere", jobs: 3, memory: 1)
    #expect(program.limits == ["--jobs", "3", "--memory", "67108864"])
    #expect(
      program.problem
        == "verifying needs the program imghost-verify, which is not at /nowhere; "
        + "install the package imghost-verify (imghost-gpl of the portable files), or copy the program there")
  }

  @Test(arguments: [("a4", true), ("210mm x 297mm", true), ("a99", false)])
  func paper(_ name: String, _ isPaper: Bool) {
    let points = VerifierProgram.points(ofPaper: name)
    #expect(points?.hasPrefix("595.27") ?? false == isPaper)
  }
}
