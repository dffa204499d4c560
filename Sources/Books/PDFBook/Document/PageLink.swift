import BookExpectations
import ImageCore

/// An area of a page that opens an address (PDF 32000-1:2008, 12.5.6.5).
package struct PageLink: Sendable, Hashable {
  /// The area in points.
  package var area: PageRectangle
  /// The address as given. Characters that a URI may not contain are percent-encoded when the address is written (RFC
  /// 3986, 2.1).
  package var address: String
  /// The index of the linked picture among the page's placements; nil if the link does not belong to a picture.
  package var placement: Int?

  package init(_ address: String, over area: PageRectangle) {
    self.area = area
    self.address = address
  }

  /// Returns the annotation's dictionary. The annotation is printed, and has no border.
  ///
  /// - Parameter entries: further entries in PDF's syntax.
  func dictionary(unit: Double, entries: String = "") -> String {
    let box = [area.left, area.bottom, area.left + area.width, area.bottom + area.height]
    return "<</Type/Annot/Subtype/Link/F 4/Border[0 0 0]"
      + "/Rect[\(PDFNumber.text(box.map { $0 / unit }))]"
      + "/A<</S/URI/URI\(PDFString.literal(Self.encoded(address)))>>\(entries)>>"
  }

  /// The link that `imghost-verify` checks.
  var expectation: LinkExpectation {
    LinkExpectation(
      String(decoding: Self.encoded(address), as: UTF8.self), left: area.left, bottom: area.bottom, width: area.width,
      height: area.height)
  }

  /// Percent-encodes an address. A percent sign followed by two hexadecimal digits is left unchanged.
  static func encoded(_ address: String) -> [UInt8] {
    let bytes = Array(address.utf8)
    func isDigit(_ place: Int) -> Bool {
      place < bytes.count && Character(UnicodeScalar(bytes[place])).isHexDigit
    }
    return bytes.indices.flatMap { place -> [UInt8] in
      let byte = bytes[place]
      let isPlain = (0x21...0x7e).contains(byte) && !"<>\"{}|\\^`".utf8.contains(byte)
      let isLonePercent = byte == UInt8(ascii: "%") && !(isDigit(place + 1) && isDigit(place + 2))
      guard !isPlain || isLonePercent else { return [byte] }
      return Array("%".utf8) + Array(Hexadecimal.text([byte]).uppercased().utf8)
    }
  }
}
