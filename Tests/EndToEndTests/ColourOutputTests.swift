import Foundation
import Testing

/// Colours of messages: only on a terminal, and only if NO_COLOR does not forbid them.
struct ColourOutputTests {
  /// Runs imghost on a new terminal, which `script` of util-linux creates.
  private func onTerminal(_ words: String, _ variables: [String: String?] = [:]) throws -> String {
    let folder = try Folder()
    try folder.write("t.lua", "local img = require 'imghost'\nimg.canvas(0, 2)")
    let variables = ["TERM": "xterm", "NO_COLOR": nil].merging(variables) { $1 }
    let command = "'\(Built.program("imghost"))' \(words)"
    return try Command(
      program: "/usr/bin/script", arguments: ["-qefc", command, "/dev/null"], folder: folder.path,
      environment: variables
    ).run().output
  }

  @Test func messagesBeginInColour() throws {
    #expect(try onTerminal("run t.lua").contains("\u{1b}[1;31mt.lua:2:\u{1b}[0m canvas: 'width' is 0"))
    #expect(try onTerminal("rnu").contains("\u{1b}[1;31mimghost:\u{1b}[0m unknown command"))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"], ["NO_COLOR": "0"]])
  func refused(_ variables: [String: String]) throws {
    #expect(try !onTerminal("run t.lua", variables.mapValues { $0 }).contains("\u{1b}[1;"))
  }

  @Test func emptyMeansUnset() throws {
    #expect(try onTerminal("run t.lua", ["NO_COLOR": ""]).contains("\u{1b}[1;31m"))
  }

  @Test func pipesGetNone() throws {
    let outcome = try Folder().run("img.canvas(0, 2)")
    #expect(!outcome.error.contains("\u{1b}") && !outcome.output.contains("\u{1b}"), "\(outcome)")
  }

  /// Help fits the columns of the terminal itself, too.
  @Test func helpFitsTheTerminal() throws {
    let text = try onTerminal("run --help; stty cols 60; '\(Built.program("imghost"))' run --help", ["COLUMNS": nil])
    let parts = text.components(separatedBy: "usage: imghost run")
    let lines = (parts.last ?? "").split(whereSeparator: \.isNewline)
    #expect(parts.count == 3 && lines.count > 40 && lines.allSatisfy { $0.count <= 60 }, "\(text)")
  }
}
