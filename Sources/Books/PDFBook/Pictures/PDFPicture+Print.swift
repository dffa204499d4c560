import ImageCore

extension PDFPicture {
  /// Returns the picture with the colour space that a standard wants; itself where that is its own.
  ///
  /// - Parameter intent: the profile of the output intent.
  func prepared(for conformance: Conformance?, intent: [UInt8]) -> PDFPicture {
    switch (conformance, format.colourSpace) {
    // ISO 15930-4:2003: no colours that depend on profiles.
    case (.pdfX1a, _): with(iccProfile: [])
    // ISO 15930-7:2010: device colours are those of the output intent, and so is its own profile's CMYK.
    case (.pdfX4, .cmyk) where iccProfile == intent: with(iccProfile: [])
    case (.pdfX4, .rgb), (.pdfX4, .indexed):
      iccProfile.isEmpty ? with(iccProfile: SRGBProfile.bytes) : self
    default: self
    }
  }

  private func with(iccProfile profile: [UInt8]) -> PDFPicture {
    guard profile != iccProfile else { return self }
    var picture = PDFPicture(data: data, compression: compression, format: format, mask: mask, iccProfile: profile)
    picture.body = body
    return picture
  }
}
