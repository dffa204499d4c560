import Foundation
import TestSupport
import Testing

/// Additions that need entries in other files, if neither the compiler nor `Scripts/dev/reference` reports missing
/// ones. "Where do I put…" in Docs/Architecture.md lists the same in words.
struct AdditionTests {
  struct Addition: Sendable, CustomTestStringConvertible {
    let kind: String
    /// The folder or file with the declarations.
    let place: String
    /// The pattern of a declaration, or of the path of its file. Its first group is the name.
    let pattern: String
    /// The files that must mention each name, and the text that each must contain. `NAME` in them stands for the name.
    /// Without a text, the file only has to exist.
    let lists: [(file: String, text: String)]

    var testDescription: String { kind }
  }

  private static let stubs = "Sources/Programs/Reporting/EditorStubs"
  private static let prelude = "Sources/Scripting/LuaBindings/Prelude"
  private static let commands = "Sources/Programs/Commands"

  static let additions = [
    Addition(
      kind: "an operation", place: "Sources/Pictures/ImageOperations",
      pattern: #"^package struct (\w+):.*\bDescribedOperation\b"#,
      lists: [("Sources/Pictures/ImageOperations/OperationList.swift", "(NAME.self)")]),
    Addition(
      kind: "an example of an operation", place: "Scripts/dev/reference.d/examples.lua",
      pattern: #"^  (?!with_metadata)(\w+) = \{"#, lists: [("Docs/Reference/pictures/NAME.jpg", "")]),
    Addition(
      kind: "a codec plugin", place: "Plugins",
      pattern: #"IMGHOST_CODEC_PLUGIN\([^;]*?\.name = "((?!colour)\w+)""#,
      lists: [
        ("Sources/Engine/PluginCodecs/ShippedCodec.swift", "\"NAME\", \""), ("Docs/Reference/Plugins.md", "`NAME`"),
        ("Tests/PluginHostTests/Fixtures/Codecs/NAME", ""),
        ("Tests/PluginHostTests/CodecMemoryTests.swift", "\"NAME\""),
        ("Tests/PluginHostTests/CodingCostTests.swift", "(\"NAME\", "),
        ("Tests/EndToEndTests/CodecFixtureTests.swift", " NAME/"),
        ("Tests/EndToEndTests/IsolatedResultTests.swift", "\"NAME\""), ("Scripts/dev/check-packages", " NAME/"),
      ]),
    Addition(
      kind: "a plugin that processes pictures", place: "Plugins",
      pattern: #"(?:hostVersion, functions, name: |^    \.name = |^  name = )"(\w+)""#,
      lists: [
        ("\(commands)/Host/HostEnvironment.swift", "\"NAME\": \""),
        ("Docs/Reference/Plugins.md", "| [NAME](../../Plugins/"), ("Docs/Reference/pictures/plugin-NAME.jpg", ""),
      ]),
    Addition(
      kind: "a folder of a plugin", place: "Package.swift", pattern: #"    plugin\("(\w+)""#,
      lists: [("Plugins/NAME/README.md", "")]),
    Addition(
      kind: "a check of the verifier", place: "Sources/Books/PDFVerify/Checking",
      pattern: #"^struct (\w+): (?:Document|Page|Result)Check\b"#,
      lists: [("Sources/Books/PDFVerify/Checking/CheckList.swift", "NAME(),  // ")]),
    Addition(
      kind: "a page layout", place: "Sources/Books/PDFBook/Layout", pattern: #"static let (\w+) = LayoutKind\("#,
      lists: [
        ("Sources/Books/PDFBook/Layout/LayoutKind.swift", ".NAME"),
        ("Scripts/dev/reference.d/layouts.lua", "book(\"NAME\""), ("Docs/Reference/Layouts.md", "| [`NAME`](#NAME) |"),
        ("Docs/Reference/Layouts.md", "## NAME"), ("Docs/Reference/Layouts.md", "(pictures/layout-NAME.jpg)"),
        ("Docs/Reference/pictures/layout-NAME.jpg", ""),
      ]),
    Addition(
      kind: "a style of designed books", place: "Sources/Books/BookDesign/Styles", pattern: #"(\w+)\.lua$"#,
      lists: [
        ("Sources/Books/BookDesign/Templates/DesignStyle.swift", "\"NAME\""),
        ("Sources/System/CEmbeddedFiles/EmbeddedFiles.c", "{\"NAME.lua\", NAME_lua,"),
      ]),
    Addition(
      kind: "a command", place: commands, pattern: #"^enum ((?!Plugin[A-Z]\w+Command|TestWorker)\w+): Command\b"#,
      lists: [("\(commands)/CommandList.swift", " NAME.self,")]),
    Addition(
      kind: "a command of 'imghost plugin'", place: "\(commands)/Plugin",
      pattern: #"^enum (Plugin[A-Z]\w+Command): Command\b"#,
      lists: [("\(commands)/Plugin/PluginCommand.swift", "NAME.self")]),
    Addition(
      kind: "a function for scripts", place: prelude, pattern: #"^function imghost\.(\w+)\("#,
      lists: [("\(stubs).swift", "function imghost.NAME("), ("Docs/Reference", "img.NAME")]),
    Addition(
      kind: "a method of pictures", place: prelude, pattern: #"^function methods\.(\w+)\("#,
      lists: [("\(stubs)+Pictures.swift", "function Picture:NAME("), ("Docs/Reference", "NAME")]),
    Addition(
      kind: "a method of lists", place: prelude, pattern: #"^function list_methods\.(\w+)\("#,
      lists: [("\(stubs).swift", "function List:NAME("), ("Docs/Reference", "NAME")]),
    Addition(
      kind: "a module of the preview's page", place: "Sources/Programs/Preview/Page", pattern: #"(\w+\.js)$"#,
      lists: [
        ("Sources/System/CEmbeddedFiles/EmbeddedFiles.c", "{\"NAME\","),
        ("Sources/Programs/Preview/Page/preview.html", "\"NAME\""),
      ]),
    Addition(
      kind: "a page of documentation", place: "Docs", pattern: #"Docs/((?:HowTo/|Appendix/)?(?!README)\w+)\.md$"#,
      lists: [("Docs/README.md", "(NAME.md)")]),
    Addition(
      kind: "a page of the reference", place: "Docs/Reference", pattern: #"Docs/Reference/((?!README)\w+)\.md$"#,
      lists: [("Docs/Reference/README.md", "(NAME.md)")]),
  ]

  @Test(arguments: additions) func isListed(_ addition: Addition) throws {
    let pattern = try Regex(addition.pattern).anchorsMatchLineEndings()
    var texts: [String: String] = [:]
    var count = 0
    for path in Self.files(in: addition.place) {
      for match in (path + "\n" + Self.text(of: path)).matches(of: pattern) {
        count += 1
        let name = String(match.output[1].substring ?? "")
        for (file, wanted) in addition.lists {
          let (file, wanted) = (file.replacing("NAME", with: name), wanted.replacing("NAME", with: name))
          let text = texts[file] ?? Self.files(in: file).map(Self.text).joined()
          texts[file] = text
          guard text.isEmpty || !wanted.isEmpty && !text.contains(wanted) else { continue }
          let lacks = wanted.isEmpty ? "there is no file \(file)" : "\(file) lacks: \(wanted)"
          Issue.record("\(addition.kind), '\(name)' in \(path): \(lacks)")
        }
      }
    }
    #expect(count > 1, "the pattern finds nothing")
  }

  /// Returns the path itself, or those of all files in a folder except pictures.
  private static func files(in place: String) -> [String] {
    let below = FileManager.default.subpaths(atPath: "\(Built.root)/\(place)") ?? []
    return [place] + below.filter { !$0.hasSuffix(".jpg") }.map { "\(place)/\($0)" }
  }

  /// Returns the text of a file; for a picture, its path.
  private static func text(of path: String) -> String {
    let bytes = FileManager.default.contents(atPath: "\(Built.root)/\(path)")
    return path.hasSuffix(".jpg") && bytes != nil ? path : String(decoding: bytes ?? Data(), as: UTF8.self)
  }
}
