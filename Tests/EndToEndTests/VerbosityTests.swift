import Foundation
import Testing

/// `--quiet`, `--verbose`, and `--version` for programs.
struct VerbosityTests {
  private static let script = """
    print("printed")
    img.canvas(4, 3):save("a.png")
    img.canvas(4, 4):save("b.jpg", { max_bytes = "1k" })
    img.list{ img.canvas(2, 2) }:filter(function() return false end, "too small")
    """

  @Test func quietRunsTellFailuresOnly() throws {
    let quiet = try Folder().run(Self.script, "--quiet", "--set", "unused=1")
    #expect(quiet.status == 0 && quiet.error == "" && quiet.output == "printed\n", "\(quiet)")
    let normal = try Folder().run(Self.script, "--set", "unused=1")
    #expect(normal.error.contains("note: left out, too small") && normal.error.contains("unused setting 'unused'"))
    #expect(normal.error.contains("2 files written"), "\(normal)")
    let failed = try Folder().run("img.open('none.jpg'):save('a.png') img.canvas(0, 1)", "-q")
    #expect(failed.status == 3 && failed.errorLines.count == 2, "\(failed)")
    let check = try Folder().imghost("check", "--quiet", Built.scripts + "/contact-sheet.lua", Built.photos)
    #expect(check.status == 0 && check.output == "" && check.error == "", "\(check)")
  }

  @Test func verboseRunsNameEachOutput() throws {
    let outcome = try Folder().run(Self.script, "--verbose")
    #expect(outcome.errorLines.contains { $0.hasPrefix("a.png: 4x3, ") && $0.hasSuffix(" bytes") }, "\(outcome)")
    #expect(
      outcome.errorLines.contains { $0.hasPrefix("b.jpg: 4x4, ") && $0.contains(" bytes, quality ") }, "\(outcome)")
  }

  @Test func bothContradict() throws {
    let outcome = try Folder().run(Self.script, "--quiet", "--verbose")
    outcome.expect(status: 2, error: "--quiet and --verbose contradict each other")
  }

  @Test func versionForPrograms() throws {
    let folder = try Folder()
    let outcome = try folder.imghost("--version", "--json")
    let facts = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let plain = try folder.imghost("--version").output
    #expect(plain == "imghost \(facts["version"] as? String ?? "")\n" && facts["program"] as? String == "imghost")
    for name in ["events", "manifest", "plugin_abi"] { #expect((facts[name] as? Int ?? 0) >= 1, "\(outcome)") }
    let wrong = try folder.imghost("--version", "--jsn")
    wrong.expect(status: 2, error: "unexpected argument '--jsn'")
  }
}
