import Foundation
import PictureTestSupport
import Testing

/// What the README shows is run: every fenced `lua` block, each in a folder of its own with `photos/`,
/// `scans/` and a `logo.png`.
struct ReadmeTests {
  struct Block: CustomTestStringConvertible, Sendable {
    let line: Int
    let text: String
    var testDescription: String { "README.md line \(line)" }
  }

  static let blocks: [Block] = {
    let text = (try? String(contentsOfFile: Built.root + "/README.md", encoding: .utf8)) ?? ""
    var blocks: [Block] = []
    var current: (line: Int, lines: [Substring])?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```lua") {
        current = (index + 2, [])
      } else if line.hasPrefix("```"), let block = current {
        blocks.append(Block(line: block.line, text: block.lines.joined(separator: "\n")))
        current = nil
      } else {
        current?.lines.append(line)
      }
    }
    return blocks
  }()

  @Test func showsScripts() { #expect(!Self.blocks.isEmpty, "README.md has no lua block") }

  @Test(arguments: blocks)
  func runs(_ block: Block) throws {
    let folder = try Folder()
    try folder.makeFolder("photos")
    try folder.makeFolder("scans")
    for sample in Built.samples {
      try folder.copy(Built.photos + "/" + sample, to: "photos/" + sample)
    }
    for sample in Built.samples.prefix(2) {
      try folder.copy(Built.photos + "/" + sample, to: "scans/" + sample)
    }
    try folder.write("logo.png", try Pixels.waves(120, 60, .rgba8).png())
    // An example may begin where another ended.
    let head = block.text.contains("require") ? "" : "local img = require \"imghost\" "
    try folder.write("example.lua", head + block.text)
    let outcome = try folder.imghost("run", "example.lua", seconds: 40)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(folder.temporaries == [])
  }
}
