import Foundation
import TestSupport
import Testing

/// Metadata in the files of every format, read back by ExifTool.
@Suite(.wholeRuns) struct MetadataFileTests {
  private static let formats = ["jpg", "png", "tif", "webp", "avif", "jxl", "jp2"]
  private static let formatsWithIPTC: Set<String> = ["jpg", "png", "tif", "jp2"]

  /// ExifTool's names, by group, and the values after `with_metadata`.
  private static let written: [(String, [String])] = [
    ("IFD0:Copyright", ["© 2026 Zoë"]), ("IFD0:Artist", ["Zoë Müller; B"]),
    ("IFD0:ImageDescription", ["What it shows"]), ("IFD0:XPTitle", ["Häuser"]), ("IFD0:XPAuthor", ["Zoë Müller; B"]),
    ("IFD0:XPKeywords", ["sea; sun & sand"]), ("ExifIFD:DateTimeOriginal", ["2026:07:31 18:05:09"]),
    ("ExifIFD:OffsetTimeOriginal", ["+02:00"]),
    ("XMP-dc:Rights", ["© 2026 Zoë"]), ("XMP-dc:Creator", ["Zoë Müller", "B"]), ("XMP-dc:Title", ["Häuser"]),
    ("XMP-dc:Description", ["What it shows"]), ("XMP-dc:Subject", ["sea", "sun & sand"]),
    ("XMP-photoshop:DateCreated", ["2026:07:31 18:05:09+02:00"]),
    ("XMP-exif:DateTimeOriginal", ["2026:07:31 18:05:09+02:00"]),
    ("IPTC:CopyrightNotice", ["© 2026 Zoë"]), ("IPTC:By-line", ["Zoë Müller", "B"]), ("IPTC:ObjectName", ["Häuser"]),
    ("IPTC:Caption-Abstract", ["What it shows"]), ("IPTC:Keywords", ["sea", "sun & sand"]),
    ("IPTC:DateCreated", ["2026:07:31"]), ("IPTC:TimeCreated", ["18:05:09+02:00"]),
    ("XMP-photoshop:Credit", ["Agency"]), ("IPTC:Credit", ["Agency"]),
  ]

  /// The places, owners and numbers of `source`.
  private static let personal = [
    "GPS:GPSLatitude", "IFD0:HostComputer", "ExifIFD:SerialNumber", "ExifIFD:OwnerName", "XMP-exif:GPSLatitude",
    "XMP-photoshop:City",
    "XMP-iptcCore:Location", "XMP-iptcExt:LocationCreatedCity", "XMP-aux:SerialNumber", "XMP-aux:OwnerName",
    "IPTC:City", "IPTC:Sub-location",
  ]

  /// A folder with `source.jpg`, in which ExifTool has written all of it, lying on its side.
  private func source() throws -> Folder {
    let folder = try Folder()
    let outcome = try folder.run("img.canvas(64, 48, { background = 'red' }):save('source.jpg')")
    outcome.expect(status: 0)
    let tags = [
      "EXIF:Orientation#=6", "EXIF:GPSLatitude=52.5", "EXIF:GPSLatitudeRef=N", "EXIF:SerialNumber=1234",
      "EXIF:OwnerName=Owner", "EXIF:Model=Camera", "EXIF:HostComputer=Laptop", "EXIF:DocumentName=Page",
      "EXIF:Rating=4", "EXIF:RatingPercent=75", "XMP-tiff:Orientation#=6", "XMP-tiff:ImageWidth=64",
      "XMP-tiff:Artist=Other", "XMP-exif:GPSLatitude=52.5", "XMP-photoshop:City=Berlin",
      "XMP-photoshop:Credit=Agency", "XMP-iptcCore:Location=Mitte", "XMP-iptcExt:LocationCreatedCity=Berlin",
      "XMP-aux:SerialNumber=1234", "XMP-aux:OwnerName=Owner", "XMP-dc:Title=Old", "XMP-crs:Contrast2012=5",
      "IPTC:City=Berlin", "IPTC:Sub-location=Mitte", "IPTC:Credit=Agency", "IPTC:Keywords=old",
    ]
    let done = try #require(
      try SecondOpinions.run(
        "exiftool", ["-q", "-overwrite_original", "-charset", "utf8"] + tags.map { "-" + $0 } + [folder("source.jpg")]),
      "ExifTool is not installed")
    #expect(done.status == 0, "\(done)")
    return folder
  }

  /// Returns the tags of a file, lists as lists.
  private func tags(_ path: String) throws -> [String: [String]] {
    let outcome = try #require(try SecondOpinions.run("exiftool", ["-j", "-a", "-G1", "-charset", "iptc=utf8", path]))
    let objects = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [[String: Any]]
    return try #require(objects?.first).mapValues { value in
      (value as? [Any] ?? [value]).map { "\($0)" }
    }
  }

  @Test func everyFieldIsInEveryFormat() throws {
    let folder = try source()
    let outcome = try folder.run(
      """
      local p = img.open("source.jpg"):with_metadata{ copyright = "© 2026 Zoë", creator = { "Zoë Müller", "B" },
        title = "Häuser", description = "What it shows", keywords = { "sea", "sun & sand" },
        date = "2026-07-31T18:05:09+02:00" }
      for _, ending in ipairs(arg) do p:resize(24):save("out." .. ending) end
      """, arguments: Self.formats)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    for format in Self.formats {
      let tags = try tags(folder("out." + format))
      for (name, value) in Self.written where !name.hasPrefix("IPTC") || Self.formatsWithIPTC.contains(format) {
        #expect(tags[name] == value, "\(format): \(name)")
      }
      // What was not named stays, upright and with the new size.
      for (name, value) in [
        ("IFD0:HostComputer", "Laptop"), ("IFD0:DocumentName", "Page"), ("IFD0:Rating", "4"),
        ("IFD0:RatingPercent", "75"),
      ] {
        #expect(tags[name] == [value], "\(format): \(name)")
      }
      #expect(tags["XMP-crs:Contrast2012"] != nil && tags["XMP-photoshop:City"] == ["Berlin"], "\(format)")
      #expect(tags["XMP-tiff:Orientation"] == ["Horizontal (normal)"], "\(format)")
      #expect(tags["XMP-tiff:ImageWidth"] == ["24"] && tags["XMP-tiff:Artist"] == nil, "\(format)")
      #expect(tags["GPS:GPSLatitude"] != nil || format == "avif" && tags["Composite:GPSLatitude"] != nil, "\(format)")
      #expect(tags["ExifTool:Warning"] == nil, "\(format): \(tags["ExifTool:Warning"] ?? [])")
    }
  }

  @Test func publicFilesHaveNoPlaceAndNoOwner() throws {
    let folder = try source()
    let before = try tags(folder("source.jpg"))
    for name in Self.personal { #expect(before[name] != nil, "\(name)") }
    let outcome = try folder.run(
      """
      local p = img.open("source.jpg"):with_metadata{ copyright = "Me" }:resize(24)
      for _, ending in ipairs(arg) do
        p:save("public." .. ending, { metadata = "public" })
        p:save("none." .. ending, { metadata = "none" })
        p:save("kept." .. ending, { metadata = { keep = { "copyright" } } })
        img.open("source.jpg"):with_metadata{ gps = false }:save("placeless." .. ending)
      end
      """, arguments: Self.formats)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    for format in Self.formats {
      let open = try tags(folder("public." + format))
      for name in Self.personal { #expect(open[name] == nil, "\(format): \(name)") }
      for name in ["IFD0:Copyright", "XMP-dc:Rights", "XMP-photoshop:Credit", "IFD0:Model"] {
        #expect(open[name] != nil, "\(format): \(name)")
      }
      let none = try tags(folder("none." + format))
      #expect(!none.keys.contains { $0.hasPrefix("XMP-dc") || $0.hasPrefix("IPTC:") }, "\(format): \(none)")
      #expect(none["IFD0:Copyright"] == nil, "\(format)")
      let kept = try tags(folder("kept." + format))
      #expect(kept["IFD0:Copyright"] == ["Me"] && kept["XMP-dc:Rights"] == ["Me"], "\(format): \(kept)")
      #expect(!kept.keys.contains { $0.hasPrefix("XMP-photoshop") || $0.hasPrefix("GPS:") }, "\(format)")
      #expect(kept["IFD0:Model"] == nil && kept["IPTC:Keywords"] == nil, "\(format)")
      let placeless = try tags(folder("placeless." + format))
      for name in Self.personal where name.contains("GPS") || name.contains("ocation") || name.contains("City") {
        #expect(placeless[name] == nil, "\(format): \(name)")
      }
      #expect(placeless["XMP-aux:SerialNumber"] != nil, "\(format)")
    }
  }

  /// What one format keeps, the next one reads.
  @Test func fieldsTravelThroughFormats() throws {
    let folder = try source()
    let outcome = try folder.run(
      """
      img.open("source.jpg"):with_metadata{ title = "Häuser" }:save("a.png"):await()
      local last = "a.png"
      for _, ending in ipairs(arg) do
        img.open(last):resize(30):save("b." .. ending):await()
        last = "b." .. ending
        local p = img.open(last)
        assert(p.xmp["dc:title"] == "Häuser", last)
        assert(p.xmp["photoshop:City"] == "Berlin", last)
        assert(p.xmp["no:such"] == nil)
      end
      local p = img.open("a.png")
      assert(p.iptc.City == "Berlin" and p.iptc.Keywords[1] == "old" and p.iptc.ObjectName == "Häuser")
      assert(p.exif.SerialNumber == nil and p.exif.BodySerialNumber == "1234")
      """, arguments: Self.formats)
    outcome.expect(status: 0)
  }

  @Test func untouchedFilesAreCopied() throws {
    let folder = try source()
    let outcome = try folder.run("img.open('source.jpg', { orient = false }):save('copy.jpg')")
    #expect(outcome.status == 0 && folder.bytes("copy.jpg") == folder.bytes("source.jpg"), "\(outcome)")
  }

  @Test func sidecarsReplaceFields() throws {
    let folder = try source()
    let made = try #require(
      try SecondOpinions.run(
        "exiftool",
        [
          "-q", "-o", folder("source.xmp"), "-XMP-dc:Title=Sidecar", "-XMP-dc:Creator=S", "-XMP-xmp:Rating=4",
          "-XMP-tiff:Orientation#=3", "-XMP-exif:GPSLatitude=-10.25", "-XMP-exif:GPSLongitude=20",
          "-XMP-photoshop:City=Ulm",
        ]))
    #expect(made.status == 0, "\(made)")
    let outcome = try folder.run(
      """
      local p = img.open("source.jpg", { sidecar = true })
      assert(p.xmp["xmp:Rating"] == "4" and p.exif.Artist == "S" and p.iptc.ObjectName == "Sidecar")
      p:save("a.jpg")
      img.open("source.jpg"):save("b.jpg", { quality = 90 })
      """)
    outcome.expect(status: 0)
    let with = try tags(folder("a.jpg")), without = try tags(folder("b.jpg"))
    #expect(with["XMP-dc:Title"] == ["Sidecar"] && with["IPTC:By-line"] == ["S"] && with["IFD0:Artist"] == ["S"])
    #expect(with["XMP-iptcCore:Location"] == ["Mitte"] && with["XMP-tiff:Orientation"] == ["Horizontal (normal)"])
    #expect(with["XMP-photoshop:City"] == ["Ulm"] && with["IPTC:City"] == ["Ulm"] && with["IFD0:Rating"] == ["4"])
    #expect(with["GPS:GPSLatitude"] == ["10 deg 15' 0.00\""] && with["GPS:GPSLatitudeRef"] == ["South"])
    #expect(without["XMP-dc:Title"] == ["Old"])
    try folder.write("source.xmp", "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>")
    let refused = try folder.run("img.open('source.jpg', { sidecar = true }):save('c.jpg')")
    #expect(refused.status != 0)
    #expect(refused.messages.contains { $0.contains("source.xmp") && $0.contains("document type") }, "\(refused)")
  }

  @Test func lossesAreNotedOnce() throws {
    let folder = try Folder()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/coffee.png")))
    // A manifest before the pixels, and a packet with a document type behind.
    func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
      let length = (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (24 - $0 * 8)) }
      var checksum: UInt32 = 0xffff_ffff
      for byte in Array(type.utf8) + data {
        checksum ^= UInt32(byte)
        for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xedb8_8320 : checksum >> 1 }
      }
      let end = (0..<4).map { UInt8(truncatingIfNeeded: ~checksum >> (24 - $0 * 8)) }
      return length + Array(type.utf8) + data + end
    }
    let bomb = Array("XML:com.adobe.xmp\0\0\0\0\0<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>".utf8)
    let marked = bytes[..<33] + chunk("caBX", [1, 2, 3]) + chunk("iTXt", bomb) + bytes[33...]
    for name in ["a.png", "b.png", "c.png", "d.png"] { try folder.write(name, Array(marked)) }
    let outcome = try folder.run(
      """
      for _, p in pairs(img.glob("?.png")) do
        p:resize(20):save("out/{stem}.jpg")
        p:resize(30):save("out/{stem}.webp")
        p:save("copies/{stem}.png")
      end
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.messages == [
        "save: note: XMP is not copied (it has a document type): a.png, b.png, c.png and 1 more",
        "save: note: content credentials (C2PA) are not copied, because the pixels change: a.png, b.png, c.png and 1 more",
      ], "\(outcome)")
    #expect(folder.bytes("copies/a.png") == Array(marked))
  }

  /// Frames and pages from one file keep its metadata; those from several files have none, as a place of one is not that
  /// of all.
  @Test func pagesOfOneFileKeepItsMetadata() throws {
    let folder = try source()
    let outcome = try folder.run(
      """
      local p = img.open("source.jpg")
      local frames = { p:resize(20), p:resize(20):invert() }
      img.animation("a.webp", frames) img.animation("a.avif", frames) img.animation("a.jxl", frames)
      img.multipage("a.tif", frames) img.multipage("public.tif", frames, { metadata = "public" })
      img.canvas(20, 27):save("other.png"):await()
      img.animation("mixed.webp", { p:resize(20, 27), img.open("other.png") })
      """)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    for name in ["a.webp", "a.avif", "a.jxl", "a.tif"] {
      let tags = try tags(folder(name))
      #expect(tags["XMP-photoshop:City"] == ["Berlin"] && tags["XMP-tiff:Orientation"] != nil, "\(name): \(tags)")
      #expect(tags["IFD0:Model"] == ["Camera"], "\(name)")
    }
    let open = try tags(folder("public.tif")), mixed = try tags(folder("mixed.webp"))
    #expect(open["XMP-photoshop:City"] == nil && open["XMP-photoshop:Credit"] != nil)
    #expect(!mixed.keys.contains { $0.hasPrefix("XMP-") })
  }
}
