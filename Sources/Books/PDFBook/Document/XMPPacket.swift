import ImageCore

/// The XMP packet (ISO 16684-1) for the catalogue's Metadata stream (PDF 32000-1:2008, 14.3.2), with the same facts as
/// the Info dictionary.
enum XMPPacket {
  /// The namespace of custom entries, as in Acrobat.
  private static let extensionSpace = "http://ns.adobe.com/pdfx/1.3/"

  /// - Parameter conformance: the declared standard; nil for none. PDF/A is declared by `pdfaid` (ISO 19005-1:2005,
  ///   6.7.11), PDF/X by `print`.
  static func text(_ info: DocumentInfo, conformance: Conformance? = nil, print: PrintStatement? = nil) -> String {
    var parts: [String] = []
    let part = conformance?.archivalPart
    if let part {
      parts.append("<pdfaid:part>\(part)</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>")
    }
    parts += print?.properties ?? []
    func alternative(_ name: String, _ text: String) {
      guard !text.isEmpty else { return }
      parts.append(
        "<\(name)><rdf:Alt><rdf:li xml:lang=\"x-default\">\(XMLText.content(text))</rdf:li></rdf:Alt></\(name)>")
    }
    alternative("dc:title", info.title)
    if !info.author.isEmpty {
      parts.append("<dc:creator><rdf:Seq><rdf:li>\(XMLText.content(info.author))</rdf:li></rdf:Seq></dc:creator>")
    }
    alternative("dc:description", info.subject)
    if !info.keywords.isEmpty { parts.append("<pdf:Keywords>\(XMLText.content(info.keywords))</pdf:Keywords>") }
    parts.append("<pdf:Producer>\(DocumentInfo.producer)</pdf:Producer>")
    if let time = info.creationTime {
      parts.append("<xmp:CreateDate>\(PDFString.isoDate(time))</xmp:CreateDate>")
    }
    for (name, text) in info.sortedEntries where !text.isEmpty {
      parts.append("<pdfx:\(name)>\(XMLText.content(text))</pdfx:\(name)>")
    }
    var spaces = [
      ("dc", "http://purl.org/dc/elements/1.1/"), ("pdf", "http://ns.adobe.com/pdf/1.3/"),
      ("xmp", "http://ns.adobe.com/xap/1.0/"),
    ]
    if part != nil { spaces.append(("pdfaid", "http://www.aiim.org/pdfa/ns/id/")) }
    if print != nil { spaces += PrintStatement.spaces }
    if !info.entries.isEmpty || print != nil { spaces.append(("pdfx", extensionSpace)) }
    let declarations = spaces.map { " xmlns:\($0)=\"\($1)\"" }.joined()
    let schemas = part != nil && !info.entries.isEmpty ? extensionSchema(info.sortedEntries) : ""
    return """
      <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about=""\(declarations)>
      \(parts.joined(separator: "\n"))
      </rdf:Description>
      \(schemas)</rdf:RDF>
      </x:xmpmeta>
      <?xpacket end="r"?>
      """
  }

  /// Returns the extension schema that PDF/A requires for custom properties (ISO 19005-1:2005, 6.7.8).
  private static func extensionSchema(_ entries: [(String, String)]) -> String {
    let properties = entries.map { name, _ in
      "<rdf:li rdf:parseType=\"Resource\"><pdfaProperty:name>\(name)</pdfaProperty:name>"
        + "<pdfaProperty:valueType>Text</pdfaProperty:valueType>"
        + "<pdfaProperty:category>external</pdfaProperty:category>"
        + "<pdfaProperty:description>\(name)</pdfaProperty:description></rdf:li>"
    }.joined(separator: "\n")
    return """
      <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
      xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" \
      xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
      <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
      <pdfaSchema:schema>Entries of the document information</pdfaSchema:schema>
      <pdfaSchema:namespaceURI>\(extensionSpace)</pdfaSchema:namespaceURI>
      <pdfaSchema:prefix>pdfx</pdfaSchema:prefix>
      <pdfaSchema:property><rdf:Seq>
      \(properties)
      </rdf:Seq></pdfaSchema:property>
      </rdf:li></rdf:Bag></pdfaExtension:schemas>
      </rdf:Description>

      """
  }
}
