import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Hostile pictures, a whole folder in one run: no crash, no hang; each is written or named.
@Suite(.wholeRuns) struct FuzzTests {
  @Test(
    .enabled(if: Shared.folder != nil),
    arguments: ["bmp", "gif", "jpeg", "png", "tiff", "webp"])
  func folderInOneRun(_ name: String) throws {
    let corpus = Shared.path("corpus/fuzz/" + name)
    let names = Built.files(in: corpus)
    try #require(!names.isEmpty)
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local all = {}
      for _, name in ipairs{ \(names.map { "\"\($0)\"" }.joined(separator: ", ")) } do
        all[#all + 1] = img.open(arg[1] .. "/" .. name)
      end
      img.list(all):map(function(p) return p:resize{ width = 16, height = 16, fit = "inside" } end)
        :save("out/{index}.png")
      """, "--on-error", "continue", arguments: [corpus], seconds: 60)
    #expect(outcome.signal == nil && [0, 1].contains(outcome.status), "\(outcome)")
    #expect(folder.temporaries == [])
    let written = folder.files.filter { $0.hasPrefix("out/") }
    for file in written { _ = try Pixels(file: folder(file)) }
    let named = names.filter { outcome.error.contains("/\($0): ") }
    #expect(written.count + named.count == names.count)
    // One line each, and the summary. Files that are read may have notes.
    let failures = outcome.messages.filter { !$0.contains(" note: ") }
    #expect(failures.count == named.count + (named.count > 1 ? 1 : 0), "\(outcome)")
  }
}
