import ImageCore
import Platform
import Testing

@testable import ImagePipeline

@Suite struct RunFilesTests {
  /// The system may give the identity of a file that another program has replaced to that program's next file.
  @Test func identitiesThatAreUsedAgain() throws {
    let identity = try #require(FileIdentity(at: "/tmp"))
    let files = RunFiles()
    let (mine, other) = (InternedPath("o/a.jpg"), InternedPath("o/A.jpg"))
    files.wrote(identity, at: mine, modified: 1)
    #expect(files.conflict(replacing: identity, at: mine, modified: 1) == nil)
    #expect(files.conflict(replacing: identity, at: other, modified: 1) == .output)
    #expect(files.conflict(replacing: identity, at: other, modified: 2) == nil)
    files.read(identity, for: .picture)
    #expect(files.conflict(replacing: identity, at: other, modified: 2) == .read(.picture))
  }
}
