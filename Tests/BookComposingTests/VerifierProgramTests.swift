import Testing

@testable import BookComposing

/// The words of `imghost-verify`'s end, as `book` reports them.
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

  static let endings = [
    Ending(
      name: "nothing wrong", output: "a.pdf: 4 pages, verified\n", status: .exited(0),
      summary: "4 pages, verified", isVerified: true),
    Ending(
      name: "encoded pages", output: "a.pdf: 4 pages, verified\n", status: .exited(0),
      worstPSNR: 38.26, summary: "4 pages, verified; encoded to 38.3 dB or better",
      isVerified: true),
    Ending(
      name: "notes and tables are left out",
      output: "a.pdf: 1 page, verified\n  page 1\na.pdf: note: old\na.pdf: warning: odd\n",
      status: .exited(0), summary: "1 page, verified", findings: ["warning: odd"],
      isVerified: true),
    Ending(
      name: "faults", output: "a.pdf: 1 page, not verified: 1 error\na.pdf: page 1: gone\n",
      status: .exited(4), summary: "1 page, 1 error", findings: ["page 1: gone"]),
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
    let outcome = VerifierProgram.outcome(of: "a.pdf", ending.output, ending.status, worstPSNR: ending.worstPSNR)
    #expect(outcome.summary == ending.summary)
    #expect(outcome.findings == ending.findings)
    #expect(outcome.isVerified == ending.isVerified)
  }

  @Test func manyFindingsAreCutShort() {
    let lines = (1...40).map { "a.pdf: page \($0): gone" }
    let outcome = VerifierProgram.outcome(
      of: "a.pdf", (["a.pdf: 40 pages, not verified: 40 errors"] + lines).joined(separator: "\n"),
      .exited(4), worstPSNR: .infinity)
    #expect(outcome.findings.count == 33)
    #expect(outcome.findings.last == "8 more; 'imghost verify a.pdf' lists all")
  }

  @Test func marksOfPages() {
    let lines = [
      "a.pdf: 3 pages, not verified: 1 error", "  page 1", "a.pdf: page 2: error: page 9: gone",
      "a.pdf: page 30: warning: odd", "a.pdf: page 3: note: old", "a.pdf: error: torn", "a.pdf: page x: error: no",
    ]
    let outcome = VerifierProgram.outcome(of: "a.pdf", lines.joined(separator: "\n"), .exited(4), worstPSNR: .infinity)
    #expect(
      outcome.marks.map { "\($0.page ?? 0) \($0.severity) \($0.text)" } == ["2 error page 9: gone", "30 warning odd"])
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
