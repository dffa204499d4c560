import ImageCore
import Testing

@testable import ImageMetadata

@Suite struct MetadataEditTests {
  static let dates: [(String, String, String?, String, String, String?)] = [
    ("2026-07-31", "2026:07:31 00:00:00", nil, "2026-07-31", "20260731", nil),
    ("2026:07:31 18:05:09", "2026:07:31 18:05:09", nil, "2026-07-31T18:05:09", "20260731", nil),
    ("2026-07-31 18:05", "2026:07:31 18:05:00", nil, "2026-07-31T18:05:00", "20260731", nil),
    ("2026-07-31T18:05:09Z", "2026:07:31 18:05:09", "+00:00", "2026-07-31T18:05:09+00:00", "20260731", "180509+0000"),
    (
      "2024-02-29T18:05:09-03:30", "2024:02:29 18:05:09", "-03:30", "2024-02-29T18:05:09-03:30", "20240229",
      "180509-0330"
    ),
  ]

  @Test func datesAreReadAndWritten() throws {
    for (text, exif, offset, xmp, day, time) in Self.dates {
      let date = try #require(MetadataDate(text), "\(text)")
      #expect(date.exif == exif && date.exifOffset == offset && date.xmp == xmp, "\(text)")
      #expect(date.iptcDay == day && date.iptcTime == time, "\(text)")
    }
    let wrong = [
      "", "2026", "2026-13-01", "2026-02-29", "2026-07-31 25:00", "2026-07-31 18:05:09 ", "31.7.2026",
      "2026-07-31T18:05:09+2", "yesterday", "2026-07-31T18",
    ]
    for text in wrong { #expect(MetadataDate(text) == nil, "\(text)") }
  }

  @Test func fieldsGoIntoAllBlocks() throws {
    var edit = MetadataEdit()
    edit.copyright = "\u{a9} Me"
    edit.creator = ["A", "B"]
    edit.keywords = []
    edit.date = MetadataDate("2026-07-31T18:05:09+02:00")
    let metadata = edit.applied(to: PictureMetadata())
    #expect(metadata.exif["Copyright"] == .text("\u{a9} Me") && metadata.exif["Artist"] == .text("A; B"))
    #expect(metadata.exif["DateTimeOriginal"] == .text("2026:07:31 18:05:09"))
    #expect(metadata.exif["OffsetTimeOriginal"] == .text("+02:00"))
    let fields = try XMPPacket(metadata.xmp).fields
    #expect(fields["dc:rights"] == .text("\u{a9} Me") && fields["dc:creator"] == .texts(["A", "B"]))
    #expect(fields["dc:subject"] == nil && fields["photoshop:DateCreated"] == .text("2026-07-31T18:05:09+02:00"))
    let record = try #require(IPTCRecord(metadata.iptc))
    #expect(record.texts(116) == ["\u{a9} Me"] && record.texts(80) == ["A", "B"] && record.texts(25).isEmpty)
    // Empty values remove what is there, and all blocks with the last one.
    var empty = MetadataEdit()
    (empty.copyright, empty.creator) = ("", [])
    let less = empty.applied(to: metadata)
    #expect(less.exif["Copyright"] == nil && less.exif["DateTimeOriginal"] != nil)
    #expect(try XMPPacket(less.xmp).fields.keys.sorted() == ["exif:DateTimeOriginal", "photoshop:DateCreated"])
  }

  @Test func unreadableBlocksAreReplacedAndNamed() {
    var edit = MetadataEdit()
    edit.title = "New"
    let metadata = edit.applied(
      to: PictureMetadata(exifBlock: [1, 2, 3], xmp: Array("<!DOCTYPE x>".utf8), iptc: [0x1c, 2]))
    #expect((try? XMPPacket(metadata.xmp))?.fields == ["dc:title": .text("New")])
    #expect(IPTCRecord(metadata.iptc)?.texts(5) == ["New"])
    #expect(
      metadata.losses == [
        .unreadable(.xmp, reason: "it has a document type"), .unreadable(.iptc, reason: "it is damaged"),
      ])
  }

  @Test func sidecarsReplaceValues() throws {
    let base = XMPPacketTests.packet(
      "<dc:title>Old</dc:title><xmp:Rating>1</xmp:Rating><tiff:Orientation>6</tiff:Orientation>")
    let sidecar = XMPPacketTests.packet(
      "<xmp:Rating>4</xmp:Rating><tiff:Orientation>3</tiff:Orientation><dc:rights>Me</dc:rights>")
    let metadata = try Sidecar.applied(sidecar, to: PictureMetadata(xmp: base))
    #expect(
      try XMPPacket(metadata.xmp).fields == [
        "dc:title": .text("Old"), "xmp:Rating": .text("4"), "tiff:Orientation": .text("6"), "dc:rights": .text("Me"),
      ])
    #expect(metadata.exif["Copyright"] == .text("Me") && IPTCRecord(metadata.iptc)?.texts(116) == ["Me"])
    #expect(
      Sidecar.paths(of: "a/b.c/d.e.jpg") == [
        "a/b.c/d.e.jpg.xmp", "a/b.c/d.e.jpg.XMP", "a/b.c/d.e.xmp", "a/b.c/d.e.XMP",
      ])
    #expect(Sidecar.paths(of: "d.jpg") == ["d.jpg.xmp", "d.jpg.XMP", "d.xmp", "d.XMP"])
  }

  /// Places and ratings of a sidecar replace those of EXIF, which most programs read first.
  @Test(arguments: [
    ("53,33.5N", "9,59,24.5W", "25/2", [53.558333, -9.990139, 12.5]), ("0,0S", "180,0E", "", [0, 180]),
    ("x", "9,59E", "", []), ("91,0N", "9,59E", "", []), ("53N,3", "9,59E", "", []), ("53,33,1,1N", "9,59E", "", []),
  ])
  func sidecarsReplacePlaces(_ latitude: String, _ longitude: String, _ altitude: String, _ expected: [Double]) throws {
    let old = EXIFBlock.edited([]) { fields in
      fields[0x4746] = .short(1)
      fields[EXIFTags.gpsDirectory] = .directory([
        1: .text("N"), 2: .rationals([(1, 1), (2, 1), (3, 1)]), 3: .text("E"), 4: .rationals([(1, 1), (2, 1), (3, 1)]),
      ])
    }
    func property(_ name: String, _ text: String) -> String {
      "<e:\(name) xmlns:e='http://ns.adobe.com/exif/1.0/'>\(text)</e:\(name)>"
    }
    let sidecar = XMPPacketTests.packet(
      property("GPSLatitude", latitude) + property("GPSLongitude", longitude)
        + (altitude.isEmpty ? "" : property("GPSAltitude", altitude)) + "<xmp:Rating>4</xmp:Rating>"
        + "<p:City xmlns:p='http://ns.adobe.com/photoshop/1.0/'>Ulm</p:City>")
    let metadata = try Sidecar.applied(sidecar, to: PictureMetadata(exifBlock: old))
    let names = ["GPSLatitude", "GPSLongitude", "GPSAltitude"]
    let found = names.compactMap { name -> Double? in
      if case .number(let value)? = metadata.exif[name] { value } else { nil }
    }
    #expect(found.count == expected.count, "\(metadata.exif)")
    for (value, meant) in zip(found, expected) { #expect(abs(value - meant) < 1e-5) }
    #expect(metadata.exif["Rating"] == .integer(4))
    #expect(IPTCRecord(metadata.iptc)?.texts(90) == ["Ulm"])
  }

  @Test func textsOfOldPrograms() {
    for (bytes, text) in [
      (Array("Zoë".utf8), "Zoë"), ([0x5a, 0x6f, 0xeb], "Zoë"), ([0x5a, 0x92, 0xfc, 0x20, 0x20, 0, 0x41], "Z\u{fffd}ü"),
    ] {
      let block = EXIFBlock.edited([]) { $0[0x013b] = .value(type: 2, bytes: bytes + [0]) }
      #expect(EXIFBlock(block)?.fields["Artist"] == .text(text))
    }
  }
}
