import ImageCore

/// Metadata of formats that other modules read and write, in the form of `PictureMetadata`.
package enum EXIFMetadata {
  /// Reads an EXIF block that begins with its TIFF header. Empty metadata if it is none.
  package static func read(_ block: [UInt8]) -> PictureMetadata {
    guard let exif = EXIFBlock(block) else { return PictureMetadata() }
    return PictureMetadata(
      orientation: exif.orientation, exif: exif.fields, exifBlock: block, resolution: exif.resolution)
  }

  /// Returns the profile if its components are the picture's; else nothing.
  package static func profile(_ profile: [UInt8], for format: PixelFormat) -> [UInt8] {
    ICCProfile.matches(profile, format.model) ? profile : []
  }

  /// Returns the EXIF block to write with a picture; empty for none.
  package static func block(for metadata: PictureMetadata, _ layout: PictureLayout) -> [UInt8] {
    EXIFBlock.forWriting(metadata, layout)
  }
}
