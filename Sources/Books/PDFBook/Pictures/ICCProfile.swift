/// Checks the header of an ICC profile (ICC.1:2010, 7.2).
enum ICCProfile {
  /// Returns whether a profile is for pictures of this colour space.
  static func fits(_ profile: [UInt8], _ space: PDFPicture.ColourSpace) -> Bool {
    guard profile.count > 128, profile[36..<40].elementsEqual("acsp".utf8) else { return false }
    let signature =
      switch space {
      case .gray: "GRAY"
      case .rgb, .indexed: "RGB "
      case .cmyk: "CMYK"
      }
    return profile[16..<20].elementsEqual(signature.utf8)
  }
}
