import ImageCore
import TestSupport
import Testing

@testable import ImageMetadata

/// Packets in every form of RDF that XMP allows, and invalid ones.
@Suite struct XMPPacketTests {
  static func packet(_ inside: String, _ attributes: String = "") -> [UInt8] {
    Array(
      """
      <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
        xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:st="http://ns.adobe.com/xap/1.0/sType/ResourceRef#"
        xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:my="http://example.org/my/" \(attributes)>
      \(inside)
      </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
      """.utf8)
  }

  static let forms: [(String, String, [String: MetadataValue])] = [
    ("an attribute", "xmp:Rating='4'", ["xmp:Rating": .text("4")]),
    ("an element", "<xmp:Rating>4</xmp:Rating>", ["xmp:Rating": .text("4")]),
    ("an unknown namespace", "<my:word>a &amp; b &#x41;&lt;</my:word>", ["my:word": .text("a & b A<")]),
    ("an address", "<my:link rdf:resource='https://x'/>", ["my:link": .text("https://x")]),
    ("an empty value", "<my:word/>", ["my:word": .text("")]),
    (
      "a list", "<dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator>",
      ["dc:creator": .texts(["A", "B"])]
    ),
    (
      "languages",
      "<dc:title><rdf:Alt><rdf:li xml:lang='de'>Hallo</rdf:li><rdf:li xml:lang='x-default'>Hello</rdf:li></rdf:Alt></dc:title>",
      ["dc:title": .text("Hello")]
    ),
    (
      "a structure in attributes", "<xmpMM:DerivedFrom st:instanceID='i' st:documentID='d'/>",
      ["xmpMM:DerivedFrom/stRef:instanceID": .text("i"), "xmpMM:DerivedFrom/stRef:documentID": .text("d")]
    ),
    (
      "a structure as a resource",
      "<xmpMM:DerivedFrom rdf:parseType='Resource'><st:documentID>d</st:documentID></xmpMM:DerivedFrom>",
      ["xmpMM:DerivedFrom/stRef:documentID": .text("d")]
    ),
    (
      "a nested description",
      "<xmpMM:DerivedFrom><rdf:Description st:documentID='d'/></xmpMM:DerivedFrom>",
      ["xmpMM:DerivedFrom/stRef:documentID": .text("d")]
    ),
    (
      "a list of structures",
      "<xmpMM:Ingredients><rdf:Bag><rdf:li st:documentID='d'/><rdf:li rdf:parseType='Resource'><st:documentID>e</st:documentID></rdf:li></rdf:Bag></xmpMM:Ingredients>",
      [
        "xmpMM:Ingredients[1]/stRef:documentID": .text("d"),
        "xmpMM:Ingredients[2]/stRef:documentID": .text("e"),
      ]
    ),
    ("a character section", "<my:word><![CDATA[a<b]]></my:word>", ["my:word": .text("a<b")]),
    ("a comment", "<!-- x --><my:word>a<!-- y -->b</my:word>", ["my:word": .text("ab")]),
  ]

  @Test func formsAreReadAndWritten() throws {
    for (name, inside, fields) in Self.forms {
      let bytes = inside.hasPrefix("<") ? Self.packet(inside) : Self.packet("", inside)
      let packet = try XMPPacket(bytes)
      #expect(packet.fields == fields, "\(name)")
      let again = try XMPPacket(packet.bytes())
      #expect(again.fields == fields, "\(name), written")
      #expect(again.bytes() == packet.bytes())
    }
  }

  static let hostile: [(String, [UInt8], XMPFault)] = [
    ("nothing", [], .malformed(0)),
    ("text", Array("hello".utf8), .malformed(0)),
    ("not UTF-8", [0x3c, 0xff, 0x3e], .notUTF8),
    ("too large", [UInt8](repeating: 0x20, count: (1 << 20) + 1), .tooLarge((1 << 20) + 1)),
    (
      "an entity bomb",
      Array(
        "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><x:xmpmeta xmlns:x='adobe:ns:meta/'>&b;</x:xmpmeta>".utf8
      ),
      .documentType
    ),
    ("an unknown entity", packet("<my:word>&bomb;</my:word>"), .entity("bomb")),
    ("an external entity", packet("<my:word>&file;</my:word>"), .entity("file")),
    ("no description", Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8), .noDescription),
    (
      "deep elements", packet(String(repeating: "<my:a>", count: 100) + String(repeating: "</my:a>", count: 100)),
      .tooDeep
    ),
    ("many elements", packet(String(repeating: "<my:a/>", count: 60_000)), .tooMany),
    (
      "many attributes", packet("<my:a " + (0..<2_000).map { "my:a\($0)=''" }.joined(separator: " ") + "/>"), .tooMany
    ),
    (
      "many namespaces", packet("<my:a " + (0..<300).map { "xmlns:n\($0)='u\($0)'" }.joined(separator: " ") + "/>"),
      .tooMany
    ),
  ]

  @Test func hostilePacketsAreRefused() {
    for (name, bytes, fault) in Self.hostile {
      #expect(throws: fault, "\(name)") { _ = try XMPPacket(bytes) }
      #expect(!fault.description.isEmpty)
    }
  }

  @Test func truncatedAndChangedPacketsNeverCrash() {
    let bytes = Self.packet(Self.forms.filter { $0.1.hasPrefix("<") }.map(\.1).joined())
    for end in 0..<bytes.count { _ = (try? XMPPacket(Array(bytes[..<end])))?.fields }
    var random = SplitMix(20)
    for _ in 0..<2_000 {
      var broken = bytes
      for _ in 0..<3 {
        broken[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next() % 128)
      }
      guard let packet = try? XMPPacket(broken) else { continue }
      _ = packet.fields
      // Whatever is read is written so that it is read again.
      #expect((try? XMPPacket(packet.bytes()))?.properties.count == packet.properties.count)
    }
  }

  @Test func largePacketsAreSplitAndJoined() throws {
    #expect(MD5.text(Array("message digest".utf8)) == "F96B697D7CB7938D525A2F31AAF161D0")
    let large = String(repeating: "x", count: 100_000)
    let bytes = try XMPPacket(Self.packet("<my:large>\(large)</my:large><my:word>w</my:word>")).bytes()
    let split = try #require(ExtendedXMP(splitting: bytes))
    #expect(split.main.count <= ExtendedXMP.mainLimit && split.rest.count > 100_000)
    #expect(ExtendedXMP.wantedName(split.main) == split.name && split.name.utf8.count == 32)
    #expect(try XMPPacket(split.main).fields["my:word"] == .text("w"))
    #expect(try XMPPacket(ExtendedXMP.joined(split.main, split.rest)).fields == XMPPacket(bytes).fields)
    #expect(throws: XMPFault.documentType) { _ = try ExtendedXMP.joined(split.main, Array("<!DOCTYPE x>".utf8)) }
    let many = (0..<3_000).map { "<my:a\($0)>\(String(repeating: "y", count: 50))</my:a\($0)>" }.joined()
    let small = try #require(ExtendedXMP(splitting: try XMPPacket(Self.packet(many)).bytes()))
    #expect(try XMPPacket(ExtendedXMP.joined(small.main, small.rest)).properties.count == 3_000)
    let short = try #require(ExtendedXMP(splitting: Self.packet("<my:word>w</my:word>")))
    #expect(short.rest.isEmpty)
  }
}
