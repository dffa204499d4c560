import Foundation
import Testing

/// Completion scripts and the manual page, read by the programs that they are for.
struct CompletionTests {
  /// Runs a program on a script that `imghost` prints.
  private func run(_ program: String, _ arguments: [String], after words: [String]) throws -> Outcome? {
    let places = ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + program }
    guard let path = places.first(where: FileManager.default.fileExists) else { return nil }
    let folder = try Folder()
    let made = try folder.imghost(words)
    #expect(made.status == 0 && made.error == "", "\(made)")
    try folder.write("script", made.output)
    return try Command(program: path, arguments: arguments, folder: folder.path).run()
  }

  @Test(arguments: [
    ("ru", "run"), ("run --qo", "--qos"), ("run --qos ba", "background"),
    ("run --qos=user-i", "user-initiated user-interactive"), ("run --on-error ", "stop continue"),
    ("plugin ", "list install remove check run"), ("plugin check --j", "--json"), ("completion z", "zsh"),
    ("ops sharp", "sharpen"), ("help in", "info"), ("--ve", "--version"),
    ("new plugin x --lang s", "swift"), ("run --jobs ", ""), ("verify --sea", "--sealed"),
    ("xyz ", ""),
  ])
  func bash(_ line: String, _ expected: String) throws {
    // Readline makes a word of each '='.
    let words = line.replacing("=", with: " = ").split(
      separator: " ", omittingEmptySubsequences: false
    ).map(String.init)
    let command = """
      source ./script
      COMP_WORDS=(imghost "$@") COMP_CWORD=$#
      _imghost
      echo "${COMPREPLY[@]}"
      """
    let outcome = try #require(try run("bash", ["-c", command, "bash"] + words, after: ["completion", "bash"]))
    #expect(outcome.output == expected + "\n" && outcome.error == "", "\(outcome)")
  }

  @Test func bashKnowsTheProgram() throws {
    let command = "set -eu; source ./script; complete -p imghost"
    let outcome = try #require(
      try run("bash", ["-c", command], after: ["completion", "bash"]))
    #expect(outcome.output.contains("-F _imghost imghost") && outcome.status == 0, "\(outcome)")
  }

  @Test func zshLoadsIt() throws {
    let command = """
      autoload -Uz compinit && compinit -D -u
      source ./script
      print -- $_comps[imghost] ${+functions[_imghost_plugin_check]}
      """
    guard let outcome = try run("zsh", ["-f", "-c", command], after: ["completion", "zsh"])
    else { return }
    #expect(outcome.output == "_imghost 1\n" && outcome.error == "", "\(outcome)")
  }

  @Test(arguments: [
    ("ru", "run"), ("run --qos backg", "background"), ("plugin ch", "check"),
    ("ops sharp", "sharpen"), ("verify --seal", "--sealed"),
  ])
  func fish(_ line: String, _ expected: String) throws {
    let command = "source ./script; complete -C 'imghost \(line)'"
    guard
      let outcome = try run(
        "fish", ["--no-config", "-c", command], after: ["completion", "fish"])
    else { return }
    let first = outcome.outputLines.first?.split(separator: "\t").first.map(String.init)
    #expect(first == expected && outcome.error == "", "\(outcome)")
  }

  /// The names of the manual pages: an empty one for that of the program.
  static let pages = [""] + ((try? Folder().imghost("help", "--names").outputLines) ?? [])

  @Test func everyCommandHasAPage() { #expect(Self.pages.count > 10 && Self.pages.contains("plugin check")) }

  /// `groff` warns about everything that it does not understand.
  @Test(arguments: pages)
  func manualPage(_ name: String) throws {
    let arguments = ["-ww", "-man", "-Tutf8", "-P-c", "-P-b", "-P-o", "-P-u", "script"]
    let words = ["help", "--man"] + name.split(separator: " ").map(String.init)
    guard let outcome = try run("groff", arguments, after: words) else { return }
    #expect(outcome.status == 0 && outcome.error == "", "\(outcome)")
    let title = "imghost" + (name.isEmpty ? "" : "-" + name.replacing(" ", with: "-"))
    #expect(outcome.outputLines.first?.hasPrefix(title.uppercased() + "(1)") ?? false, "\(outcome)")
    // Lines are filled with spaces up to the margin.
    let filled = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(filled.contains("NAME \(title) - "), "\(outcome)")
  }

  /// `mandoc` finds more; styles of its own are not mistakes.
  @Test(arguments: pages)
  func manualPageForOthers(_ name: String) throws {
    let words = ["help", "--man"] + name.split(separator: " ").map(String.init)
    guard let outcome = try run("mandoc", ["-T", "lint", "-W", "error", "script"], after: words) else { return }
    #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
  }

  @Test func manualPagesSayWhatTheHelpSays() throws {
    let arguments = ["-man", "-Tutf8", "-P-c", "-P-b", "-P-o", "-P-u", "script"]
    guard let run = try run("groff", arguments, after: ["help", "--man", "run"]),
      let verify = try self.run("groff", arguments, after: ["help", "--man", "verify"]),
      let program = try self.run("groff", arguments, after: ["help", "--man"])
    else { return }
    #expect(
      run.output.contains("imghost run [OPTIONS] SCRIPT") && run.output.contains("Number of workers (default: the"))
    #expect(verify.output.contains("--sealed"))
    for text in ["imghost-plugin(1)", "IMGHOST_PLUGIN_PATH", "130 for Ctrl-C"] {
      #expect(program.output.contains(text), "\(text)")
    }
  }
}
