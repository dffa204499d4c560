import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// Profiles that pictures were given, or that were exchanged, are told as that.
@Suite struct PictureAdditionTests {
  /// Two pictures with a profile each, and one without.
  private static let book = Result {
    var other = TestProfile.swapped
    other[other.count - 1] ^= 1
    return try TestBook { writer, add in
      for (number, profile) in [(1, TestProfile.swapped), (2, other), (3, [])] {
        let picture = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95), iccProfile: profile))
        let page = try PageSetup().page(picture)
        add(page, [])
        try writer.addPage(page)
      }
    }
  }

  @Test func profilesAreNamed() throws {
    let book = try Self.book.get()
    let places = book.places(of: "/ColorSpace ")
    try #require(places.count == 2)
    let spaces = places.map { place in
      String(decoding: book.bytes[place...].prefix { $0 != 82 }, as: UTF8.self) + "R"
    }
    let added = try book.verify(book.patched("/ColorSpace/DeviceRGB", spaces[0]), expecting: false, as: "added").lines
    #expect(
      added.contains("3: error: picture 1 was given an ICC profile after it was written"),
      "\(added)")
    let exchanged = try book.verify(book.patched(spaces[1], spaces[0]), expecting: false, as: "exchanged").lines
    let line = "2: error: the stored bytes of picture 1 or of its ICC profile are not those that were written"
    #expect(exchanged.contains(line), "\(exchanged)")
  }
}
