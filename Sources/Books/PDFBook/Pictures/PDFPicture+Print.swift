import ImageCore

extension PDFPicture {
  /// Returns the picture with the colour space that a standard wants; itself where that is its own.
  func prepared(for conformance: Conformance?, intent: OutputIntent?) -> PDFPicture {
    switch conformance {
    // ISO 15930-4:2003: no colours that depend on profiles.
    case .pdfX1a: return with(iccProfile: [])
    // ISO 15930-7:2010: device colours are those of the output intent, and so are those of its own profile.
    case .pdfX4:
      let own = iccProfile.isEmpty ? usualProfile(intent) : iccProfile
      return with(iccProfile: own == intent?.profile ? [] : own)
    default: return self
    }
  }

  /// The profile of colours that have none of their own; empty for grays, and for ink on a printer that has it.
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
