import ImageCore

extension PDFPicture {
  /// Returns the picture with the colour space that a standard requires, or unchanged if its own is allowed.
  func prepared(for conformance: Conformance?, intent: OutputIntent?) -> PDFPicture {
    switch conformance {
    // ISO 15930-4:2003: colours must not depend on profiles.
    case .pdfX1a: return with(iccProfile: [])
    // ISO 15930-7:2010: device colours are those of the output intent; so are colours with the output intent's own
    // profile.
    case .pdfX4:
      let own = iccProfile.isEmpty ? usualProfile(intent) : iccProfile
      return with(iccProfile: own == intent?.profile ? [] : own)
    default: return self
    }
  }

  /// Returns the profile for colours without one of their own; empty for gray, and for CMYK if the printer's profile is
  /// CMYK.
  private func usualProfile(_ intent: OutputIntent?) -> [UInt8] {
    switch format.colourSpace {
    case .rgb, .indexed: SRGBProfile.bytes
    case .cmyk: intent?.componentCount == 4 ? [] : StandardProfile.cmyk.bytes
    case .gray: []
    }
  }

  private func with(iccProfile profile: [UInt8]) -> PDFPicture {
    guard profile != iccProfile else { return self }
    var picture = PDFPicture(data: data, compression: compression, format: format, mask: mask, iccProfile: profile)
    picture.body = body
    return picture
  }
}
