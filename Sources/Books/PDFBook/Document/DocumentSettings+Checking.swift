import ImageCore

/// What a document's promises forbid, told from options and headers alone.
extension DocumentSettings {
  /// Whether it promises anything that a picture or a page could break.
  public var promises: Bool { conformance != nil || version != nil }

  /// Why a picture cannot be in such a document; nil where it can. Its bytes and its opacity need not be known.
  public func problem(with picture: PDFPicture) -> String? {
    if let conformance, let reason = conformance.problem(with: picture) {
      return "cannot be in a \(conformance.name) file: \(reason)"
    }
    guard let version, version < picture.version else { return nil }
    return "needs PDF \(picture.version.text), and 'pdf_version' is \(version.text); leave it out"
  }

  /// Refuses a page that cannot be in such a document, whose pictures can.
  ///
  /// - Parameter number: its own, from 1.
  public func check(_ page: PDFPage, number: Int) throws(PDFError) {
    if let conformance, let reason = conformance.problem(with: page) {
      throw .conformance(conformance.name, page: number, reason: reason)
    }
    if let version, version < page.version {
      throw .version(wanted: version.text, needed: page.version.text)
    }
  }
}

extension PDFPicture {
  /// What is known of a picture before it is there, for `DocumentSettings.problem(with:)`.
  public init(
    outline compression: Compression, colourSpace: ColourSpace, bits: Int, iccProfile: [UInt8]
  ) {
    self.init(
      data: .bytes([]), compression: compression, width: 1, height: 1, colourSpace: colourSpace,
      bits: bits, iccProfile: iccProfile)
  }
}

extension LaidPicture {
  /// In the place of a picture that is not there yet, for pages that are tried and not written.
  public static func standIn(isCut: Bool = false, caption: String = "") -> LaidPicture {
    let digest = SHA256.digest(of: [UInt8]())
    return LaidPicture(
      PictureReference(
        object: 0, width: 1, height: 1, digest: digest, seal: digest, version: .v14),
      isCut: isCut, caption: caption)
  }
}
