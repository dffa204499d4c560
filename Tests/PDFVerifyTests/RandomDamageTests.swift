import ImageCore
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook
@testable import PDFVerify

/// Books damaged at random, the same way in every run: nothing crashes or hangs, and every visible or readable change
/// is reported.
@Suite struct RandomDamageTests {
  @Test(arguments: 0..<8) func changesThatAreSeenAreTold(seed: Int) throws {
    let book = try (seed % 2 == 0 ? Self.captioned : Self.lossless).get()
    let original = try #require(Self.look(book.bytes))
    var generator = SplitMix(UInt64(seed) * 7_919 + 1)
    var told = 0
    for _ in 0..<rounds(24) {
      let damaged = Self.damage(book.bytes, &generator)
      guard damaged != book.bytes else { continue }
      let report = try book.verify(damaged, expecting: false, as: "seed \(seed)")
      if report.lines.isEmpty {
        #expect(Self.look(damaged) == original, "seed \(seed), \(Self.place(book.bytes, damaged))")
      } else {
        told += 1
      }
    }
    #expect(2 * told >= rounds(24), "most damage is noticed")
  }

  /// Returns what a reader shows: the digest of the pixels, and the text of every page.
  private static func look(_ bytes: [UInt8]) -> [String]? {
    let folder = TestFolder()
    let path = folder.write(bytes, as: "look.pdf")
    guard let file = try? InputFile(path: path), let mapping = try? FileMapping(file),
      let renderer = try? PopplerRenderer(mapping)
    else { return nil }
    return (0..<renderer.pageCount).map { index in
      guard let page = renderer.page(index),
        let pixels = page.render(
          left: 0, top: 0, scaleX: 1.5, scaleY: 1.5, width: 120, height: 120)
      else { return "nothing" }
      var hash = SHA256()
      for y in 0..<120 { hash.update(Array(UnsafeRawBufferPointer(start: pixels.row(y), count: 480))) }
      return "\(hash.finish().bytes) \(page.text().letters)"
    }
  }

  private static func place(_ bytes: [UInt8], _ damaged: [UInt8]) -> String {
    let first = zip(bytes, damaged).enumerated().first { $0.1.0 != $0.1.1 }?.offset ?? 0
    let around = max(0, first - 20)..<min(damaged.count, first + 20)
    return "byte \(first): \(String(decoding: damaged[around], as: Unicode.ASCII.self))"
  }

  private static func damage(_ bytes: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
    var result = bytes
    let (place, other) = (
      Int.random(in: 1..<bytes.count - 64, using: &generator), Int.random(in: 1..<bytes.count - 64, using: &generator)
    )
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: result[place] = UInt8.random(in: 0...255, using: &generator)
    case 1: result.remove(at: place)
    case 2: result.insert(UInt8.random(in: 0...255, using: &generator), at: place)
    case 3: result.replaceSubrange(place..<place + 16, with: bytes[other..<other + 16])
    case 4, 5: exchange(&result, 0x30...0x39, with: 0x30...0x39, &generator)
    default: exchange(&result, 0x41...0x5a, with: 0x61...0x7a, &generator)
    }
    return result
  }

  /// Replaces a digit or a letter in a word of the file's structure.
  private static func exchange(
    _ bytes: inout [UInt8], _ old: ClosedRange<UInt8>, with new: ClosedRange<UInt8>, _ generator: inout SplitMix
  ) {
    let starts: Set<UInt8> = Set(" /[".utf8)
    let places = bytes.indices.dropFirst(2).filter {
      old.contains(bytes[$0]) && starts.contains(bytes[$0 - 1]) && bytes[$0 - 2] > 0x1f && bytes[$0 - 2] < 0x7f
    }
    bytes[places.randomElement(using: &generator)!] = UInt8.random(in: new, using: &generator)
  }

  private static let captioned = Result {
    var settings = DocumentSettings()
    settings.isTagged = true
    settings.language = "en"
    return try TestBook(settings: settings) { writer, _ in
      for number in 1...3 {
        let picture = try writer.add(PDFPicture(jpeg: TestPicture(number, width: 32, height: 24).jpeg(quality: 80)))
        var page = PDFPage(size: PageSize(width: 72, height: 80))
        page.placements = [Placement(picture, in: PageRectangle(left: 0, bottom: 20, width: 72, height: 54))]
        page.captions = [Caption("Paris \(number)", centre: 36, baseline: 8)]
        page.outlines = [["Paris", "\(number)"]]
        page.links = [PageLink("http://a.b/\(number)", over: PageRectangle(left: 2, bottom: 25, width: 40, height: 30))]
        try writer.addPage(page)
      }
    }
  }

  private static let lossless = Result {
    try TestBook { writer, _ in
      for (number, format) in [PixelFormat.rgb8, .rgba8, .gray8].enumerated() {
        let layout = PictureLayout(width: 24, height: 18, format: format)
        let pixels = (0..<layout.byteCount).map {
          UInt8(truncatingIfNeeded: $0 * (number + 3) + $0 / 31 * 17)
        }
        let encoder = FlateEncoder(layout, iccProfile: number == 0 ? TestProfile.swapped : [])
        try pixels.withUnsafeBytes {
          try encoder.write(18, from: $0.baseAddress!, stride: layout.rowByteCount)
        }
        try encoder.finish()
        try writer.addPage(PageSetup().page(writer.add(encoder.picture)))
      }
    }
  }
}
