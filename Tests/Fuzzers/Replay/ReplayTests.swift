import Foundation
import Testing

/// Reads every file of the fuzzers' corpora once, including those that fuzzing has found. Without a sanitizer, only
/// traps, broken promises and endless loops are detected.
struct ReplayTests {
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Corpus")

  @Test(arguments: FuzzTarget.all.map(\.name))
  func corpus(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let folder = Self.corpus.appendingPathComponent(name)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files { target.read(Array(try Data(contentsOf: file))) }
  }

  @Test func everyFolderHasATarget() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    #expect(Set(names) == Set(FuzzTarget.all.map(\.name)))
  }
}
