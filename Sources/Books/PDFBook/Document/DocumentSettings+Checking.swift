import ImageCore

/// Checks against the promised standard and version that need only options and picture headers.
extension DocumentSettings {
  /// Whether the document promises a standard or version that a picture or page could break.
  package var promises: Bool { conformance != nil || version != nil }

  /// Returns why a picture cannot be in such a document; nil if it can. Its bytes and opacity may be unknown.
  package func problem(with picture: PDFPicture) -> String? {
    if let conformance, let reason = conformance.problem(with: picture) {
      return "cannot be in a \(conformance.name) file: \(reason)"
    }
    guard let version, version < picture.version else { return nil }
    return "needs PDF \(picture.version.text), and 'pdf_version' is \(version.text); leave it out"
  }

  /// Throws if a page cannot be in such a document. Its pictures have been checked.
  ///
  /// - Parameter number: the page's number, from 1.
  package func check(_ page: PDFPage, number: Int) throws(PDFError) {
    if let conformance, let reason = conformance.problem(with: page) {
      throw .conformance(conformance.name, page: number, reason: reason)
    }
    if let version, version < page.version { throw .version(wanted: version.text, needed: page.version.text) }
  }
}

extension PDFPicture {
  /// Creates a picture without bytes, for `DocumentSettings.problem(with:)`.
  package init(withoutData compression: Compression, colourSpace: ColourSpace, bits: Int, iccProfile: [UInt8]) {
    self.init(
      data: .bytes([]), compression: compression,
      format: Format(width: 1, height: 1, colourSpace: colourSpace, bits: bits),
      iccProfile: iccProfile)
  }
}
