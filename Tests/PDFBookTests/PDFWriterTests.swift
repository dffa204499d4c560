import Foundation
import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

@Suite struct PDFWriterTests {
  private func addPages(_ count: Int, to writer: PDFWriter) throws {
    for number in 0..<count {
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(number, width: 24, height: 16).jpeg()))
      try writer.addPage(PageSetup(dpi: 24).page(picture, caption: "Page \(number + 1)"))
    }
  }

  @Test func sameCallsGiveSameBytes() throws {
    let folder = TestFolder()
    let info = DocumentSettings(info: DocumentInfo(title: "Été (1)", author: "A", creationTime: 1_700_000_000))
    let first = try folder.book("1.pdf", settings: info) { try addPages(3, to: $0) }
    let second = try folder.book("2.pdf", settings: info) { try addPages(3, to: $0) }
    #expect(first.bytes == second.bytes)
    let other = try folder.book("3.pdf", settings: info) { try addPages(4, to: $0) }
    #expect(identifier(first.bytes) != identifier(other.bytes))
    let text = String(decoding: first.bytes, as: UTF8.self)
    #expect(text.contains("/CreationDate(D:20231114221320Z)"))
    #expect(text.contains("/Title<feff00c9007400e90020002800310029>"))
  }

  private func identifier(_ bytes: [UInt8]) -> Substring {
    let text = String(decoding: bytes.suffix(300), as: UTF8.self)
    return text[text.range(of: "/ID[")!.upperBound...].prefix(34)
  }

  @Test(arguments: [1, 31, 32, 33, 100, 1_025]) func everyOffsetIsRight(pages: Int) throws {
    let folder = TestFolder()
    let picture = TestPicture(1, width: 8, height: 8).jpeg()
    let (bytes, summary) = try folder.book { writer in
      let reference = try writer.add(PDFPicture(jpeg: picture))
      for _ in 0..<pages { try writer.addPage(PageSetup().page(reference)) }
    }
    #expect(summary.pages == pages)
    #expect(summary.byteCount == bytes.count)
    let tail = String(decoding: bytes.suffix(60), as: UTF8.self)
    let start = Int(tail.split(separator: "\n").suffix(2).first!)!
    let lines = String(decoding: bytes[start...], as: UTF8.self).split(separator: "\n")
    #expect(lines[0] == "xref")
    let count = Int(lines[1].split(separator: " ")[1])!
    for object in 1..<count {
      let line = lines[2 + object]
      #expect(line.hasSuffix(" 00000 n "))
      let offset = Int(line.prefix(10))!
      let head = "\(object) 0 obj\n"
      #expect(bytes[offset...].starts(with: head.utf8), "object \(object)")
    }
    if let check = try runTool("qpdf", ["--check", folder.file("book.pdf")]) {
      #expect(check.status == 0, "\(check.text)")
    }
    if let check = try runTool("qpdf", ["--show-npages", folder.file("book.pdf")]) {
      #expect(check.text == "\(pages)\n")
    }
  }

  @Test func pageTreeFansOutBy32() throws {
    let folder = TestFolder()
    let (bytes, _) = try folder.book { try addPages(100, to: $0) }
    let text = String(decoding: bytes, as: Unicode.ASCII.self)
    let counts = text.components(separatedBy: "/Type/Pages").dropFirst().map { part in
      Int(part[part.range(of: "/Count ")!.upperBound...].prefix { $0.isNumber })!
    }
    #expect(counts == [32, 32, 32, 4, 100])
  }

  /// A page that looks like the one before has its content, any other its own.
  @Test func pagesHaveTheirOwnContents() throws {
    var settings = DocumentSettings()
    settings.sharesContents = true
    var pages: [PDFPage] = []
    let (bytes, _) = try TestFolder().book(settings: settings) { writer in
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(1, width: 24, height: 16).jpeg()))
      let plain = try PageSetup(dpi: 24).page(picture)
      var turned = plain
      turned.placements[0].orientation = .rotated180
      var clipped = plain
      clipped.placements[0].clip = PageRectangle(left: 1, bottom: 2, width: 3, height: 4)
      var tinted = plain
      tinted.background = Colour(red: 1, green: 0, blue: 0)
      var moved = plain
      moved.placements[0].rectangle.left += 1
      let captioned = try PageSetup(dpi: 24).page(picture, caption: "A")
      for other in [turned, clipped, tinted, moved, captioned] { pages += [plain, plain, other, other] }
      for page in pages { try writer.addPage(page) }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let objects = text.components(separatedBy: "/Type/Page/").dropFirst().compactMap { page in
      page.components(separatedBy: "/Contents ").dropFirst().first?.split(separator: " ").first
    }
    try #require(objects.count == pages.count)
    for (object, page) in zip(objects, pages) {
      var marks = MarkedContent(isOn: false)
      let meant = String(try page.content(isTerse: true, marks: &marks))
      #expect(text.contains("\n\(object) 0 obj\n<</Length \(meant.utf8.count)>>stream\n\(meant)\nendstream"))
    }
    #expect(Set(objects).count == 6)
  }

  @Test func identicalPicturesAreStoredOnce() throws {
    let folder = TestFolder()
    let jpeg = TestPicture(7).jpeg()
    let file = try InputFile(path: folder.write(jpeg, as: "picture.jpg"))
    let (bytes, summary) = try folder.book { writer in
      let first = try writer.add(PDFPicture(jpeg: jpeg))
      let second = try writer.add(PDFPicture(jpegFile: file))
      #expect(first == second)
      try writer.addPage(PageSetup().page(first))
      try writer.addPage(PageSetup().page(second))
    }
    #expect(summary.pictures == 1)
    #expect(summary.reused == 1)
    #expect(bytes.count < jpeg.count + 2_000)
  }

  @Test(arguments: [(1, false), (3, false), (3, true), (4, false)])
  func storedJPEGsAreByteIdentical(components: Int, progressive: Bool) throws {
    let folder = TestFolder()
    let jpeg = TestPicture(2, components: components).jpeg(progressive: progressive)
    let file = try InputFile(path: folder.write(jpeg, as: "source.jpg"))
    let (bytes, _) = try folder.book { writer in
      try writer.addPage(PageSetup().page(writer.add(PDFPicture(jpegFile: file))))
    }
    let text = String(decoding: bytes, as: Unicode.ASCII.self)
    #expect(text.contains("/Decode[1 0 1 0 1 0 1 0]") == (components == 4))
    guard
      let tool = try runTool("pdfimages", ["-all", folder.file("book.pdf"), folder.file("out")])
    else { return }
    #expect(tool.status == 0)
    #expect(folder.read("out-000.jpg") == jpeg)
  }

  @Test func largeFilesGetAReferenceStream() throws {
    let folder = TestFolder()
    let descriptor = open(folder.file("book.pdf"), O_CREAT | O_TRUNC | O_WRONLY, 0o644)
    let writer = try PDFWriter(
      descriptor: descriptor, path: "book.pdf", settings: DocumentSettings(), tableLimit: 1_000)
    try addPages(40, to: writer)
    _ = try writer.finish()
    close(descriptor)
    let text = String(decoding: folder.read("book.pdf"), as: Unicode.ASCII.self)
    #expect(text.contains("/Type/XRef/W[1 8 1]") && text.contains("/Version/1.5"))
    if let check = try runTool("qpdf", ["--check", folder.file("book.pdf")]) {
      #expect(check.status == 0, "\(check.text)")
    }
  }

  /// A pipe takes what a file does.
  @Test func pipesGetTheSameBytes() throws {
    let folder = TestFolder()
    let file = try InputFile(path: folder.write(TestPicture(1).jpeg(), as: "picture.jpg"))
    func write(_ writer: PDFWriter) throws {
      try writer.addPage(PageSetup().page(writer.add(PDFPicture(jpegFile: file))))
    }
    let (bytes, _) = try folder.book { try write($0) }
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let writer = try PDFWriter(descriptor: ends[1], path: "pipe")
    try write(writer)
    _ = try writer.finish()
    close(ends[1])
    let read = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
    #expect(Array(read) == bytes)
  }

  @Test func shrunkSourcesAreReported() throws {
    let folder = TestFolder()
    // The file is larger than those that are read at once.
    let padding = [UInt8](repeating: 0, count: InputFile.smallByteCount)
    let path = folder.write(TestPicture(1).jpeg() + padding, as: "picture.jpg")
    let picture = try PDFPicture(jpegFile: InputFile(path: path))
    #expect(truncate(path, 100) == 0)
    #expect(throws: PDFError.sourceShrank(path: path)) {
      try folder.book { _ = try $0.add(picture) }
    }
  }

  @Test(arguments: [100, 70_000, 300_000])
  func shrunkSourcesLeaveNothingBehind(length: Int) throws {
    let folder = TestFolder()
    let padding = [UInt8](repeating: 0, count: max(InputFile.smallByteCount, 400_000))
    let path = folder.write(TestPicture(1).jpeg() + padding, as: "picture.jpg")
    let shrunk = try PDFPicture(jpegFile: InputFile(path: path))
    func write(_ writer: PDFWriter, shrunk: PDFPicture?) throws {
      for number in 2..<5 {
        let picture = try PDFPicture(jpeg: TestPicture(number).jpeg())
        try writer.addPage(PageSetup().page(writer.add(picture)))
        guard let shrunk else { continue }
        #expect(throws: PDFError.sourceShrank(path: path)) {
          // The digest was worked out when the file was whole.
          _ = try writer.add(shrunk, digest: SHA256.digest(of: [1]))
        }
      }
    }
    let (without, _) = try folder.book { try write($0, shrunk: nil) }
    #expect(truncate(path, off_t(length)) == 0)
    let (with, summary) = try folder.book { try write($0, shrunk: shrunk) }
    #expect(with == without)
    #expect(summary.pictures == 3)
  }

  /// A small file is what it was when it was first read, whatever becomes of it.
  @Test func smallSourcesAreReadOnce() throws {
    let folder = TestFolder()
    let bytes = TestPicture(1).jpeg()
    let path = folder.write(bytes, as: "picture.jpg")
    let file = try InputFile(path: path)
    let picture = try #require(try PDFPicture(jpegFile: file).inMemory())
    #expect(truncate(path, 0) == 0)
    guard case .bytes(let kept) = picture.data else {
      Issue.record("a small file is not in memory")
      return
    }
    #expect(kept == bytes)
    #expect(try file.bytes(at: bytes.count - 2, count: 10) == [0xff, 0xd9])
    #expect(try file.bytes(at: bytes.count + 5, count: 10) == [])
  }

  @Test func pagesCostLittle() throws {
    let folder = TestFolder()
    var stored = 0
    let (bytes, _) = try folder.book { writer in
      for number in 0..<320 {
        let jpeg = TestPicture(number, width: 8, height: 8).jpeg()
        stored += jpeg.count
        try writer.addPage(
          PageSetup(paper: PageSize(width: 595.276, height: 841.89)).page(
            writer.add(PDFPicture(jpeg: jpeg))))
      }
    }
    #expect((bytes.count - stored) / 320 <= 520)
  }

  @Test(arguments: [1, 1_000]) func fullDiskIsReported(pages: Int) throws {
    let descriptor = open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    #expect(throws: PDFError.file(FileError(.write, path: "full", code: ENOSPC))) {
      let writer = try PDFWriter(descriptor: descriptor, path: "full")
      try addPages(pages, to: writer)
      _ = try writer.finish()
    }
  }

  @Test func impossibleBooksAreRefused() throws {
    let folder = TestFolder()
    #expect(throws: PDFError.noPages) { try folder.book { _ in } }
    #expect(throws: PDFError.pageSize(width: 2, height: 100)) {
      try folder.book { try $0.addPage(PDFPage(size: PageSize(width: 2, height: 100))) }
    }
    #expect(throws: PDFError.captionCharacter("日", caption: "a日")) {
      try folder.book {
        try $0.addPage(
          PDFPage(
            size: PageSize(width: 99, height: 99),
            captions: [Caption("a日", centre: 50, baseline: 10)]))
      }
    }
  }
}
