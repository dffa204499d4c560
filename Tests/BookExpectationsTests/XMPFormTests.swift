import BookExpectations
import BookExpectations
import Testing

/// The meaning of XMP metadata, independent of the form of its XML.
@Suite struct XMPFormTests {
  private static let spaces = "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\""

  private static func packet(_ description: String) -> [UInt8] {
    Array(
      ("<?xpacket begin=\"\u{feff}\" id=\"W5\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
        + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n\(description)\n"
        + "</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>").utf8)
  }

  private static let title =
    "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">Sea &amp; sky</rdf:li></rdf:Alt></dc:title>"
  private static let plain = packet(
    "<rdf:Description rdf:about=\"\" \(spaces)>\n\(title)\n<pdf:Keywords>a</pdf:Keywords>\n"
      + "<pdf:Producer>x</pdf:Producer></rdf:Description>")

  /// Packets with different bytes and the same meaning.
  @Test(arguments: [
    // Attributes in another order, white space, another way to write a sign.
    "<rdf:Description \(spaces) rdf:about=''>\(title.replacing("&amp;", with: "&#x26;"))\n\n"
      + "<pdf:Keywords >a</pdf:Keywords ></rdf:Description>",
    // Without the empty name, with a comment, properties in another order.
    "<rdf:Description \(spaces)><!-- - --><pdf:Keywords>a</pdf:Keywords>\(title)</rdf:Description>",
    // A property as an attribute, and another program's name.
    "<rdf:Description pdf:Keywords=\"a\" pdf:Producer=\"y\" \(spaces)>\(title)</rdf:Description>",
    // Another prefix, and data as they are.
    "<rdf:Description \(spaces.replacing(":pdf", with: ":q"))>"
      + "\(title.replacing("Sea &amp; sky", with: "<![CDATA[Sea & sky]]>"))"
      + "<q:Keywords>a</q:Keywords></rdf:Description>",
  ])
  func formDoesNotCount(description: String) throws {
    let form = try #require(XMPForm(Self.packet(description)))
    #expect(form.digest == XMPForm(Self.plain)?.digest)
    #expect(form.properties["http://purl.org/dc/elements/1.1/title"] == "Sea & sky")
    #expect(form.properties["http://ns.adobe.com/pdf/1.3/Keywords"] == "a")
  }

  /// Packets with another meaning, which must have another digest.
  @Test(arguments: [
    ("sky", "Sky"), ("x-default", "de"), ("Keywords>", "Keyword>"), (">a<", "> a<"),
    ("elements/1.1", "elements/1.2"), ("rdf:about=\"\"", "rdf:about=\"b\""), ("rdf:Alt", "rdf:Bag"),
    ("<pdf:Keywords>a</pdf:Keywords>", ""), (">a<", "><pdf:b/>a<"), ("&amp;", "&lt;"),
  ])
  func wordsCount(old: String, new: String) throws {
    let text = String(decoding: Self.plain, as: UTF8.self)
    let form = try #require(XMPForm(Array(text.replacing(old, with: new).utf8)))
    #expect(form.digest != XMPForm(Self.plain)?.digest)
  }

  @Test(arguments: [
    "", "<", "<a", "<a>", "<a></b>", "<a b=c/>", "<a>&b;</a>", "<a>&#1;</a>", "<a b='",
    "<!DOCTYPE a>",
    "<p:a/>", "<a/>", "<a b='' b=''/>",
  ])
  func whatIsNoneHasNoForm(text: String) { #expect(XMPForm(Array(text.utf8)) == nil) }

  @Test func depthIsBounded() {
    let text = String(repeating: "<a>", count: 100_000)
    #expect(XMPForm(Array(text.utf8)) == nil)
  }
}
