import Foundation
import TestSupport
import Testing

/// Completion scripts and the manual page, read by the programs that they are for.
@Suite(.wholeRuns) struct CompletionTests {
  /// Runs a program on a script that `imghost` prints.
  ///
  /// - Parameter files: others beside it.
  private func run(
    _ program: String, _ arguments: [String], after words: [String], files: [String: String] = [:]
  ) throws -> Outcome? {
    let places = ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + program }
    guard let path = places.first(where: FileManager.default.fileExists) else { return nil }
    let folder = try Folder()
    let made = try folder.imghost(words)
    #expect(made.status == 0 && made.error == "", "\(made)")
    try folder.write("script", made.output)
    for (name, text) in files { try folder.write(name, text) }
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

  /// A script with settings and a plugin, one that prints, fails and never ends, and one that tries to be a command.
  private static let scripts = [
    "t.lua": """
    local img = require "imghost"
    print("not a name")
    img.setting("width", { type = "int", default = 1 }) img.setting("wide", { type = "bool", default = false })
    img.setting("ink", { type = "colour", default = "red" })
    img.plugin{ name = "frame", parameters = { edge = { type = "int", minimum = 0, maximum = 9, default = 1 } },
      apply = function(picture) return picture end }
    img.canvas(2, 2):plugin("frame"):save("x.png")
    """,
    "slow.lua": "require('imghost').setting('late', { type = 'bool', default = true }) while true do end",
    "odd.lua": "require('imghost').setting('$(touch hacked)', { type = 'bool' }) error('x')",
  ]

  /// The names of the settings of the script on the line.
  static let settingLines = [
    ("run --set wi t.lua", "width= wide="), ("run t.lua --set in", "ink="), ("run --set=wi t.lua", "width= wide="),
    ("check --set fr t.lua", "frame.edge="), ("preview --set i t.lua", "ink="), ("run --set x t.lua", ""),
    ("run --set wi missing.lua", ""), ("run --set la slow.lua", "late="), ("run --set x odd.lua", ""),
    ("run --set wi", ""),
  ]

  @Test(arguments: settingLines)
  func settingsInBash(_ line: String, _ expected: String) throws {
    let words = line.replacing("=", with: " = ").split(separator: " ").map(String.init)
    // The word under the cursor is the one behind '--set'.
    let place = words.firstIndex(of: "--set")! + (line.contains("=") ? 3 : 2)
    let command = """
      source ./script
      imghost() { '\(Built.program("imghost"))' "$@"; }
      COMP_WORDS=(imghost "$@") COMP_CWORD=\(place)
      _imghost
      echo "${COMPREPLY[@]}"
      ls
      """
    let outcome = try #require(
      try run("bash", ["-c", command, "bash"] + words, after: ["completion", "bash"], files: Self.scripts))
    #expect(outcome.output == expected + "\nodd.lua\nscript\nslow.lua\nt.lua\n" && outcome.error == "", "\(outcome)")
  }

  @Test(arguments: settingLines.filter { !$0.0.hasSuffix(".lua") } + [("run t.lua --set wi", "width= wide=")])
  func settingsInFish(_ line: String, _ expected: String) throws {
    let folder = (Built.program("imghost") as NSString).deletingLastPathComponent
    let command = "set PATH \(folder) $PATH; source ./script; complete -C 'imghost \(line)'"
    guard
      let outcome = try run(
        "fish", ["--no-config", "-c", command], after: ["completion", "fish"], files: Self.scripts)
    else { return }
    let found = outcome.outputLines.map { $0.split(separator: "\t")[0] }.sorted()
    #expect(found == expected.split(separator: " ").sorted() && outcome.error == "", "\(outcome)")
  }

  private static let zshLines = [
    ("ru", "run "), ("run --qo", "run --qos="), ("run --qos backg", "--qos background "), ("plugin ins", "install "),
    ("plugin check --dead", "check --deadline="), ("--vers", "--version "), ("run t.lua --set in", "--set ink="),
    ("run t.lua --set=in", "--set=ink="), ("check t.lua --set fr", "--set frame.edge="),
    ("run slow.lua --set la", "--set late="),
  ]

  /// zsh completes in a terminal only, which its module zpty gives it: one for all lines, of which each clears the last.
  @Test func zsh() throws {
    let folder = (Built.program("imghost") as NSString).deletingLastPathComponent
    let lines = Self.zshLines.map { line, expected in
      """
      all=
      zpty -w -n z $'\\x15imghost \(line)\\t'
      await '\(expected.replacing("=", with: "*=").replacing(" ", with: "* "))'
      print -r -- "${(V)all//[$'\\r\\n']}"
      """
    }
    let command = """
      zmodload zsh/zpty || exit 0
      TERM=vt100 COLUMNS=200 zpty -b z zsh -f -i
      zpty -w z "PS1=; PATH=\(folder):\\$PATH; autoload -Uz compinit && compinit -D -u; source ./script"
      zpty -w z "bindkey '^I' complete-word; print RE''ADY"
      await() {
        for i in {1..600}; do
          # Without bells.
          zpty -r -t z part && all+=${part//[$'\\0\\a']}
          [[ $all == *${~1}* ]] && break
          sleep 0.02
        done
      }
      await READY
      \(lines.joined(separator: "\n"))
      """
    guard let outcome = try run("zsh", ["-f", "-c", command], after: ["completion", "zsh"], files: Self.scripts)
    else { return }
    // Without the sequences that mark and erase.
    let shown = outcome.outputLines.map { $0.replacing(/\^\[\[[0-9;?]*[A-Za-z]/, with: "") }
    #expect(shown.count == lines.count && outcome.error == "", "\(outcome)")
    for (line, (_, expected)) in zip(shown, Self.zshLines) { #expect(line.contains(expected), "\(outcome)") }
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
