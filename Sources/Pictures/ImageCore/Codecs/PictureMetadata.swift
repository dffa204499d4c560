/// The data that accompanies a picture's pixels.
public struct PictureMetadata: Sendable, Hashable {
  /// EXIF orientation, 1 to 8; 1 means the pixels are upright.
  public var orientation: Orientation
  /// The ICC profile, empty for none. Its colour space has as many components as the picture has colour
  /// bands, or the codec does not report it.
  public var iccProfile: [UInt8]
  /// EXIF fields by their standard names (`DateTimeOriginal`, `Model`, `FNumber`).
  public var exif: [String: MetadataValue]
  /// The EXIF block itself, starting with the TIFF header, empty for none: for writing it again.
  public var exifBlock: [UInt8]
  /// The XMP packet, an RDF/XML document, empty for none. Not checked.
  public var xmp: [UInt8]
  /// IPTC-IIM datasets, which begin with the byte 0x1c, empty for none. Not checked.
  public var iptc: [UInt8]
  /// The parts that a file with other pixels lacks: those that belong to the pixels, and those that cannot be read.
  public var losses: [MetadataLoss]
  /// Pixels per inch across and down where the file states it.
  public var resolution: Resolution?

  public init(
    orientation: Orientation = .upright, iccProfile: [UInt8] = [], exif: [String: MetadataValue] = [:],
    exifBlock: [UInt8] = [], xmp: [UInt8] = [], iptc: [UInt8] = [], losses: [MetadataLoss] = [],
    resolution: Resolution? = nil
  ) {
    self.orientation = orientation
    self.iccProfile = iccProfile
    self.exif = exif
    self.exifBlock = exifBlock
    self.xmp = xmp
    self.iptc = iptc
    self.losses = losses
    self.resolution = resolution
  }

  /// The orientation and the resolution alone.
  public var brief: PictureMetadata { PictureMetadata(orientation: orientation, resolution: resolution) }
}

/// Pixels per inch, more than none and fewer than 1e9.
public struct Resolution: Sendable, Hashable {
  public let horizontal: Double
  public let vertical: Double

  /// Returns nil for numbers that are no resolution, as a file may state them.
  public init?(horizontal: Double, vertical: Double) {
    guard horizontal > 0, vertical > 0, max(horizontal, vertical) < 1e9 else { return nil }
    self.horizontal = horizontal
    self.vertical = vertical
  }
}

/// One metadata field's value.
public enum MetadataValue: Sendable, Hashable {
  case text(String)
  case integer(Int)
  case number(Double)
  case numbers([Double])
  case texts([String])
}
