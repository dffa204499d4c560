import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// A codec plugin with every kind of fault: each file gets one line, and the other files are processed.
@Suite(.wholeRuns) struct HostileCodecTests {
  /// The environment in which the plugin is found.
  private func plugin(in folder: Folder) throws -> [String: String?] {
    try folder.makeFolder("plugins")
    try Fixture.compile("oddcodec", [], to: folder("plugins/liboddPlugin.so"))
    return ["IMGHOST_PLUGIN_PATH": folder("plugins")]
  }

  private static let garbled = "plugin 'odd' sent an invalid answer and was stopped"
  private static let silent = "plugin 'odd' failed without saying why"
  private static let crashed = "plugin 'odd' crashed (it aborted itself)"
  private static let exited = "plugin 'odd' ended its process with status 3 in the middle of its work"
  private static let late = "plugin 'odd' did not answer within "
  private static let broken = "plugin 'odd' crashed (segmentation fault"

  /// The faults when a file is read, and the words after the file's name; empty for a file that is read without an
  /// error.
  private static let reading = tried([
    ("good", ""), ("fewer-rows", ""), ("not-numbers", ""), ("long-facts", ""),
    ("missing-facts", ""), ("missing-profile", ""), ("huge-profile", ""), ("crash-close", ""), ("exit-close", ""),
    ("hang-close", ""), ("no-width", garbled), ("negative-height", garbled),
    ("huge", "2147483647x2147483647 pixels are too many"), ("no-pages", garbled),
    ("many-pages", "has 4294967295 pages or frames, more than imghost reads"), ("no-bands", garbled),
    ("many-bands", garbled), ("floats", garbled), ("turned", garbled), ("shrink-one", garbled),
    ("shrink-back", garbled), ("many-shrinks", garbled), ("many-facts", garbled), ("nameless-fact", garbled),
    ("long-profile", broken), ("memory", "MB of memory, and only"), ("nobody", silent),
    ("changes", "plugin 'odd' described the picture differently before"),
    ("more-rows", "plugin 'odd' wrote outside its output"), ("wide-rows", "plugin 'odd' wrote outside its output"),
    ("rows-above", broken), ("crash-open", crashed), ("crash-read", crashed), ("exit-open", exited),
    ("exit-read", exited), ("hang-open", late), ("hang-read", late), ("forge-open", garbled), ("forge-read", garbled),
    ("chat-read", garbled), ("fail-open", "lacks a lens"), ("fail-read", "lacks a lens"),
    ("escape-open", "lacks a  [31mlens  \u{fffd}\u{fffd}"), ("escape-read", "lacks a  [31mlens  \u{fffd}\u{fffd}"),
    ("long-open", String(repeating: "x", count: 511)), ("long-read", String(repeating: "x", count: 511)),
    ("strange-open", silent), ("strange-read", silent), ("cancel-open", silent), ("cancel-read", silent),
    ("other-open", "unrecognized file format"), ("other-read", garbled),
    ("eat-open", "needs more memory than there is"), ("eat-read", "needs more memory than there is"),
  ])

  /// Leaves out a case under a sanitizer: if memory is short, a sanitizer starts a program, which a worker may not.
  private static func tried(_ all: [(String, String)]) -> [(String, String)] {
    isSanitized ? all.filter { !$0.0.hasPrefix("eat-") } : all
  }

  @Test func eachFileHasOneLine() throws {
    let folder = try Folder()
    let environment = try plugin(in: folder)
    for (name, _) in Self.reading { try folder.write("in/\(name).odd", "odd:\(name)") }
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do img.open(path):save(\"out/{stem}.png\") end", "--on-error", "continue",
      arguments: Self.reading.map { "in/\($0.0).odd" }, environment: environment, seconds: 20)
    #expect(outcome.signal == nil && outcome.status == 1, "\(outcome)")
    // Control characters of the plugin's logs, printed lines and words do not reach the terminal.
    #expect(!outcome.error.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    let failures = outcome.messages.filter { $0.hasPrefix("t.lua:2: ") }
    for (name, words) in Self.reading {
      let lines = failures.filter { $0.contains("in/\(name).odd: ") || $0.contains("out/\(name).png: ") }
      #expect(folder.exists("out/\(name).png") == words.isEmpty, "\(name): \(lines)")
      #expect(lines.count == (words.isEmpty ? 0 : 1), "\(name): \(lines)")
      #expect(lines.allSatisfy { $0.contains(words) }, "\(name): \(lines)")
    }
    #expect(failures.count == Self.reading.count { !$0.1.isEmpty }, "\(outcome)")
    #expect(folder.temporaries.isEmpty)
    // Rows that are left out are black.
    let rows = try Pixels(file: folder("out/fewer-rows.png")).bytes
    #expect(rows.first == 100 && rows.last == 0)
  }

  /// A file that crashes or hangs is read in a used worker and in a fresh one, however many outputs it has: each has its
  /// line, and nothing waits for the same again.
  @Test(arguments: [("crashtold-read", crashed, 2), ("hangtold-read", late, 1)])
  func oneVerdictForAllOutputs(_ name: String, _ words: String, _ most: Int) throws {
    let folder = try Folder()
    let environment = try plugin(in: folder)
    try folder.write("a.odd", "odd:\(name)")
    let outcome = try folder.run(
      """
      local a = img.open("a.odd")
      for i = 1, 5 do a:resize(10 * i):save(i .. ".png") end
      a:save("whole.png")
      img.book("a.pdf", { a, a:flip() })
      img.canvas(9, 9):save("other.png")
      """, "--on-error", "continue", environment: environment, seconds: 20)
    outcome.expect(status: 1, error: words)
    let told = outcome.error.components(separatedBy: "goes wrong").count - 1
    #expect((1...most).contains(told), "\(outcome)")
    #expect(folder.exists("other.png") && !folder.exists("1.png") && !folder.exists("whole.png"), "\(outcome)")
  }

  /// The results of requesting a page after the first one. A worker that ended or failed at another page is replaced,
  /// and the new one opens the page again.
  private static let turning: [(String, String)] = [
    ("good", ""), ("pages-vanish", "there is no page 2: the file has one page"), ("hang-turn", late),
    ("crash-turn", ""),
    ("exit-turn", ""), ("fail-turn", ""), ("strange-turn", ""), ("forge-turn", ""),
  ]

  /// Each file in a run of its own with one worker: a second one may open page 2 at once instead of turning to it.
  @Test(arguments: turning)
  func pagesThatGoWrong(_ name: String, _ words: String) throws {
    let folder = try Folder()
    let environment = try plugin(in: folder)
    try folder.write("\(name).odd", "odd:\(name)")
    let outcome = try folder.run(
      "img.pages(arg[1]):save(\"out/{index}.png\")", "--on-error", "continue", "--jobs", "1",
      arguments: ["\(name).odd"], environment: environment, seconds: 20)
    #expect(outcome.signal == nil && outcome.status == (words.isEmpty ? 0 : 1), "\(outcome)")
    let lines = outcome.messages.filter { $0.contains("\(name).odd: ") }
    #expect(lines.isEmpty == words.isEmpty, "\(outcome)")
    #expect(lines.allSatisfy { $0.contains(words) || $0.contains("3: the file has one") }, "\(lines)")
    #expect(folder.exists("out/1.png") && folder.exists("out/2.png") == words.isEmpty, "\(outcome)")
    #expect(folder.exists("out/3.png") == (name != "pages-vanish"), "\(outcome)")
    #expect(folder.temporaries.isEmpty)
  }

  /// The faults when a file is written, by the option `how`.
  private static let writing = tried([
    ("good", ""), ("crash-abandon", ""), ("hang-abandon", ""), ("nothing", "plugin 'odd' gave an empty file"),
    ("no-bytes", "plugin 'odd' gave an empty file"), ("endless", "plugin 'odd' "),
    ("write-input", "plugin 'odd' wrote to its input"), ("long-input", "plugin 'odd' read outside its input"),
    ("crash-begin", crashed), ("crash-rows", crashed), ("crash-page", crashed), ("crash-finish", crashed),
    ("exit-finish", exited), ("hang-rows", late), ("hang-finish", late), ("forge-rows", garbled),
    ("fail-begin", "lacks a lens"), ("fail-rows", "lacks a lens"), ("fail-page", "lacks a lens"),
    ("fail-finish", "lacks a lens"), ("escape-finish", "lacks a  [31mlens"), ("strange-rows", silent),
    ("strange-finish", silent), ("cancel-rows", silent), ("eat-rows", "needs more memory than there is"),
  ])

  /// Each in a run of its own line, since equal reasons of one line are told together.
  @Test func nothingIsHalfWritten() throws {
    let folder = try Folder()
    let environment = try plugin(in: folder)
    let script = Self.writing.map { "p:save(\"\($0.0).odd\", { how = \"\($0.0)\" })" }.joined(separator: "\n")
    let outcome = try folder.run(
      "local p = img.canvas(200, 4000)\n" + script, "--on-error", "continue", environment: environment, seconds: 20)
    #expect(outcome.signal == nil && outcome.status == 1, "\(outcome)")
    for (name, words) in Self.writing {
      let lines = outcome.messages.filter { $0.contains(" \(name).odd: ") }
      #expect(lines.count == (words.isEmpty ? 0 : 1) && lines.allSatisfy { $0.contains(words) }, "\(name): \(outcome)")
      #expect(folder.exists("\(name).odd") == words.isEmpty, "\(name)")
    }
    #expect(folder.temporaries.isEmpty)
  }
}
