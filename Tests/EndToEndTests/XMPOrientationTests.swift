import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Orientation that only XMP states.
struct XMPOrientationTests {
  private static func packet(_ orientation: Int) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="\(orientation)"/>
      </rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A gray TIFF of 48 x 32 pixels with a packet.
  private static let tiff: [UInt8] = {
    let xmp = packet(6)
    let pixels = 48 * 32
    let entries = [
      (256, 4, 1, 48), (257, 4, 1, 32), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (278, 4, 1, 32),
      (279, 4, 1, pixels), (700, 1, xmp.count, 8 + pixels),
    ]
    let directory = entries.flatMap { number($0.0, 2) + number($0.1, 2) + number($0.2, 4) + number($0.3, 4) }
    let padding = [UInt8](repeating: 0, count: xmp.count % 2)
    return Array("II*\0".utf8) + number(8 + pixels + xmp.count + padding.count, 4)
      + (0..<pixels).map { UInt8(truncatingIfNeeded: $0 % 48 * 5) } + xmp + padding + number(entries.count, 2)
      + directory
      + number(0, 4)
  }()

  /// Writes a file of 48 x 32 pixels with the packet in the format of its ending.
  private func write(_ name: String, in folder: Folder) throws {
    let xmp = Self.packet(6)
    switch name.split(separator: ".").last {
    case "jpg": try folder.write(name, MetadataBlocks(xmp: xmp).jpeg)
    case "png": try folder.write(name, MetadataBlocks(xmp: xmp).png)
    case "tif": try folder.write(name, Self.tiff)
    case "webp":
      try folder.write("plain.png", MetadataBlocks().png)
      #expect(try folder.imghost("convert", "plain.png", "-o", "plain.webp").status == 0)
      try folder.write(name, WebPFile(plain: folder.bytes("plain.webp"), width: 48, height: 32).with("XMP ", xmp))
    default:
      try folder.write("plain.png", MetadataBlocks().png)
      #expect(try folder.imghost("convert", "plain.png", "-o", "plain.jp2").status == 0)
      let file = folder.bytes("plain.jp2")
      let start = try #require(file.indices.first { file[$0...].starts(with: "jp2c".utf8) }) - 4
      let uuid: [UInt8] = [
        0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
      ]
      let box = MetadataBlocks.big(24 + xmp.count) + Array("uuid".utf8) + uuid + xmp
      try folder.write(name, Array(file[..<start]) + box + file[start...])
    }
  }

  @Test(arguments: sampled(["a.jpg", "a.png", "a.tif", "a.webp", "a.jp2"]))
  func picturesAreTurned(_ name: String) throws {
    let folder = try Folder()
    try write(name, in: folder)
    let outcome = try folder.run(
      """
      local p = img.open("\(name)")
      local q = img.open("\(name)", { orient = false })
      print(p.width, p.height, q.width, q.height)
      p:save("turned.png") q:save("stored.png", { metadata = "all" })
      """)
    #expect(outcome.status == 0 && outcome.output == "32\t48\t48\t32\n", "\(outcome)")
    let (turned, stored) = (try Pixels(file: folder("turned.png")), try Pixels(file: folder("stored.png")))
    // 6: the stored picture is rotated clockwise.
    #expect(turned[0, 0] == stored[0, 31] && turned[31, 47] == stored[47, 0])
    // What is written agrees in EXIF and XMP, and is not turned again.
    let info = try folder.imghost("info", "turned.png", "stored.png").output
    #expect(info.contains("xmp.tiff:Orientation  1") && info.contains("xmp.tiff:Orientation  6"), "\(info)")
    #expect(info.contains("exif.Orientation"), "\(info)")
    let again = try folder.run(
      "for _, n in ipairs{ \"turned\", \"stored\" } do print(img.open(n .. \".png\").width) end")
    #expect(again.output == "32\n32\n", "\(again)")
  }
}
