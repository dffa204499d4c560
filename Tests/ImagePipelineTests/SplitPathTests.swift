import ImageCore
import Testing

@testable import ImagePipeline

@Suite("A path in two parts")
struct SplitPathTests {
  @Test(
    "gives back its bytes",
    arguments: [
      "", "a", "/", "/a", "a/", "//", "a//b.jpg", "./a.jpg", "../../a", "/long/folder/é.jpg",
      "e\u{301}/\u{301}.jpg", "\u{301}", "a/\u{301}x", "a/b/c-with-more-than-fifteen-bytes.jpeg",
    ])
  func bytes(path: String) {
    for neighbour in [nil, SplitPath("a/b", after: nil), SplitPath(path, after: nil)] {
      #expect(Array(SplitPath(path, after: neighbour).text.utf8) == Array(path.utf8))
    }
  }

  @Test("shares its neighbour's folder where that has the same bytes")
  func sharing() {
    let first = SplitPath("photos/1.jpg", after: nil)
    #expect(SplitPath("photos/2.jpg", after: first).sharesFolder(with: first))
    #expect(!SplitPath("photo/2.jpg", after: first).sharesFolder(with: first))
    #expect(!SplitPath("photos/more/2.jpg", after: first).sharesFolder(with: first))
    #expect(!SplitPath("2.jpg", after: first).sharesFolder(with: first))
    // One letter for Unicode, two folders on disk.
    let composed = SplitPath("\u{e9}/1.jpg", after: nil)
    let decomposed = SplitPath("e\u{301}/1.jpg", after: composed)
    #expect(!decomposed.sharesFolder(with: composed))
  }

  @Test(
    "tells a file's name", arguments: [("a/b.jpg", "b.jpg"), ("b.jpg", "b.jpg"), ("a/b/", "b")])
  func name(path: String, name: String) {
    let codecs = KnownCodecs { _ throws(PictureError) in throw .codec(.empty) }
    #expect(PictureFile(path: path, codecs: codecs).name == name)
  }
}
