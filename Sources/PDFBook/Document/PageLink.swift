import ImageCore

/// An area of a page that opens an address (PDF 32000-1:2008, 12.5.6.5).
public struct PageLink: Sendable, Hashable {
  /// Points.
  public var area: PageRectangle
  /// As written; what an address cannot hold is percent-encoded (RFC 3986, 2.1).
  public var address: String
  /// The place among the page's of the picture that opens it; nil for none.
  public var placement: Int?

  public init(_ address: String, over area: PageRectangle) {
    self.area = area
    self.address = address
  }

  /// The annotation, shown and printed without a border.
  ///
  /// - Parameter entries: further ones.
  func dictionary(unit: Double, entries: String = "") -> String {
    let box = [area.left, area.bottom, area.left + area.width, area.bottom + area.height]
    return "<</Type/Annot/Subtype/Link/F 4/Border[0 0 0]"
      + "/Rect[\(PDFNumber.text(box.map { $0 / unit }))]"
      + "/A<</S/URI/URI\(PDFString.literal(Self.encoded(address)))>>\(entries)>>"
  }

  private static func encoded(_ address: String) -> [UInt8] {
    address.utf8.flatMap { byte -> [UInt8] in
      let isPlain = (0x21...0x7e).contains(byte) && !"<>\"{}|\\^`".utf8.contains(byte)
      guard !isPlain else { return [byte] }
      return Array("%".utf8) + Array(Hexadecimal.text([byte]).uppercased().utf8)
    }
  }
}
