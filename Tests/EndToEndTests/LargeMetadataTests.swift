import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Metadata of more than 16 MB is left out with a note, in every format that can hold it.
@Suite(.wholeRuns) struct LargeMetadataTests {
  private static let large = [UInt8](repeating: 0x20, count: 17 << 20)

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A gray TIFF of 8 x 8 pixels with a field of bytes.
  private static func tiff(_ tag: Int, _ content: [UInt8]) -> [UInt8] {
    let entries = [
      (256, 4, 1, 8), (257, 4, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (278, 4, 1, 8),
      (279, 4, 1, 64), (tag, tag == 34_675 ? 7 : 1, content.count, 72),
    ].sorted { $0.0 < $1.0 }
    let directory = entries.flatMap { number($0.0, 2) + number($0.1, 2) + number($0.2, 4) + number($0.3, 4) }
    return Array("II*\0".utf8) + number(72 + content.count, 4) + [UInt8](repeating: 99, count: 64) + content
      + number(entries.count, 2) + directory + number(0, 4)
  }

  /// A BMP of 1 x 1 pixel with a V5 header.
  private static func bmp(_ profile: [UInt8]) -> [UInt8] {
    var header =
      number(124, 4) + number(1, 4) + number(1, 4) + number(1, 2) + number(24, 2) + number(0, 4) + number(4, 4)
    header += [UInt8](repeating: 0, count: 124 - header.count)
    header.replaceSubrange(56..<60, with: Array("DEBM".utf8))
    header.replaceSubrange(112..<120, with: number(128, 4) + number(profile.count, 4))
    return Array("BM".utf8) + number(142 + profile.count, 4) + number(0, 4) + number(138, 4) + header + [1, 2, 3, 0]
      + profile
  }

  private static let uuid: [UInt8] = [
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
  ]

  /// Returns a file of the ending with a large block.
  private static func file(_ name: String, _ plain: (String) throws -> [UInt8]) throws -> [UInt8] {
    switch name {
    case "profile.png": return MetadataBlocks(profile: large).png
    case "exif.png":
      let png = MetadataBlocks().png
      return Array(png[..<33]) + MetadataBlocks.chunk("eXIf", large) + png[33...]
    case "xmp.png": return MetadataBlocks(xmp: large).png
    case "profile.tif": return tiff(34_675, large)
    case "xmp.tif": return tiff(700, large)
    case "profile.bmp": return bmp(large)
    case "xmp.webp": return WebPFile(plain: try plain("webp"), width: 48, height: 32).with("XMP ", large)
    case "exif.webp": return WebPFile(plain: try plain("webp"), width: 48, height: 32).with("EXIF", large)
    case "xmp.jxl": return JPEGXLFile.container(try plain("jxl")) + JPEGXLFile.box("xml ", large)
    case "packed-xmp.jxl": return JPEGXLFile.container(try plain("jxl")) + JPEGXLFile.packedBox("xml ", blocks: 272)
    case "packed-exif.jxl": return JPEGXLFile.container(try plain("jxl")) + JPEGXLFile.packedBox("Exif", blocks: 272)
    case "xmp.jp2":
      let file = try plain("jp2")
      let start = try #require(file.indices.first { file[$0...].starts(with: "jp2c".utf8) }) - 4
      return Array(file[..<start]) + JPEGXLFile.box("uuid", uuid + large) + file[start...]
    default:
      let tail = [UInt8](repeating: 0, count: 258).indices.map { $0 == 0 ? 1 : UInt8(max(0, 256 - $0)) }
      let gif = TinyFiles.gif(side: 2, frames: 1)
      return Array(gif.dropLast()) + [0x21, 0xff, 11] + Array("XMP DataXMP".utf8) + large + tail + [0x3b]
    }
  }

  @Test(
    arguments: [
      ("profile.png", "ICC profile"), ("exif.png", "EXIF"), ("xmp.png", "XMP"), ("profile.tif", "ICC profile"),
      ("xmp.tif", "XMP"), ("profile.bmp", "ICC profile"), ("xmp.webp", "XMP"), ("exif.webp", "EXIF"),
      ("xmp.jxl", "XMP"),
      ("packed-xmp.jxl", "XMP"), ("packed-exif.jxl", "EXIF"), ("xmp.jp2", "XMP"), ("xmp.gif", "XMP"),
    ])
  func isLeftOutWithANote(_ name: String, _ block: String) throws {
    let folder = try Folder()
    try folder.write("plain.png", MetadataBlocks().png)
    let file = try Self.file(name) { ending in
      let outcome = try folder.imghost("convert", "plain.png", "-o", "plain.\(ending)")
      outcome.expect(status: 0)
      return folder.bytes("plain.\(ending)")
    }
    try folder.write(name, file)
    let outcome = try folder.imghost("convert", name, "-o", "out.jpg", seconds: 60)
    outcome.expect(status: 0)
    let line = outcome.messages.first { $0.contains("note: \(block) is not copied (it has ") } ?? ""
    #expect(line.contains("more than 16 MB") || line.contains(" bytes)"), "\(outcome)")
  }

  /// A packed box of less is read.
  @Test func packedBoxesAreRead() throws {
    let folder = try Folder()
    try folder.write("plain.png", MetadataBlocks().png)
    #expect(try folder.imghost("convert", "plain.png", "-o", "plain.jxl").status == 0)
    try folder.write(
      "a.jxl", JPEGXLFile.container(folder.bytes("plain.jxl")) + JPEGXLFile.packedBox("xml ", blocks: 17))
    let outcome = try folder.imghost("convert", "a.jxl", "-o", "out.jpg")
    #expect(outcome.error.contains("XMP is not copied (it has 1114112 bytes, more than 1 MB)"), "\(outcome)")
  }

  /// A sidecar that is too large is an error: the script asked for it.
  @Test func largeSidecarsAreRefused() throws {
    let folder = try Folder()
    try folder.write("a.jpg", MetadataBlocks().jpeg)
    for count in [(1 << 20) + 1, 17 << 20] {
      try folder.write("a.xmp", [UInt8](repeating: 0x20, count: count))
      let outcome = try folder.run("img.open('a.jpg', { sidecar = true }):save('b.jpg')")
      let words = "has the sidecar 'a.xmp', which cannot be read: it has \(count) bytes, more than 1 MB"
      #expect(outcome.status != 0 && outcome.error.contains(words), "\(outcome)")
    }
  }

  /// The orientation of a sidecar is not used, in files that have one of their own and in those that have none.
  @Test func sidecarsTurnNothing() throws {
    let folder = try Folder()
    try folder.write("a.png", MetadataBlocks().png)
    try folder.write(
      "a.xmp",
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
       tiff:Orientation="6" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
      """)
    let outcome = try folder.run(
      """
      local p = img.open("a.png", { sidecar = true })
      print(p.width, p.height, p.xmp["xmp:Rating"])
      p:save("b.png")
      """)
    #expect(outcome.status == 0 && outcome.output == "48\t32\t4\n", "\(outcome)")
    #expect(try Pixels(file: folder("b.png")).bytes == Pixels(file: folder("a.png")).bytes)
    #expect(!(try folder.imghost("info", "b.png").output.contains("tiff:Orientation  6")))
  }
}
