import Foundation
import ImageCore
import Platform
import Testing

@testable import LuaBindings

/// The files that `img.glob` finds.
@Suite final class FilePatternTests {
  private let folder = NSTemporaryDirectory() + "imghost-patterns-" + UUID().uuidString

  init() throws {
    let files = [
      "1.jpg", "2.jpg", "10.jpg", "02.jpg", "a.png", "b.PNG", ".hidden.jpg", "x[1].jpg",
      "sub/c.jpg", "sub/deep/d.jpg", ".secret/e.jpg", "sub2/f.jpg",
    ]
    for file in files {
      let path = folder + "/" + file
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: path))
    }
    try FileManager.default.createDirectory(atPath: folder + "/folder.jpg", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder + "/sub/loop", withDestinationPath: "..")
    try FileManager.default.createSymbolicLink(atPath: folder + "/broken.jpg", withDestinationPath: "nowhere")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func find(_ pattern: String) throws -> [String] {
    try FilePattern(folder + "/" + pattern).matches().paths.map {
      String($0.dropFirst(folder.count + 1))
    }
  }

  /// Brackets that are meant as they stand.
  @Test func plainBrackets() throws {
    #expect(try find("x[1].jpg") == [])
    #expect(FilePattern.withPlainBrackets("a/b*.jpg") == [])
    #expect(FilePattern.withPlainBrackets("x[1].jpg") == ["x[[]1].jpg"])
    #expect(
      FilePattern.withPlainBrackets("/[a]/[b]/*.jpg")
        == ["/[[]a]/[[]b]/*.jpg", "/[[]a]/[b]/*.jpg", "/[a]/[[]b]/*.jpg"])
    #expect(try find("x[[]1].jpg") == ["x[1].jpg"])
  }

  /// Pictures in unreadable formats are reported, unless a match has the same stem.
  @Test(arguments: [
    ("*.{jpg,png}", ["new.HEIC", "w.webp"]), ("*.jpg", ["new.HEIC", "w.webp"]),
    ("n*.jpg", ["new.HEIC"]),
    ("*.heic", ["w.webp"]), ("*", []), ("1.jpg", []), ("none*.jpg", []),
    ("**/*.jpg", ["new.HEIC", "sub/x.tif", "w.webp"]), ("sub/*.jpg", ["sub/x.tif"]),
    ("sub/c*.jpg", []),
  ])
  func unreadFormats(_ pattern: String, _ told: [String]) throws {
    for name in ["1.heic", "new.HEIC", "w.webp", ".h.gif", "notes.txt", "sub/x.tif", "sub/c.arw"] {
      try Data().write(to: URL(fileURLWithPath: folder + "/" + name))
    }
    try FileManager.default.createDirectory(atPath: folder + "/f.gif", withIntermediateDirectories: true)
    let found = try FilePattern(folder + "/" + pattern).matches().unread
    #expect(found.map { String($0.dropFirst(folder.count + 1)) } == told)
  }

  /// Matches that are links are marked: their files lie elsewhere.
  @Test func linksAreTold() throws {
    try FileManager.default.createSymbolicLink(atPath: folder + "/sub/to.jpg", withDestinationPath: "c.jpg")
    let matches = try FilePattern(folder + "/sub/*.jpg").matches()
    #expect(matches.paths == [folder + "/sub/c.jpg", folder + "/sub/to.jpg"])
    #expect(!matches.links.contains(folder + "/sub/c.jpg") || !Self.tellsKinds(folder + "/sub"))
    #expect(matches.links.contains(folder + "/sub/to.jpg"))
    #expect(try FilePattern(folder + "/sub/to.jpg").matches().links == [folder + "/sub/to.jpg"])
  }

  /// A link that leads nowhere matches, so that opening it fails with the reason.
  @Test func brokenLinksMatch() throws {
    try FileManager.default.createSymbolicLink(atPath: folder + "/sub/no.jpg", withDestinationPath: "none.jpg")
    try FileManager.default.createSymbolicLink(atPath: folder + "/sub/loop.jpg", withDestinationPath: "loop.jpg")
    let matches = try FilePattern(folder + "/sub/*o*.jpg").matches()
    #expect(matches.paths.contains(folder + "/sub/no.jpg") && matches.paths.contains(folder + "/sub/loop.jpg"))
  }

  /// A folder that cannot be listed is not like an empty one. Root may list every folder, except by a stranger's link.
  @Test func unlistedFolders() throws {
    let isRoot = geteuid() == 0
    let shut = folder + "/others/shut"
    try FileManager.default.createDirectory(atPath: folder + "/others", withIntermediateDirectories: true)
    chmod(folder + "/others", 0o777)
    if isRoot {
      symlink(folder + "/sub", shut)
      lchown(shut, 65_534, 65_534)
    } else {
      mkdir(shut, 0)
    }
    let error = FileError(.open, path: shut, code: isRoot ? strangersLink : EACCES)
    for pattern in ["others/shut/*", "others/*/*.jpg", "{sub,others/shut}/?"] {
      #expect(try FilePattern(folder + "/" + pattern).matches().unlisted == [error], "\(pattern)")
    }
    for pattern in ["none/*", "1.jpg/*", "sub/?"] {
      #expect(try FilePattern(folder + "/" + pattern).matches().unlisted == [], "\(pattern)")
    }
  }

  /// Whether the file system returns the types of a folder's entries without a call for each.
  private static func tellsKinds(_ folder: String) -> Bool {
    guard let directory = opendir(folder) else { return false }
    defer { closedir(directory) }
    while let entry = readdir(directory) { if Int32(entry.pointee.d_type) == 0 { return false } }
    return true
  }

  static let rows: [(pattern: String, found: [String])] = [
    ("*.jpg", ["1.jpg", "02.jpg", "2.jpg", "10.jpg", "broken.jpg", "x[1].jpg"]),
    ("?.jpg", ["1.jpg", "2.jpg"]),
    ("[0-9]*.jpg", ["1.jpg", "02.jpg", "2.jpg", "10.jpg"]),
    ("*.{png,PNG}", ["a.png", "b.PNG"]),
    ("{1,2}.jpg", ["1.jpg", "2.jpg"]),
    ("{1,1,[12]}.jpg", ["1.jpg", "2.jpg"]),
    ("x\\[1\\].jpg", ["x[1].jpg"]),
    (".*.jpg", [".hidden.jpg"]),
    ("1.jpg", ["1.jpg"]),
    ("none.jpg", []),
    ("sub", []),
    ("sub/*.jpg", ["sub/c.jpg"]),
    ("sub*/*.jpg", ["sub/c.jpg", "sub2/f.jpg"]),
    ("sub/**/*.jpg", ["sub/c.jpg", "sub/deep/d.jpg"]),
    (
      "**/*.jpg",
      ["1.jpg", "02.jpg", "2.jpg", "10.jpg", "broken.jpg", "sub/c.jpg", "sub/deep/d.jpg", "sub2/f.jpg", "x[1].jpg"]
    ),
    ("**/d.jpg", ["sub/deep/d.jpg"]),
    ("sub//c.jpg", ["sub/c.jpg"]),
    (
      "*/*/*.jpg",
      [
        "sub/deep/d.jpg", "sub/loop/1.jpg", "sub/loop/02.jpg", "sub/loop/2.jpg", "sub/loop/10.jpg",
        "sub/loop/broken.jpg", "sub/loop/x[1].jpg",
      ]
    ),
  ]

  @Test func matches() throws {
    for row in Self.rows { #expect(try find(row.pattern) == row.found, "\(row.pattern)") }
  }

  @Test(arguments: [
    ("a", ["a"]), ("a{b,c}d", ["abd", "acd"]), ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
    ("a{b,{c,d}}", ["ab", "ac", "ad"]), ("{a}", ["a"]), ("{,x}", ["", "x"]), ("{a,b", ["{a,b"]),
    ("a}b", ["a}b"]), ("", [""]),
    ("a{b{c}", ["a{b{c}"]), ("{a}}", ["a}"]), ("{}", [""]), ("{é,e\u{301}}", ["é", "e\u{301}"]),
    ("a{,\u{301}}", ["a", "a\u{301}"]), ("a[{]b,c}", ["a[{]b,c}"]), ("{a[{]b,c}", ["a[{]b", "c"]),
  ])
  func expands(_ pattern: String, _ expanded: [String]) { #expect(FilePattern.expand(pattern) { _ in } == expanded) }

  private static func comesBefore(_ left: String, _ right: String) -> Bool {
    naturalOrder(Array(left.utf8), Array(right.utf8))
  }

  @Test func naturalOrderOfPaths() {
    let ordered = [
      "", "1", "01", "2", "10", "10a", "a", "a1b2", "a1b10", "a2", "a10", "b",
      "99999999999999999999999", "100000000000000000000000",
    ].sorted(by: Self.comesBefore)
    #expect(
      ordered == [
        "", "01", "1", "2", "10", "10a", "99999999999999999999999", "100000000000000000000000",
        "a", "a1b2", "a1b10", "a2", "a10", "b",
      ])
    for left in ordered { #expect(!Self.comesBefore(left, left), "\(left) before itself") }
  }
}
