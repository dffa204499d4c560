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
  /// The data beside the pixels that a change of the pixels makes worthless.
  public var attachments: Attachments
  /// Pixels per inch across and down where the file states it.
  public var resolution: Resolution?

  public init(
    orientation: Orientation = .upright, iccProfile: [UInt8] = [], exif: [String: MetadataValue] = [:],
    exifBlock: [UInt8] = [], xmp: [UInt8] = [], iptc: [UInt8] = [], attachments: Attachments = [],
    resolution: Resolution? = nil
  ) {
    self.orientation = orientation
    self.iccProfile = iccProfile
    self.exif = exif
    self.exifBlock = exifBlock
    self.xmp = xmp
    self.iptc = iptc
    self.attachments = attachments
    self.resolution = resolution
  }

  /// The orientation and the resolution alone.
  public var brief: PictureMetadata { PictureMetadata(orientation: orientation, resolution: resolution) }
}

/// Data in a file beside its pixels and its metadata.
public struct Attachments: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A manifest of content credentials (C2PA).
  public static let credentials = Attachments(rawValue: 1)
  /// A gain map that the file states outside of XMP (ISO 21496-1).
  public static let gainMap = Attachments(rawValue: 2)
}

extension Attachments {
  /// The losses where other pixels are written.
  public var losses: [MetadataLoss] {
    (contains(.credentials) ? [.credentials] : []) + (contains(.gainMap) ? [.gainMap] : [])
  }
}

/// Pixels per inch.
public struct Resolution: Sendable, Hashable {
  public let horizontal: Double
  public let vertical: Double

  public init(horizontal: Double, vertical: Double) {
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
