import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits
import Platform
import TestSupport
import Testing

@testable import BookComposing

@Suite struct PagePackTests {
  private static func path() -> String { "/tmp/imghost-pack-\(getpid())-\(UInt64.random(in: .min ... .max)).pack" }

  private static func open(_ path: String) throws(PictureError) -> InputFile {
    do throws(FileError) { return try InputFile(path: path) } catch { throw .file(error) }
  }

  private static func picture(
    _ bytes: Int, mask: Bool = false, profile: [UInt8] = [], data: PDFPicture.Data? = nil
  ) throws -> PDFPicture {
    var record = WireWriter()
    // Flate, 9 x 7, 8 bits, not inverted, indexed.
    record.append(UInt8(1))
    record.append(UInt32(9))
    record.append(UInt32(7))
    record.append(UInt8(8))
    record.append(UInt8(0))
    record.append(UInt8(3))
    record.append(text: [1, 2, 3, 4, 5, 6])
    record.append(UInt8(mask ? 1 : 0))
    if mask { record.append(text: [9, 9]) }
    var reader = WireReader(record.bytes)
    return try PDFPicture(
      &reader, data: data ?? .bytes((0..<bytes).map { UInt8($0 % 251) }), iccProfile: profile)
  }

  private static func page(_ index: Int, _ picture: PDFPicture, digest: SHA256Digest? = nil) throws -> EncodedPicture {
    var sources = PictureSources(first: SHA256.digest(of: [1]))
    sources.others = [SHA256.digest(of: [2])]
    return EncodedPicture(
      content: .taken(picture, .rotated90, try digest ?? picture.streamDigest()), place: index, origin: "in/a.jpg",
      index: index,
      texts: PageTexts.none,
      intended: IntendedPixels(
        fingerprint: try #require(PixelFingerprint(cells: [UInt8](repeating: 7, count: 3_072))), encodedPSNR: 41.5),
      sources: sources, isCut: true, focus: CropFocus(x: 0.25, y: 0.75))
  }

  private static func pack(_ path: String) throws {
    let file = try OutputFile(path: path)
    let writer = try PagePackWriter(file)
    try writer.add(page(2, picture(10)))
    try writer.leaveOut(3)
    // Longer than the window of the reader.
    try writer.add(page(5, picture(200_000, mask: true)))
    try writer.add(page(9, picture(0)))
    _ = try writer.finish()
    try file.commit()
  }

  @Test func survivesItsFile() throws {
    let path = Self.path()
    defer { unlink(path) }
    try Self.pack(path)
    var reader = try PagePackReader(path: path, open: Self.open)
    for (index, count) in [(2, 10), (5, 200_000), (9, 0)] {
      if index == 5 {
        #expect(reader.nextIndex == 3)
        guard case .failed = try reader.take() else {
          Issue.record("picture 3 has failed")
          return
        }
      }
      #expect(reader.nextIndex == index)
      guard case .page(let picture, let facts) = try reader.take() else {
        Issue.record("picture \(index) is there")
        return
      }
      let meant = try Self.picture(count, mask: index == 5)
      #expect(try picture.streamDigest() == meant.streamDigest())
      #expect(picture.streamByteCount == count)
      #expect(picture.format == meant.format)
      #expect(picture.mask == meant.mask)
      #expect(facts.digest == (try meant.streamDigest()))
      #expect(facts.orientation == .rotated90)
      #expect(facts.focus == CropFocus(x: 0.25, y: 0.75))
      #expect(facts.isCut && !facts.isFlattened)
      #expect(facts.intended?.encodedPSNR == 41.5)
      #expect(facts.sources.others == [SHA256.digest(of: [2])])
      #expect(facts.sources.first == SHA256.digest(of: [1]))
    }
    #expect(reader.nextIndex == nil)
  }

  /// A picture that cannot be read is left out, unless its record has been started: the pack could not be read then.
  @Test(arguments: [false, true]) func sourcesThatShrink(_ isStarted: Bool) throws {
    let (path, source) = (Self.path(), Self.path())
    defer { for path in [path, source] { unlink(path) } }
    let file = try OutputFile(path: source)
    try file.write([UInt8](repeating: 1, count: 100_000))
    try file.commit()
    let picture = try Self.picture(0, data: .file(InputFile(path: source), offset: 0, count: 100_000))
    let digest = isStarted ? try picture.streamDigest() : nil
    let page = try Self.page(0, picture, digest: SHA256.digest(of: [1]))
    #expect(truncate(source, 10) == 0)
    let writer = try PagePackWriter(OutputFile(path: path))
    let failure = #expect(throws: BookFailure.self) {
      try writer.add(
        digest == nil
          ? EncodedPicture(
            content: .compressed(picture), place: 0, origin: nil, index: 0, texts: PageTexts.none, intended: nil) : page
      )
    }
    if case .document? = failure { #expect(isStarted) } else { #expect(!isStarted) }
  }

  /// If a pack is truncated or changed anywhere, it is refused or read as a shorter one, and never traps.
  @Test func damagedPacks() throws {
    let path = Self.path()
    defer { unlink(path) }
    try Self.pack(path)
    let file = try InputFile(path: path)
    let bytes = try file.bytes(at: 0, count: file.byteCount)
    func isRefused(_ bytes: [UInt8]) throws -> Bool {
      let other = Self.path()
      defer { unlink(other) }
      let file = try OutputFile(path: other)
      try file.write(bytes)
      try file.commit()
      do {
        var reader = try PagePackReader(path: other, open: Self.open)
        while reader.nextIndex != nil { _ = try reader.take() }
        return false
      } catch { return true }
    }
    #expect(try !isRefused(bytes))
    for count in [0, 5, 19, 25, 33, 40, 3_200, bytes.count - 1] { #expect(try isRefused(Array(bytes.prefix(count)))) }
    for place in stride(from: 0, to: 4_000, by: 13) {
      var changed = bytes
      changed[place] ^= 0xff
      _ = try isRefused(changed)
    }
  }

  /// Some thousand mutants: changed bits and bytes, false sizes, and parts that are doubled or missing. Each one is
  /// read as by a merge, to its end or to an error.
  @Test func mutants() throws {
    let path = Self.path()
    defer { unlink(path) }
    try Self.pack(path)
    let file = try InputFile(path: path)
    // Without most of the long stream, which has nothing to read in it.
    let bytes = try file.bytes(at: 0, count: file.byteCount)
    var random = SplitMix(47)
    var refused = 0
    for _ in 0..<rounds(8_000) {
      var mutant = bytes
      for _ in 0..<1 + random.below(3) {
        let place = random.chance(90) ? random.below(min(mutant.count, 4_000)) : random.below(mutant.count)
        switch random.below(5) {
        case 0: mutant[place] ^= 1 << UInt8(random.below(8))
        case 1: mutant[place] = UInt8(random.below(256))
        case 2:
          let value = [UInt64.max, UInt64(Int64.max), 1 << 62, 1 << 40, UInt64(UInt32.max)][random.below(5)]
          let end = min(place + 8, mutant.count)
          withUnsafeBytes(of: value) { mutant.replaceSubrange(place..<end, with: $0.prefix(end - place)) }
        case 3: mutant.removeSubrange(place..<min(place + 1 + random.below(40), mutant.count))
        default: mutant.insert(contentsOf: mutant[place..<min(place + 1 + random.below(40), mutant.count)], at: place)
        }
      }
      do throws(PictureError) { _ = try PagePack.pageCount(of: mutant) } catch { refused += 1 }
    }
    #expect(try PagePack.pageCount(of: bytes) == 3)
    #expect(refused > rounds(8_000) / 4)
  }

  /// Sizes in a file may be as large as any integer, so they are compared and not added.
  @Test func endlessPack() throws {
    let path = Self.path()
    defer { unlink(path) }
    var head = WireWriter()
    head.append(UInt32(5))
    // The next record would begin beyond all numbers.
    head.append(UInt64(Int64.max) - 20 - 12 - 5 - 3)
    let file = try OutputFile(path: path)
    try file.write(PackRecord.magic + head.bytes + [3, 0, 0, 0, 0])
    try file.commit()
    // Only some file systems have such files.
    guard truncate(path, off_t.max) == 0 else { return }
    #expect(throws: PictureError.self) {
      var reader = try PagePackReader(path: path, open: Self.open)
      while reader.nextIndex != nil { _ = try reader.take() }
    }
  }

  /// Texts and sizes are read as they were written.
  @Test func textsAndSizes() throws {
    let texts = PageTexts.of(
      caption: "é\n",
      running: RunningTexts(
        header: RunningText(parts: [.text("a"), .page(digits: 3), .pageCount(digits: 0)]),
        heading: RunningText(parts: [])),
      references: PageReferences(outline: "a > b", link: "https://example.org", alternative: "c"))
    let layout = LayoutPicture(
      width: 3, height: 4, resolution: Resolution(horizontal: 72.5, vertical: 300), hasCaption: true,
      keep: UnitRectangle(left: 0, top: 0.3, width: 1, height: 0.5))
    var record = WireWriter()
    texts.append(to: &record)
    layout.append(to: &record)
    var reader = WireReader(record.bytes)
    let read = try PageTexts.read(&reader)
    #expect(read.caption == texts.caption && read.running == texts.running && read.references == texts.references)
    #expect(try LayoutPicture(&reader) == layout)
    try reader.finish()
    for bytes in [[UInt8](repeating: 0, count: 9), [1, 0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 255, count: 16)] {
      var reader = WireReader(bytes)
      #expect(throws: WireError.self) { try LayoutPicture(&reader) }
    }
  }

  /// More packs than may be open at a time, with alternating pictures.
  @Test(arguments: [1, 3, 40]) func packsOfOneBook(_ count: Int) throws {
    let paths = (0..<count).map { _ in Self.path() }
    defer { for path in paths { unlink(path) } }
    for (number, path) in paths.enumerated() {
      let file = try OutputFile(path: path)
      let writer = try PagePackWriter(file)
      for index in 0..<4 { try writer.add(Self.page(number + index * count, Self.picture(40_000 * index + number))) }
      _ = try writer.finish()
      try file.commit()
    }
    var packs = try PackSet(paths: paths, open: Self.open)
    for index in 0..<4 * count {
      guard case .page(let picture, let facts)? = try packs.take(index) else {
        Issue.record("picture \(index) is there")
        return
      }
      #expect(
        facts.place == index && facts.origin == "in/a.jpg" && facts.layout == nil && facts.texts === PageTexts.none)
      #expect(picture.streamByteCount == 40_000 * (index / count) + index % count)
    }
    for index in [0, 4 * count] { if try packs.take(index) != nil { Issue.record("picture \(index) is not there") } }
  }
}
