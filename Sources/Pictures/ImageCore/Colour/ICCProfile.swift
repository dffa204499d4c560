/// Checks whether an ICC profile fits a picture.
package enum ICCProfile {
  /// Returns the profile if it fits a picture with this format; else an empty array.
  package static func matching(_ profile: [UInt8], _ format: PixelFormat) -> [UInt8] {
    matches(profile, format.model) ? profile : []
  }

  /// Returns the profile of a picture without an embedded profile, derived from other data in its file; empty without
  /// such data, for sRGB and for CMYK.
  package static func calibrated(_ colour: CalibratedColour?, _ format: PixelFormat) -> [UInt8] {
    guard let colour, format.model != .cmyk else { return [] }
    return colour.profile(isGray: format.model == .gray)
  }

  /// Returns whether the profile is complete, and is for the colour model.
  ///
  /// ICC.1:2010, 7.2: size at byte 0, colour space at 16, `acsp` at 36, 128 bytes of header. A profile that does not
  /// match, such as a CMYK profile in an RGB picture, would distort the colours.
  package static func matches(_ profile: [UInt8], _ model: ColourModel) -> Bool {
    isComplete(profile) && Array(profile[16..<20]) == Array(model.signature.utf8)
  }

  private static func isComplete(_ profile: [UInt8]) -> Bool {
    guard profile.count > 128, Array(profile[36..<40]) == Array("acsp".utf8) else { return false }
    return profile[0..<4].reduce(0) { $0 << 8 | Int($1) } <= profile.count
  }

  /// Returns the loss to report if a file's profile does not fit its picture; empty if it fits.
  package static func losses(of profile: [UInt8], _ format: PixelFormat) -> [MetadataLoss] {
    if matches(profile, format.model) { return [] }
    let reason =
      switch isComplete(profile) ? String(decoding: profile[16..<20], as: UTF8.self) : nil {
      case nil: "it is damaged"
      case "GRAY": "it is for gray pictures"
      case "RGB ": "it is for RGB pictures"
      case "CMYK": "it is for CMYK pictures"
      default: "it is for pictures of another kind"
      }
    return [.unreadable(.icc, reason: reason)]
  }
}
