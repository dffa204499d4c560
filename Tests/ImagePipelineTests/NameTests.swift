import Foundation
import ImageCore
import ImageMetadata
import Platform
import Testing

@testable import ImagePipeline

/// Templates for names of files, and where paths lead.
@Suite struct NameTests {
  private static let picture: (Picture, Picture.Info) = {
    let file = PictureFile(
      InternedPath("/photos/2024/my.photo.JPG"),
      codecs: CodecCache { _ throws(PictureError) in throw .codec(.empty) })
    let picture = Picture(.source(file, orient: true, acceptsDamage: false), position: nil, origin: file)
    var metadata = PictureMetadata()
    metadata.exif = [
      "Model": .text("X/../1"), "Dots": .text(".."), "ISO": .integer(100), "FNumber": .number(2.8),
      "ExposureTime": .number(0.004), "Words": .text("a\nb\0c"),
    ]
    let layout = PictureLayout(width: 640, height: 48, format: .rgb8)
    return (picture, Picture.Info(layout: layout, metadata: metadata, codec: "jpeg", operation: nil))
  }()

  /// In texts for people, fields that are missing leave no separators behind.
  @Test(arguments: [
    ("{stem} · {exif.Nope}", "my.photo", ["Nope"]), ("{exif.Nope} – {index}", "7", ["Nope"]),
    ("{exif.Nope}", "", ["Nope"]), ("{exif.Nope} · {exif.No}", "", ["No", "Nope"]),
    ("{stem} · {exif.Nope} · {index}", "my.photo · 7", ["Nope"]), ("— {index} —", "— 7 —", []),
    ("— {index} · {exif.Nope}", "— 7", ["Nope"]), ("by {exif.Nope}", "by ", ["Nope"]),
    ("{exif.Nope|none} · {exif.ISO}", "none · 100", []), ("{exif.ExposureTime}s", "1/250s", []),
  ])
  func captions(_ template: String, _ text: String, _ lacking: [String]) throws {
    let (picture, info) = Self.picture
    var missing = NameTemplate.Gaps()
    let found = try NameTemplate(template, use: .caption).caption(for: picture, info: info, index: 7, missing: &missing)
    #expect(found == text)
    #expect(missing.names.sorted() == lacking)
    #expect((missing.bareText ?? "") == (text == "by " ? text : ""))
  }

  @Test(arguments: [
    (0.004, "1/250"), (0.0166667, "1/60"), (0.000125, "1/8000"), (0.333333, "1/3"), (0.5, "1/2"),
    (0.6, "0.6"), (0.76923, "0.8"), (0.99, "1"), (1.0, "1"), (2.5, "2.5"), (0.0, "0"), (1e-300, "0"),
  ])
  func exposures(_ seconds: Double, _ text: String) { #expect(NameTemplate.exposure(seconds) == text) }

  @Test(arguments: [
    ("{stem}\u{301}.png", "my.photo\u{301}.png"),
    ("{{\u{301}{index}}}\u{308}", "{\u{301}7}\u{308}"),
    ("{stem}.png", "my.photo.png"), ("{name}", "my.photo.JPG"), ("{ext}", "jpg"),
    ("{folder}/x", "2024/x"), ("{index}", "7"), ("{index:3}", "007"),
    ("{width}x{height:4}", "640x0048"),
    ("{{{index}}}", "{7}"), ("{exif.ISO}-{exif.FNumber}", "100-2.8"), ("{exif.Model}", "X_.._1"),
    ("{exif.Dots}/a", "__/a"), ("{exif.Words}", "a_b_c"), ("../{stem}", "../my.photo"), ("", ""),
  ])
  func templates(_ template: String, _ text: String) throws {
    let (picture, info) = Self.picture
    #expect(try NameTemplate(template).text(for: picture, info: info, index: 7) == text)
  }

  /// Names that are known when the file is complete: as they are planned, and with the digest of an empty file.
  @Test(arguments: [
    ("{stem}-{hash:8}.{ext}", "my.photo-{hash:8}.jpg", "my.photo-e3b0c442.jpg"),
    ("web/{hash}.jpg", "web/{hash}.jpg", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.jpg"),
    ("{hash:64}", "{hash}", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("{folder}/{hash:1}\u{301}{hash:2}", "2024/{hash:1}\u{301}{hash:2}", "e\u{301}e3"),
    ("{{hash}}-{hash:3}", "{hash}-{hash:3}", "{hash}-e3b"),
  ])
  func digestsInNames(_ template: String, _ planned: String, _ name: String) throws {
    let (picture, info) = Self.picture
    let found = try NameTemplate(template).fileName(for: picture, info: info, index: 7)
    #expect(found.path == planned && found.hashed?.name(SHA256.digest(of: [])) == name)
    #expect(try NameTemplate("{stem}.jpg").fileName(for: picture, info: info, index: 7).hashed == nil)
  }

  /// Paths that are no templates: all other braces stand for themselves.
  @Test(arguments: [
    ("out/b-{hash:4}.pdf", "b-e3b0.pdf"), ("{stem}-{hash:4}.pdf", "{stem}-e3b0.pdf"), ("b.pdf", nil),
    ("{hashed}.pdf", nil), ("{hashtag}-{hash:4}.pdf", "{hashtag}-e3b0.pdf"), ("{hash-{hash:2}.pdf", "{hash-e3.pdf"),
    ("{hash", nil),
  ])
  func digestsInPaths(_ path: String, _ name: String?) throws {
    #expect(try HashedName(inPath: path)?.name(SHA256.digest(of: [])) == name)
  }

  @Test(arguments: ["{hash:0}", "{hash:65}", "{hash:x}", "{hash:}", "{hash}/a.pdf", "{hash:2}/{hash}.pdf"])
  func wrongDigests(_ path: String) {
    #expect(throws: NameTemplate.TemplateError.self) { try HashedName(inPath: path) }
    #expect(throws: NameTemplate.TemplateError.self) { try NameTemplate(path) }
  }

  @Test(arguments: [
    ("{exif.Nope|}", ""), ("{exif.Nope|none}", "none"), ("{exif.ISO|none}", "100"),
    ("{exif.Nope:%Y|no date}", "no date"), ("{exif.Taken:%d.%m.%Y}", "09.12.2006"),
    ("{exif.Taken:%e %B}", "9 December"),
    ("{exif.Taken:%y %b %B%%}", "06 Dec December%"), ("{exif.Taken:%H:%M:%S}", "20:46:14"),
    ("{exif.Taken}", "2006:12:09 20:46:14"), ("{exif.Model:%Y|undated}", "undated"),
    ("{exif.Never:%Y|undated}", "undated"), ("{exif.Never}", "0000:00:00 00:00:00"),
  ])
  func fieldsOfCaptions(_ template: String, _ text: String) throws {
    let (picture, known) = Self.picture
    var metadata = known.metadata
    metadata.exif["Taken"] = .text("2006:12:09 20:46:14")
    metadata.exif["Never"] = .text("0000:00:00 00:00:00")
    let info = Picture.Info(
      layout: known.layout, metadata: metadata, codec: "jpeg", operation: nil)
    let found = try NameTemplate(template, use: .caption).text(for: picture, info: info, index: 7, use: .caption)
    #expect(found == text)
  }

  @Test func runningLinesKnowTheirPage() throws {
    let (picture, info) = Self.picture
    var missing = NameTemplate.Gaps()
    let template = try NameTemplate("{stem}: {page:3} / {pages}", use: .runningLine)
    let text = try template.runningText(
      for: picture, info: info, index: 7, missing: &missing)
    #expect(text.needsPageCount)
    #expect(text.text(page: 4, pageCount: 12) == "my.photo: 004 / 12")
    let plain = try NameTemplate("{page}", use: .runningLine)
      .runningText(
        for: picture, info: info, index: 7, missing: &missing)
    #expect(!plain.needsPageCount)
    #expect(plain.text(page: 4, pageCount: nil) == "4")
    #expect(throws: NameTemplate.TemplateError.self) { try NameTemplate("{page}", use: .caption) }
  }

  @Test func captionsKeepTheirWords() throws {
    let (picture, info) = Self.picture
    let template = try NameTemplate("{exif.Model}")
    #expect(try template.text(for: picture, info: info, index: 1, use: .caption) == "X/../1")
    let canvas = Picture(.canvas(info.layout, .white), position: nil)
    let stem = try NameTemplate("{stem}")
    #expect(try stem.text(for: canvas, info: info, index: 1, use: .caption) == "")
    #expect(throws: NameTemplate.TemplateError.noFile("stem")) {
      try stem.text(for: canvas, info: info, index: 1)
    }
  }

  @Test(arguments: [
    ("{", "a '{' is not closed; write '{{' for a brace"),
    (
      "{stm}",
      "unknown field '{stm}' (did you mean '{stem}'?); valid: {stem}, {name}, {label}, {ext}, {folder}, "
        + "{index}, {width}, {height}, {date}, {title}, {description}, {hash}, {exif.NAME}, {xmp.NAME}, {iptc.NAME}"
    ),
    (
      "{}",
      "unknown field '{}'; valid: {stem}, {name}, {label}, {ext}, {folder}, {index}, {width}, {height}, {date}, {title}, "
        + "{description}, {hash}, {exif.NAME}, {xmp.NAME}, {iptc.NAME}"
    ),
    (
      "{exif.Taken:%d.%Q}",
      "{exif.Taken} has the unknown date conversion '%Q'; valid: %a %A %b %B %c %C %d %D %e %F %g %G "
        + "%h %H %I %j %k %l %m %M %n %p %P %r %R %s %S %t %T %u %U %V %w %W %x %X %y %Y %z %Z %%, and with a flag "
        + "such as %-d and %^b"
    ),
    (
      "{exif.Taken:yyyy}", "{exif.Taken} cannot have ':yyyy'; a date takes a pattern: {exif.Taken:%d.%m.%Y}"
    ),
    ("{stem:3}", "{stem} cannot have ':3'; it takes nothing: {stem}"),
    ("{index:%d}", "{index} cannot have ':%d'; a number takes its least digits: {index:3}"),
  ])
  func wrongTemplates(_ template: String, _ message: String) {
    do throws(NameTemplate.TemplateError) {
      _ = try NameTemplate(template)
      Issue.record("'\(template)' is taken")
    } catch {
      #expect(error.description == message)
    }
  }

  /// A row for each case. The switch does not compile without a new case.
  @Test func errorTexts() {
    let rows: [(NameTemplate.TemplateError, String)] = [
      (
        .unknownField("page", suggestion: nil, valid: NameTemplate.fields),
        "unknown field '{page}'; valid: {stem}, {name}, {label}, {ext}, {folder}, {index}, {width}, {height}, {date}, "
          + "{title}, {description}, {exif.NAME}, {xmp.NAME}, {iptc.NAME}; {page} and {pages} are for 'header', 'footer' and 'page_number'"
      ),
      (.unclosed, "a '{' is not closed; write '{{' for a brace"),
      (
        .noSuchEXIF("Artist"), "the picture has no EXIF field 'Artist'; {exif.Artist|text} gives a text instead"
      ),
      (
        .unknownConversion(field: "exif.A", "%Q"),
        "{exif.A} has the unknown date conversion '%Q'; valid: "
          + DateText.conversions.map { "%\($0)" }.joined(separator: " ")
          + ", and with a flag such as %-d and %^b"
      ),
      (
        .unknownStyle(field: "stem", "3"), "{stem} cannot have ':3'; it takes nothing: {stem}"
      ),
      (
        .notADate("A", value: "x"),
        "the EXIF field 'A' is 'x', which is not a date; {exif.A:…|text} gives a text instead"
      ),
      (
        .noFile("stem"), "a picture that comes from no file has no {stem}; use {index} or a name of your own"
      ),
      (
        .noIndex,
        "a text on a picture has no {index}; number the pictures in the script: for i, photo in ipairs(photos) do"
      ),
      (.noDate, "the picture does not say when it was taken; {date|text} gives a text instead"),
      (
        .none(of: ["title", "iptc.City"]),
        "the picture has no title or IPTC field 'City'; {title,iptc.City|text} gives a text instead"
      ),
      (
        .unknownIPTC("iptc.Captoin", suggestion: "Caption-Abstract"),
        "unknown field '{iptc.Captoin}' (did you mean '{iptc.Caption-Abstract}'?); valid: "
          + IPTCNames.all.map { "{iptc.\($0)}" }.joined(separator: ", ")
      ),
      (.notAmongOthers("page"), "{page} is no field of a picture and stands alone, without commas"),
      (.hashInFolder, "{hash} is known when the file is complete, and names no folder; move it behind the last '/'"),
    ]
    for (error, text) in rows { #expect(error.description == text) }
    let numbers = rows.map { row in
      switch row.0 {
      case .unknownField: 0
      case .unclosed: 1
      case .noSuchEXIF: 2
      case .unknownConversion: 3
      case .unknownStyle: 4
      case .notADate: 5
      case .noFile: 6
      case .noIndex: 7
      case .hashInFolder: 8
      case .noDate: 9
      case .none: 10
      case .unknownIPTC: 11
      case .notAmongOthers: 12
      }
    }
    #expect(Set(numbers) == Set(0...12), "a case has no row")
  }

  @Test func realPaths() throws {
    let manager = FileManager.default
    let folder =
      URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
      + "/imghost-names-" + UUID().uuidString
    defer { try? manager.removeItem(atPath: folder) }
    try manager.createDirectory(atPath: folder + "/real", withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "real")
    try Data().write(to: URL(fileURLWithPath: folder + "/real/p"))
    try manager.createSymbolicLink(atPath: folder + "/q", withDestinationPath: "real/p")
    var paths = RealPaths()
    func bytes(_ name: String) -> InternedPath { InternedPath(folder + "/" + name) }
    for (link, target) in [
      ("new", "link/none"), ("far", "nowhere/x"), ("loop", "loop/x"), ("self", "self"),
      ("whole", folder + "/new"),
    ] {
      try manager.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: target)
    }
    for (path, place) in [
      ("link/x", "real/x"), ("link/fresh/er/x", "real/fresh/er/x"), ("q", "real/p"),
      ("none", "none"), ("./none", "none"), ("link/../none", "none"), ("fresh/../x", "x"),
      // Links that lead to nothing yet lead there, too.
      ("new", "real/none"), ("whole", "real/none"), ("far", "nowhere/x"), ("far/../y", "nowhere/y"),
    ] {
      #expect(paths.place(of: folder + "/" + path) == bytes(place), "\(path)")
    }
    #expect(paths.place(of: folder + "/q", mayBeLink: false) == bytes("q"))
    #expect(paths.place(of: "/x") == InternedPath("/x"))
    // They come to an end.
    _ = (paths.place(of: folder + "/loop/x/y"), paths.place(of: folder + "/self"))
  }

  /// Names of the system that are not UTF-8 keep their bytes.
  @Test(
    arguments: [
      [0x2f, 0x61], [0xff], [0x61, 0xe9, 0x2f, 0xc3, 0xa9], [0xf4, 0x8f, 0xbf, 0xbf], [0xc3],
      [0xf4, 0x8f, 0xbe, 0x7f], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0x80, 0x81, 0xfe],
    ] as [[UInt8]])
  func bytesOfPaths(_ bytes: [UInt8]) {
    let text = (bytes + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
      PathBytes.text($0.baseAddress!)
    }
    #expect(PathBytes.bytes(of: text) == bytes)
    let given = PathBytes.withBytes(of: text) {
      Array(UnsafeBufferPointer(start: $0, count: bytes.count + 1))
    }
    #expect(given.map { UInt8(bitPattern: $0) } == bytes + [0])
    // JSON keeps them, and messages show what is no UTF-8.
    #expect(JSONReader.value(of: JSON.text(text).line)?.textValue == text)
    let shown = printable(text)
    #expect(!PathBytes.containsMark(shown))
    #expect((shown == text) == (String(validating: bytes, as: UTF8.self).map { !$0.utf8.contains(0xf4) } ?? false))
  }

  /// No value makes a path that leads out of the folder that the template names.
  @Test(arguments: [
    ("/a/../x.jpg", "o/{folder}/{stem}.png", "o/__/x.png"),
    ("x.jpg", "{folder}/{stem}.png", "x.png"), ("./x.jpg", "{folder}/{stem}.png", "x.png"),
    ("/x.jpg", "o/{folder}/{stem}.png", "o/x.png"), ("/a/...jpg", "o/{stem}/x", "o/__/x"),
    ("/a/..jpg", "o/.{stem}/x", "o/__/x"), ("/a/..jpg", "o/{stem}{stem}", "o/__"),
    ("x.jpg", "{exif.Empty}/x", "x"), ("x.jpg", "/{exif.Empty}/x", "/x"),
    ("x.jpg", "o/{exif.Hidden}.png", "o/_ssh.png"), ("x.jpg", "o/a{exif.Hidden}", "o/a.ssh"),
    ("x.jpg", "{exif.Root}/x", "_etc_x/x"), ("x.jpg", "o/{exif.Nul}", "o/a_b"),
    ("/a/.x.jpg", "o/{stem}.png", "o/.x.png"),
  ])
  func valuesStayInTheirFolder(_ source: String, _ template: String, _ path: String) throws {
    let file = PictureFile(InternedPath(source), codecs: CodecCache { _ throws(PictureError) in throw .codec(.empty) })
    let picture = Picture(.source(file, orient: true, acceptsDamage: false), position: nil, origin: file)
    var metadata = PictureMetadata()
    metadata.exif = ["Empty": .text(""), "Hidden": .text(".ssh"), "Root": .text("/etc/x"), "Nul": .text("a\0b")]
    let info = Picture.Info(layout: Self.picture.1.layout, metadata: metadata, codec: "jpeg", operation: nil)
    #expect(try NameTemplate(template).text(for: picture, info: info, index: 7) == path)
  }
}
