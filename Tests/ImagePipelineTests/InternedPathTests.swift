import ImageCore
import Scheduling
import Testing

@testable import ImagePipeline

@Suite("A path in two parts")
struct InternedPathTests {
  @Test(
    "gives back its bytes",
    arguments: [
      "", "a", "/", "/a", "a/", "//", "a//b.jpg", "./a.jpg", "../../a", "/long/folder/é.jpg",
      "e\u{301}/\u{301}.jpg", "\u{301}", "a/\u{301}x", "a/b/c-with-more-than-fifteen-bytes.jpeg",
    ])
  func bytes(path: String) {
    for others in [[], ["a/b"], [path], ["a/b", path, "c"]] {
      var folders = InternedPath.Folders()
      for other in others { _ = InternedPath(other, in: &folders) }
      #expect(Array(InternedPath(path, in: &folders).text.utf8) == Array(path.utf8))
    }
    #expect(Array(InternedPath(path).text.utf8) == Array(path.utf8))
  }

  @Test("is equal by its bytes, whatever it shares")
  func equality() {
    let paths = ["a/b", "a/c", "b", "/b", "a/", "a//b", "\u{e9}/b", "e\u{301}/b", "a/\u{e9}", ""]
    var folders = InternedPath.Folders()
    let shared = Set(paths.map { InternedPath($0, in: &folders) })
    #expect(shared.count == paths.count)
    #expect(paths.allSatisfy { shared.contains(InternedPath($0)) })
    #expect(!shared.contains(InternedPath("a/e\u{301}")))
  }

  @Test("shares a folder with the same bytes, wherever it was named")
  func sharing() {
    var folders = InternedPath.Folders()
    let first = InternedPath("photos/1.jpg", in: &folders)
    #expect(InternedPath("photos/2.jpg", in: &folders).sharesFolder(with: first))
    for other in ["photo/2.jpg", "photos/more/2.jpg", "/photos/2.jpg", "photos//2.jpg", "2.jpg"] {
      #expect(!InternedPath(other, in: &folders).sharesFolder(with: first))
      #expect(InternedPath("photos/3.jpg", in: &folders).sharesFolder(with: first))
    }
    #expect(InternedPath("2.jpg").sharesFolder(with: InternedPath("3.jpg")))
    // One letter for Unicode, two folders on disk.
    let composed = InternedPath("\u{e9}/1.jpg", in: &folders)
    let decomposed = InternedPath("e\u{301}/1.jpg", in: &folders)
    #expect(!decomposed.sharesFolder(with: composed))
  }

  @Test("shares folders of files that are opened in turn, and of jobs of one file each")
  func sharingInARun() throws {
    let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1 << 30))
    defer { scheduler.invalidate() }
    var options = RunOptions()
    options.isDryRun = true
    let run = Run(
      environment: RowsCodec.environment,
      options: options, scheduler: scheduler, cancellation: CancellationToken(),
      observer: { _ in })
    let files = ["raw/1.rows", "masks/1.rows", "raw/2.rows", "masks/2.rows"].map {
      run.graph.open($0, RawArguments(), at: nil).origin!.place
    }
    #expect(files[2].sharesFolder(with: files[0]))
    #expect(files[3].sharesFolder(with: files[1]))
    #expect(!files[1].sharesFolder(with: files[0]))

    let picture = run.graph.canvas(RawArguments(positional: [.integer(3), .integer(4)]), at: nil)
    let jobs = ["out/1.rows", "more/1.rows", "out/2.rows"].map {
      run.graph.save([picture], to: $0, RawArguments(), at: nil)
    }
    try run.settle()
    let outputs = try jobs.map { try #require($0.result.outputs.first).place }
    #expect(outputs.map(\.text) == ["out/1.rows", "more/1.rows", "out/2.rows"])
    #expect(outputs[2].sharesFolder(with: outputs[0]))
    #expect(!outputs[1].sharesFolder(with: outputs[0]))
  }

  @Test(
    "tells a file's name", arguments: [("a/b.jpg", "b.jpg"), ("b.jpg", "b.jpg"), ("a/b/", "b")])
  func name(path: String, name: String) {
    let codecs = CodecCache { _ throws(PictureError) in throw .codec(.empty) }
    #expect(PictureFile(InternedPath(path), codecs: codecs).name == name)
  }
}
