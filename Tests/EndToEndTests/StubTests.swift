import Foundation
import TestSupport
import Testing

/// The type annotations for editors, with those of the plugins that ship and of a folder.
struct StubTests {
  private static func lines() throws -> [String] {
    let folder = try Folder()
    // Two names that differ in a sign only.
    for name in ["soft-glow", "soft_glow"] {
      try folder.write(
        "plugins/\(name).lua",
        """
        return { name = "\(name)", apply = function(p) return p end,
          parameters = { amount = { type = "int", default = 1 }, tint = { type = "colour" } } }
        """)
    }
    let outcome = try folder.imghost("ops", "--stubs")
    #expect(outcome.status == 0 && outcome.error == "", "\(outcome)")
    return outcome.outputLines
  }

  /// The first words of annotations that must not come twice: lua-language-server warns of a `duplicate-doc-field`.
  @Test(.wholeRuns) func nothingIsNamedTwice() throws {
    var seen: Set<String> = []
    var owner = ""
    for line in try Self.lines() {
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix("---@class ") { owner = words[1] }
      let name: String
      switch words.first {
      case "---@class": name = "class " + words[1]
      case "---@field":
        name = "field \(owner).\(words[1].replacingOccurrences(of: "?", with: ""))"
      case "function": name = String(line.prefix { $0 != "(" })
      default: continue
      }
      #expect(seen.insert(name).inserted, "\(name)")
    }
    #expect(
      seen.contains("class imghost.SoftGlowPluginOptions") && seen.contains("class imghost.SoftGlow2PluginOptions"))
    #expect(seen.contains("function imghost.setting") && seen.contains("function Picture:sharpen"))
  }

  /// The module has no other names, such as those of helpers of the prelude.
  @Test func everyNameOfTheModuleIsAnnotated() throws {
    let lines = try Self.lines()
    let folder = try Folder()
    let outcome = try folder.run("for name in pairs(img) do print(name) end")
    #expect(outcome.status == 0 && outcome.outputLines.count > 20, "\(outcome)")
    for name in outcome.outputLines {
      let starts = ["function imghost.\(name)(", "---@field \(name) "]
      #expect(
        lines.contains { line in starts.contains(where: line.hasPrefix) },
        "img.\(name) has no annotation in Sources/Programs/Reporting/EditorStubs.swift")
    }
  }

  /// Every option and every parameter that has a default may be nil.
  @Test(.wholeRuns) func whatMayBeLeftOutMayBeNil() throws {
    let lines = try Self.lines()
    let json = try Folder().imghost("ops", "--json").output
    let all = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    var count = 0
    for operation in all where operation["family"] as? String != "sink" && operation["family"] as? String != "source" {
      let name = operation["name"] as? String ?? ""
      guard let end = lines.firstIndex(where: { $0.hasPrefix("function Picture:\(name)(") }) else { continue }
      let start = lines[..<end].lastIndex { !$0.hasPrefix("---") } ?? 0
      let positional = operation["positional"] as? Int ?? 0
      for parameter in (operation["parameters"] as? [[String: Any]] ?? []).prefix(positional) {
        let (word, isRequired) = (parameter["name"] as? String ?? "", parameter["required"] as? Bool ?? false)
        let mark = "---@param \(word)\(isRequired ? "" : "?") "
        #expect(lines[start..<end].contains { $0.hasPrefix(mark) }, "\(name): \(mark)")
        count += 1
      }
    }
    #expect(count > 20)
    for (index, line) in lines.enumerated() where line.hasPrefix("---@field ") {
      let owner = lines[..<index].last { $0.hasPrefix("---@class ") } ?? ""
      if owner.hasSuffix("Options") { #expect(line.split(separator: " ")[1].hasSuffix("?"), "\(owner) \(line)") }
    }
  }
}
