/// The data that accompanies a picture's pixels.
public struct PictureMetadata: Sendable, Hashable {
  /// The EXIF orientation, 1 to 8; 1 means that the pixels are upright.
  public var orientation: Orientation
  /// The ICC profile; empty for none. Its colour space has as many components as the picture has colour bands; profiles
  /// for other colour spaces are left out.
  public var iccProfile: [UInt8]
  /// EXIF fields by their standard names, such as `DateTimeOriginal`, `Model` or `FNumber`.
  public var exif: [String: MetadataValue]
  /// The EXIF block, starting with the TIFF header, for writing it to another file; empty for none.
  public var exifBlock: [UInt8]
  /// The XMP packet, an unchecked RDF/XML document; empty for none.
  public var xmp: [UInt8]
  /// Unchecked IPTC-IIM datasets, which begin with the byte 0x1c; empty for none.
  public var iptc: [UInt8]
  /// The metadata that cannot be copied to a file with other pixels: parts that depend on the pixels, and parts that
  /// cannot be read.
  public var losses: [MetadataLoss]
  /// The horizontal and vertical resolution in pixels per inch, if the file states it.
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

  /// A copy with only the orientation and the resolution.
  public var brief: PictureMetadata { PictureMetadata(orientation: orientation, resolution: resolution) }
}

/// A resolution in pixels per inch, above 0 and below 1e9.
public struct Resolution: Sendable, Hashable {
  public let horizontal: Double
  public let vertical: Double

  /// Makes a resolution; nil for invalid numbers, which a file may state.
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

/// Metadata of a source file that is not copied to the file written from it.
public enum MetadataLoss: Sendable, Hashable {
  public enum Block: String, Sendable {
    case exif = "EXIF"
    case xmp = "XMP"
    case extendedXMP = "extended XMP"
    case iptc = "IPTC"
    case icc = "ICC profile"
  }

  /// A block whose bytes cannot be used. The reason is a clause that a note puts in parentheses.
  case unreadable(Block, reason: String)
  /// A block larger than the format allows.
  case tooLarge(Block, byteCount: Int, format: String)
  /// Content credentials, which would report the changed pixels as tampering.
  case credentials
  case motionPhoto
  case gainMap
  case depthMap
}

extension MetadataLoss {
  /// Whether the loss changes the picture's colours, because its ICC profile cannot be used.
  public var changesColours: Bool { if case .unreadable(.icc, _) = self { true } else { false } }
}

extension MetadataLoss: CustomStringConvertible {
  /// The loss as a clause for a note.
  public var description: String {
    switch self {
    case .unreadable(let block, let reason): "\(block.rawValue) is not copied (\(reason))"
    case .tooLarge(let block, let count, let format):
      "\(block.rawValue) is not copied (\(count) bytes, more than a \(format) file holds)"
    case .credentials: "content credentials (C2PA) are not copied, because the pixels change"
    case .motionPhoto: "the video of a motion photo is not copied"
    case .gainMap: "the HDR gain map is not copied"
    case .depthMap: "the depth map is not copied"
    }
  }
}

/// The gain map of an Ultra HDR picture: a small picture that specifies how much brighter each place can be shown.
public struct GainMap: Sendable {
  /// The map as a JPEG file.
  public var jpeg: [UInt8]
  /// The map's description as XMP, and in the binary form of ISO 21496-1; each is empty if the file has none.
  public let xmp: [UInt8]
  public let iso: [UInt8]

  public init(jpeg: [UInt8], xmp: [UInt8], iso: [UInt8]) {
    self.jpeg = jpeg
    self.xmp = xmp
    self.iso = iso
  }
}
