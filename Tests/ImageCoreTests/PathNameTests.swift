import ImageCore
import Testing

/// Paths, which are bytes and not characters: a combining mark after a slash or a dot changes neither.
@Suite struct PathNameTests {
  @Test(arguments: [
    ("a.jpg", "a", "jpg"), ("a.b.JPG", "a.b", "jpg"), (".hidden", ".hidden", ""),
    ("noending", "noending", ""), ("a.", "a", ""), (".a.png", ".a", "png"), ("", "", ""),
    ("a.\u{301}b", "a", "\u{301}b"), ("\u{301}a.b", "\u{301}a", "b"),
  ])
  func parts(_ name: String, _ stem: String, _ ending: String) {
    #expect(PathName.stem(name) == stem)
    #expect(PathName.fileExtension("folder.x/" + name) == ending || name.isEmpty)
  }

  @Test(arguments: [
    ("/a/.../b", "/a/.../b"), ("..b/.c", "/w/..b/.c"), ("/a/..", "/"), ("/a/.", "/a"),
    ("/a/", "/a"),
    ("a", "/w/a"), ("./a", "/w/a"), ("../a", "/a"), ("../../../a", "/a"), ("/x//y/./z", "/x/y/z"),
    ("b/../a", "/w/a"), ("", "/w"), ("/\u{301}", "/\u{301}"), ("a/../\u{301}", "/w/\u{301}"),
  ])
  func absolute(_ path: String, _ whole: String) {
    #expect(PathName.absolute(path, in: "/w").utf8.elementsEqual(whole.utf8))
  }

  @Test(arguments: [
    (".", "a/b", "a/b"), ("", "a", "a"), ("o", "a", "o/a"), ("o/", "a", "o/a"), ("o", "/a", "/a"),
    ("o", "/\u{301}", "/\u{301}"), ("o", "\u{301}", "o/\u{301}"),
  ])
  func joined(_ folder: String, _ path: String, _ whole: String) {
    #expect(PathName.joined(folder, path).utf8.elementsEqual(whole.utf8))
  }

  @Test(
    arguments: [
      ("a", nil, "a", ["a"]), ("/a", "", "a", ["a"]), ("/", "", "", []), ("", nil, "", []),
      ("a/b", "a", "b", ["a", "b"]), ("a//b//", "a//b/", "b", ["a", "b"]),
      ("/\u{301}a", "", "\u{301}a", ["\u{301}a"]),
      ("x/\u{301}a/\u{308}", "x/\u{301}a", "\u{308}", ["x", "\u{301}a", "\u{308}"]),
    ] as [(String, String?, String, [String])])
  func foldersAndNames(_ path: String, _ folder: String?, _ name: String, _ parts: [String]) {
    func bytes(_ text: some StringProtocol) -> [UInt8] { Array(text.utf8) }
    #expect(PathName.folder(path).map { bytes($0) } == folder.map { bytes($0) })
    #expect(bytes(PathName.name(path)) == bytes(name))
    #expect(PathName.parts(path).map { bytes($0) } == parts.map { bytes($0) })
    #expect(PathName.isAbsolute(path) == (path.utf8.first == 0x2f))
  }
}
