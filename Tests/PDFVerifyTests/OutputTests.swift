import Foundation
import ImageCodecs
import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import Testing

/// The reports that `imghost-verify` writes beside its table.
@Suite struct OutputTests {
  @Test func junitNamesPagesAndFaults() throws {
    let book = try TestBook()
    let good = book.folder.write(book.bytes, as: "good & plain.pdf")
    let bad = book.folder.write(book.replacing("/MediaBox[0 0 72 48]", "/MediaBox[0 0 72 49]", only: 1), as: "bad.pdf")
    let file = book.folder.file("junit.xml")
    let result = try runVerifier(["--junit", file, good, bad])
    #expect(result.status == 4)
    let text = String(decoding: book.folder.read("junit.xml"), as: UTF8.self)
    #expect(
      text.hasPrefix(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="imghost verify">
          <testsuite name="\(book.folder.path)/good &amp; plain.pdf" tests="5" failures="0" skipped="0">
        """))
    #expect(text.contains("<testsuite name=\"\(bad)\" tests=\"5\" failures=\"1\" skipped=\"0\">"))
    #expect(
      text.contains(
        """
              <failure message="the page is 72 x 49 points instead of 72 x 48">the page is 72 x 49
        """.replacingOccurrences(of: "\n", with: "")))
    #expect(text.hasSuffix("</testsuites>\n"))
  }

  /// A report goes through a pipe, to what a link points to, and onto a device; none of them is replaced.
  @Test func reportsReplaceFilesOnly() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    let (target, link) = (book.folder.file("target.xml"), book.folder.file("link.xml"))
    _ = book.folder.write(Array(VerificationReport.junitDocument("old").utf8), as: "target.xml")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(try runVerifier(["--junit", link, path]).status == 0)
    let text = String(decoding: book.folder.read("target.xml"), as: UTF8.self)
    #expect(text.hasSuffix("</testsuites>\n"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)

    let pipe = book.folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // Opened for both, so that neither side waits for the other.
    let reader = open(pipe, O_RDWR)
    defer { close(reader) }
    #expect(try runVerifier(["--junit", pipe, path]).status == 0)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == text)

    for option in ["--junit", "--contact"] {
      let full = try runVerifier([option, "/dev/full", path])
      #expect(full.status != 0, "\(option): \(full)")
    }
    var status = stat()
    #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func contactSheetsMarkWhatIsWrong() throws {
    let book = try TestBook((1...5).map { TestPicture($0) })
    let bad = book.folder.write(book.replacing("/MediaBox[0 0 72 48]", "/MediaBox[0 0 72 49]", only: 1), as: "bad.pdf")
    let path = book.folder.file("contact.png")
    #expect(try runVerifier(["--contact", path, bad]).status == 4)
    let sheet = try PNGCodec().makeDecoder(book.folder.read("contact.png")).readAll(.serial)
    // Columns of pages 240 pixels wide, 30 apart; the second page is framed in red, its neighbours are not.
    func isRed(_ x: Int, _ y: Int) -> Bool {
      let pixel = sheet.row(y) + x * 3
      let (red, green) = (pixel.load(as: UInt8.self), pixel.load(fromByteOffset: 1, as: UInt8.self))
      return red > 180 && green < 60
    }
    let middle = 30 + 80
    #expect(sheet.layout.width == 3 * 270 + 30)
    #expect(!isRed(28, middle) && isRed(298, middle) && !isRed(568, middle))
  }

  /// Pages that were lost stand where they were, framed in dashes and without a picture.
  @Test(arguments: [
    ([1, 2, 4, 5], [2]), ([3, 4, 5], [0, 1]), ([1, 2, 3, 4], [4]), ([2, 4], [0, 2, 4]),
  ])
  func contactSheetsShowLostPagesInTheirPlace(order: [Int], lost: [Int]) throws {
    let book = try TestBook((1...5).map { TestPicture($0) })
    let bad = book.folder.write(book.ordered(order), as: "bad.pdf")
    #expect(try runVerifier(["--contact", book.folder.file("contact.png"), bad]).status == 4)
    let sheet = try PNGCodec().makeDecoder(book.folder.read("contact.png")).readAll(.serial)
    #expect(sheet.layout.width == 3 * 270 + 30)
    // Pages of 240 by 160 pixels, each with room for its number and a gap below.
    let rowHeight = (sheet.layout.height - 30) / 2
    let blank = (0..<5).filter { place in
      let (left, top) = (30 + place % 3 * 270, 30 + place / 3 * rowHeight)
      return (8..<60).allSatisfy { step in
        let pixel = sheet.row(top + step) + (left + step) * 3
        return (0..<3).allSatisfy { pixel.load(fromByteOffset: $0, as: UInt8.self) == 255 }
      }
    }
    #expect(blank == lost)
  }

  @Test func contactSheetsAreWhatTheirNamesSay() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    let png = book.folder.file("contact.PNG")
    #expect(try runVerifier(["--contact", png, path]).status == 0)
    let exact = try PNGCodec().makeDecoder(book.folder.read("contact.PNG")).readAll(.serial)
    for name in ["contact.jpg", "contact.JPEG"] {
      #expect(try runVerifier(["--contact", book.folder.file(name), path]).status == 0)
      let sheet = try JPEGCodec().makeDecoder(book.folder.read(name)).readAll(.serial)
      #expect(sheet.layout.width == exact.layout.width)
      #expect(sheet.layout.height == exact.layout.height)
    }
  }

  @Test func picturesComeFromAFolder() throws {
    let sources = TestFolder()
    for number in 1...4 { _ = sources.write(TestPicture(number).jpeg(quality: 95), as: "photo \(number).jpg") }
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    let found = try runVerifier(["--json", "--against", sources.path, path])
    #expect(found.status == 0)
    #expect(found.text.contains("\"source\":\"photo 3.jpg\""))
    try FileManager.default.removeItem(atPath: sources.file("photo 3.jpg"))
    let missing = try runVerifier(["--against", sources.path, path])
    #expect(missing.status == 4)
    #expect(
      missing.text.contains(
        "book.pdf: page 3: error: picture 1 is not one of the files in \(sources.path), and the book does not "
          + "say what its pictures were made from\n"))
  }

  /// Renamed, in other folders, behind links that lead back: a picture's source is known by its bytes.
  @Test func sourcesMayBeAnywhereInTheFolder() throws {
    let sources = TestFolder()
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: sources.file("a/b"), withIntermediateDirectories: true)
    for (number, name) in ["a/b/x.dat", "a/y", "z.jpg", "a/b/.hidden"].enumerated() {
      _ = sources.write(TestPicture(number + 1).jpeg(quality: 95), as: name)
    }
    try manager.createSymbolicLink(atPath: sources.file("a/loop"), withDestinationPath: sources.path)
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    let found = try runVerifier(["--json", "--against", sources.path, path])
    #expect(found.status == 4)
    for name in ["a/b/x.dat", "a/y", "z.jpg"] {
      #expect(found.text.contains("\"source\":\"\(name)\""), "\(found.text)")
    }
    // The hidden one.
    #expect(found.text.components(separatedBy: "is not one of the files").count == 2)
  }

  /// A file that cannot be read may be the missing source.
  @Test func sourcesThatCannotBeReadAreTold() throws {
    let sources = TestFolder()
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    let none = try runVerifier(["--against", sources.path, path])
    #expect(
      none.text.contains(
        "book.pdf: warning: \(sources.path) contains no files that a picture could come from\n"),
      "\(none.text)")
    for number in 1...10 {
      try FileManager.default.createSymbolicLink(
        atPath: sources.file("\(9 + number).jpg"), withDestinationPath: "nowhere")
    }
    let unread = try runVerifier(["--against", sources.path, path]).text
    #expect(
      unread.contains(
        "book.pdf: warning: '10.jpg' in \(sources.path) cannot be read, and may be where a picture comes "
          + "from: the file does not exist\n"), "\(unread)")
    #expect(
      unread.contains("warning: 2 more files in \(sources.path) cannot be read\n"),
      "\(unread)")
  }

  /// A path that is not a folder is a mistake, reported in one line.
  @Test func foldersThatAreNone() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    for (folder, reason) in [
      ("/nowhere", "there is no such folder"),
      (path, "it is a file, not a folder; give the folder that it is in"),
      (path + "/x", "a part of its path is a file, not a folder"),
    ] {
      let result = try runVerifier(["--against", folder, path])
      #expect(result.status == 2)
      #expect(result.text == "imghost-verify: --against: \(folder): \(reason)\n")
    }
    let twice = try runVerifier(["--against", "a", "--against", "b", path])
    #expect(twice.status == 2)
    #expect(
      twice.text == "imghost-verify: --against: only one folder can be given; files in folders of it count\n"
    )
  }

  @Test func theReportIsNotWrittenOverTheBook() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    for option in ["--junit", "--contact"] {
      let result = try runVerifier([option, path, path])
      #expect(result.status == 2)
      #expect(result.text.contains("\(option) would overwrite '\(path)'"), "\(result.text)")
    }
    let other = path + ".png"
    let both = try runVerifier(["--junit", other, "--contact", other, path])
    #expect(both.status == 2 && both.text.contains("would both write '\(other)'"), "\(both.text)")
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == book.bytes)
  }

  /// A picture that pages are compared with is not replaced, whatever the report calls it.
  @Test(arguments: ["--junit", "--contact"])
  func theReportIsNotWrittenOverAPicture(option: String) throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "book.pdf")
    let sources = TestFolder()
    try FileManager.default.createDirectory(atPath: sources.file("inner"), withIntermediateDirectories: true)
    let picture = sources.write([1, 2, 3], as: "inner/a.jpg")
    for name in ["hard.png", "link.png"] { _ = unlink(book.folder.file(name)) }
    #expect(link(picture, book.folder.file("hard.png")) == 0)
    #expect(symlink(picture, book.folder.file("link.png")) == 0)
    for output in [picture, book.folder.file("hard.png"), book.folder.file("link.png")] {
      let result = try runVerifier([option, output, "--against", sources.path, path])
      #expect(result.status == 2)
      #expect(
        result.text.contains("\(option) would overwrite '\(output)', which is read"),
        "\(result.text)")
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: picture))) == [1, 2, 3])
    }
  }

  static let requirements: [([String], String?)] = [
    (["--pages", "4", "--size", "48x72", "--text", "Paris 1", "--text", "Paris4"], nil),
    (["--pages", "5"], "error: the document has 4 pages instead of 5"),
    (["--size", "595x842"], "page 2: error: the page is 72 x 48 points instead of 595 x 842"),
    (["--text", "London"], "error: the text 'London' is nowhere in the document"),
    (
      ["--text", "Paris 2", "--text", "Paris 1"],
      "error: the text 'Paris 1' is on page 1, but not after the texts that it should follow"
    ),
    (["--dpi", "90"], nil),
    (
      ["--dpi", "600"], "page 4: error: picture 1 has 164.6 pixels per inch; at least 600 are wanted"
    ),
    (
      ["--embedded-fonts"], "page 1: error: the font Helvetica is not embedded; readers may"
    ),
  ]

  @Test(arguments: OutputTests.requirements)
  func requirementsAreHeld(arguments: [String], line: String?) throws {
    let path = try Self.captioned.get()
    let result = try runVerifier(arguments + [path])
    #expect(result.status == (line == nil ? 0 : 4))
    if let line { #expect(result.text.contains("\(path): \(line)"), "\(result.text)") }
  }

  private static let folder = TestFolder()
  private static let captioned = Result {
    var setup = PageSetup()
    try setup.setPaper("72pt x 48pt")
    let book = try TestBook { writer, add in
      for number in 1...4 {
        let picture = TestPicture(number)
        let reference = try writer.add(PDFPicture(jpeg: picture.jpeg(quality: 95)))
        let page = try setup.page(reference, caption: "Paris \(number)")
        add(page, [])
        try writer.addPage(page)
      }
    }
    return folder.write(book.bytes, as: "captioned.pdf")
  }

  @Test func progressIsTold() throws {
    let book = try TestBook((0..<40).map { TestPicture($0, width: 16, height: 16) })
    let path = book.folder.write(book.bytes, as: "book.pdf")
    // Whether a line comes depends on the machine; that nothing else does, does not.
    let result = try runVerifier(["--progress", "always", "--json", path])
    let lines = result.text.split(separator: "\n")
    #expect(lines.last?.hasPrefix("{\"path\"") == true)
    #expect(lines.dropLast().allSatisfy { $0.hasSuffix(" of 40 pages checked") })
    #expect(try runVerifier(["--progress", "never", path]).text.hasPrefix(path))
  }
}
