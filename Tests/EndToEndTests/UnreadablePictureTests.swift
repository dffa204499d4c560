import Foundation
import Testing

/// Several unreadable pictures: one line at the end states their number, the reasons, and how to continue without them.
struct UnreadablePictureTests {
  private static func folder() throws -> Folder {
    let folder = try Folder()
    let photo = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/rocket.jpg")))
    for number in 1...4 { try folder.write("p/good\(number).jpg", photo) }
    for number in 1...3 { try folder.write("p/text\(number).jpg", "no picture at all") }
    try folder.write("p/short.jpg", [UInt8](photo.prefix(40)))
    return folder
  }

  private static let script = "img.glob('p/*.jpg'):map(function(p) return p:fit(9, 9) end):save('out/{stem}.png')"

  @Test func aRunTellsTheWayOut() throws {
    let folder = try Self.folder()
    let outcome = try folder.run(Self.script)
    let last = outcome.errorLines.last ?? ""
    #expect(outcome.status == 1 && last.hasPrefix("imghost: 4 of 8 pictures cannot be read: "), "\(outcome)")
    #expect(last.contains(" (3), ") && last.hasSuffix("; use --on-error continue to leave them out"), "\(outcome)")
    #expect(
      try folder.imghost("check", "t.lua").errorLines.last?.hasSuffix(
        "'imghost run --on-error continue' can leave them out") ?? false)
  }

  @Test func aRunThatGoesOnCountsThem() throws {
    let folder = try Self.folder()
    let outcome = try folder.run(Self.script, "--on-error", "continue")
    let line = outcome.errorLines.first { $0.hasPrefix("imghost: ") } ?? ""
    #expect(outcome.status == 1 && folder.files.count { $0.hasPrefix("out/") } == 4, "\(outcome)")
    #expect(line.hasPrefix("imghost: 4 of 8 pictures cannot be read: ") && !line.contains("--on-error"), "\(outcome)")
  }

  @Test func mistakesComeFirst() throws {
    let outcome = try Self.folder().run(Self.script + " img.canvas(0, 1)")
    #expect(outcome.status == 3 && !outcome.error.contains("--on-error"), "\(outcome)")
  }

  @Test func programsGetANote() throws {
    let outcome = try Self.folder().run(Self.script, "--json")
    let note = outcome.outputLines.first { $0.contains("\"event\":\"note\"") } ?? ""
    #expect(note.contains("4 of 8 pictures cannot be read") && outcome.error == "", "\(outcome)")
  }
}
