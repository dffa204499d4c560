import Foundation
import TestSupport
import Testing

/// The scripts, commands, outputs and links of the pages work, and the reference is what the program declares.
struct DocumentationTests {
  /// All pages of the project.
  static let pages: [String] = {
    let all = FileManager.default.enumerator(atPath: Built.root)
    var pages: [String] = []
    for case let path as String in all ?? .init() {
      if path.hasPrefix(".") {
        all?.skipDescendants()
      } else if path.hasSuffix(".md") {
        pages.append(path)
      }
    }
    return pages.sorted()
  }()

  private func script(_ arguments: [String], seconds: Double) throws -> Outcome {
    try Command(
      program: "/usr/bin/env", arguments: ["bash"] + arguments, folder: Built.root,
      environment: ["PROGRAMS": Built.folder], seconds: seconds
    ).run()
  }

  @Test func findsPages() {
    #expect(Self.pages.contains("README.md") && Self.pages.contains("Docs/Tutorial.md"))
  }

  /// Those of plugins look for leaks, by the memory that a worker takes.
  @Test(arguments: sampled(isSanitized ? pages.filter { !$0.contains("/PluginIn") } : pages))
  func runs(_ page: String) throws {
    let outcome = try script(["Scripts/dev/check-docs", page], seconds: 60)
    outcome.expect(status: 0)
  }

  /// `Scripts/dev/reference` makes the committed pages again.
  @Test func theReferenceIsCurrent() throws {
    let outcome = try script(["Scripts/dev/reference", "--check"], seconds: 20)
    outcome.expect(status: 0)
  }

  /// The scripts that draw the reference's pictures have no mistakes.
  @Test(arguments: sampled(["pictures", "layouts"]))
  func examplesHaveNoMistakes(_ name: String) throws {
    let script = Built.scripts + "/dev/reference.d/\(name).lua"
    let outcome = try Folder().imghost("check", script)
    outcome.expect(status: 0)
  }
}
