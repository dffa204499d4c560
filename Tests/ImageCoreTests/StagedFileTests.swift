import Platform
import Testing

@testable import ImageCore

struct StagedFileTests {
  private let folder: String

  init() throws {
    var template = Array("/tmp/imghost-staged-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  private func file(_ count: Int) throws -> InputFile {
    let path = folder + "/source"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try #require(bytes.withUnsafeBytes { writeAll($0, to: descriptor) } == 0)
    return try InputFile(path: path)
  }

  private func remove() {
    for name in ["/source", ""] { _ = PathBytes.withBytes(of: folder + name) { Platform.remove($0) } }
  }

  @Test func copyHasTheBytesAndNoName() throws {
    defer { remove() }
    let source = try file(3_000_000)
    let copy = try #require(try source.staged(in: folder))
    #expect(copy.byteCount == source.byteCount && copy.path == source.path && copy.identity != source.identity)
    #expect(try copy.bytes(at: 0, count: 3_000_000) == source.bytes(at: 0, count: 3_000_000))
    #expect(FolderFiles(in: folder).files.map(\.name) == ["source"])
    var status = stat()
    #expect(fstat(copy.descriptor, &status) == 0 && status.st_nlink == 0)
  }

  /// Files in a folder that is nested too deep are not left out in silence.
  @Test func foldersThatAreNestedTooDeepAreTold() throws {
    defer { remove() }
    let deep = folder + String(repeating: "/d", count: 66)
    FolderFiles.make(deep)
    let found = FolderFiles(in: folder)
    #expect(found.files.isEmpty && found.unread.map(\.name) == [String(repeating: "d/", count: 65)])
  }

  @Test func smallFilesStay() throws {
    defer { remove() }
    #expect(try file(InputFile.smallByteCount).staged(in: folder) == nil)
  }

  @Test func withoutAFolderTheFileStays() throws {
    defer { remove() }
    #expect(try file(100_000).staged(in: folder + "/none") == nil)
  }
}
