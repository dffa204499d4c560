import Testing

@testable import CommandInterface

struct HelpTests {
  @Test func programHelp() {
    #expect(
      HelpText.program(example) == """
        example: an example

        usage: example COMMAND [OPTIONS] …

          paint FILE [ARGS…]  paint a picture
          tool SUBCOMMAND …   work on a tool

        'example COMMAND --help' explains a command; 'example --version' prints the version.
        """)
  }

  @Test func commandHelp() {
    #expect(
      HelpText.command(Paint.self, of: example) == """
        paint a picture

        usage: example paint [OPTIONS] FILE [ARGS…]

          --colour NAME    the colour: red, blue
          --set KEY=VALUE  a setting: [x]
          --title TEXT     the title
          --jobs N         it's a number
          --dry-run        write nothing
          --help           print this help and exit

        First paragraph.

        'quoted' \\ end.
        """)
  }

  @Test func subcommandsAreListed() {
    let text = HelpText.command(Tool.self, of: example)
    #expect(text.contains("\n  tool test NAME  test a tool"))
    #expect(example.find("tool test") != nil && example.find("test") == nil)
  }

  @Test func longCellsGetTheirOwnLine() {
    let long = String(repeating: "x", count: 31)
    let text = String(repeating: "word ", count: 20) + "end"
    let lines = HelpText.table([(long, "short"), ("a", text)]).split(separator: "\n")
    #expect(lines[0] == long[...] && lines[1] == String(repeating: " ", count: 32) + "short")
    #expect(lines.count == 4 && lines.allSatisfy { $0.count <= 100 })
  }

  @Test func manualPage() {
    let page = ManualPage.text(example)
    #expect(page.contains(".TH EXAMPLE 1 \"\" \"example 1.2\" \"User Commands\"\n"))
    #expect(page.contains(".SH NAME\nexample \\- an example\n"))
    #expect(page.contains(".TP\n.BR example\\-paint (1)\nPaint a picture.\n.TP\n.BR example\\-tool (1)\n"))
    #expect(page.contains(".SH ENVIRONMENT\n.TP\n.B BRUSH\nThe width of a line.\n.SH EXIT STATUS\n0 painted\n"))
    #expect(page.hasSuffix(".SH SEE ALSO\n.BR example\\-paint (1),\n.BR example\\-tool (1)\n"))
  }

  @Test func manualPageOfACommand() {
    let page = ManualPage.text(Paint.self, of: example)
    #expect(page.contains(".TH EXAMPLE\\-PAINT 1 "))
    #expect(page.contains(".SH NAME\nexample\\-paint \\- paint a picture\n"))
    #expect(page.contains(".SH SYNOPSIS\n.B example paint [OPTIONS] FILE [ARGS\\&...]\n"))
    #expect(page.contains(".SH DESCRIPTION\nFirst paragraph.\n.PP\n\\&\\(aqquoted\\(aq \\e end.\n.SH OPTIONS\n"))
    #expect(
      page.contains(
        ".TP\n\\fB\\-\\-jobs\\fR \\fIN\\fR\nIt\\(aqs a number.\n.TP\n\\fB\\-\\-dry\\-run\\fR\n"))
    let parent = ManualPage.text(Tool.self, of: example)
    #expect(parent.contains(".SH COMMANDS\n.TP\n.BR example\\-tool\\-test (1)\nTest a tool.\n"))
  }

  /// Every width gives lines that fit, where words do.
  @Test(arguments: [40, 60, 80, 100])
  func fits(_ width: Int) {
    let text = String(repeating: "word ", count: 40) + "end"
    let table = HelpText.table([("  --option VALUE", text), ("  --a", "b")], width: width)
    let paragraphs = HelpText.filled("\(text)\n\(text)\n\n  kept   as it is\n\nlast", width: width)
    for line in (table + "\n" + paragraphs).split(separator: "\n") { #expect(line.count <= width, "\(line)") }
    #expect(paragraphs.hasSuffix("\n\n  kept   as it is\n\nlast"))
  }

  static let escapes: [(String, String)] = [
    ("a-b", "a\\-b"), (".x", "\\&.x"), ("'x'", "\\&\\(aqx\\(aq"), ("ü…", "\\[u00FC]\\&..."),
    ("a\\b", "a\\eb"), ("~/`^", "\\(ti/\\(ga\\(ha"),
  ]

  @Test(arguments: escapes)
  func escapesForGroff(_ text: String, _ expected: String) { #expect(ManualPage.escaped(text) == expected) }

  /// The shells' own programs read these scripts in the end-to-end tests.
  @Test(arguments: ShellCompletion.Shell.allCases)
  func completionNamesEverything(_ shell: ShellCompletion.Shell) {
    let script = ShellCompletion.script(for: shell, of: example)
    for word in ["paint", "tool", "test", "colour", "red", "dry-run", "hammer", "help"] {
      #expect(script.contains(word), "\(word)")
    }
  }
}
