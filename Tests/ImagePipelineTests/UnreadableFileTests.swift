import ImageCore
import Platform
import Scheduling
import Testing

@testable import ImagePipeline

/// Files that can be read at first, but not later in the run.
@Suite final class UnreadableFileTests {
  private let folder: String
  private var path: String { folder + "/a.fake" }

  init() {
    var template = Array("/tmp/imghost-unreadable-XXXXXX".utf8CString)
    folder = String(cString: mkdtemp(&template))
  }

  deinit {
    unlink(path)
    rmdir(path + ".xmp")
    rmdir(folder)
  }

  /// Returns a picture whose header is known.
  private func picture(_ files: RunFiles, readsSidecar: Bool = false) throws -> Picture {
    let made = try OutputFile(path: path)
    try made.write([1])
    try made.commit()
    let file = PictureFile(
      InternedPath(path),
      codecs: CodecCache(files) { _ throws(PictureError) in FakeCodec(width: 8, height: 8) },
      readsSidecar: readsSidecar)
    _ = try file.read()
    return Picture(.source(file, orient: true, acceptsDamage: false), position: nil, origin: file)
  }

  /// What was taken for a picture without metadata fails every output, also one of another picture made of it.
  @Test func outputsFailAfterAFailedLook() throws {
    let files = RunFiles()
    let picture = try picture(files)
    let other = try Fake.apply(FakeOperation(width: 4), picture)
    try files.checkReadable(other)
    #expect(unlink(path) == 0)
    #expect(other.metadata().exif.isEmpty)
    #expect(throws: PictureError.self) { try files.checkReadable(other) }
    #expect(throws: PictureError.self) { try files.checkReadable(picture) }
    #expect(files.unreadablePaths == [path])
  }

  /// A codec may ignore an error of reading.
  @Test func errorsOfReadingAreNoted() throws {
    let files = RunFiles()
    let picture = try picture(files)
    let opened = try #require(picture.origin).open()
    // A folder cannot be read.
    let other = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(dup2(other, opened.descriptor) >= 0 && close(other) == 0)
    #expect((try? opened.bytes(at: 0, count: 1)) == nil)
    #expect(throws: PictureError.self) { try files.checkReadable(picture) }
  }

  @Test func aSidecarThatCannotBeReadIsNotAbsent() throws {
    let files = RunFiles()
    let picture = try picture(files, readsSidecar: true)
    #expect(mkdir(path + ".xmp", 0o700) == 0)
    #expect(picture.metadata().xmp.isEmpty)
    #expect(throws: PictureError.self) { try files.checkReadable(picture) }
  }

  /// A file of which no output is made costs the run its status, too: a script may have decided by its fields.
  @Test(arguments: [false, true]) func theRunFails(isTold: Bool) throws {
    let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1 << 30))
    scheduler.activate()
    defer { scheduler.invalidate() }
    let run = Run(
      environment: RowsCodec.environment, options: RunOptions(), scheduler: scheduler,
      cancellation: CancellationToken(), observer: { _ in })
    let picture = try picture(run.fileRegister)
    #expect(unlink(path) == 0)
    _ = picture.metadata()
    if isTold { #expect(throws: PictureError.self) { try run.fileRegister.checkReadable(picture) } }
    try run.finish(onFinished: { _ in })
    #expect(run.failures.map(\.file) == (isTold ? [] : [path]))
  }
}
