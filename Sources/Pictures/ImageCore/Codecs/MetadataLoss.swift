/// Metadata of a picture file that does not get into the file written from it.
public enum MetadataLoss: Sendable, Hashable {
  public enum Block: String, Sendable {
    case exif = "EXIF"
    case xmp = "XMP"
    case extendedXMP = "extended XMP"
    case iptc = "IPTC"
    case icc = "ICC profile"
  }

  /// A block whose bytes cannot be used; the reason is a clause.
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
  /// Whether the picture's colours differ from those that its file specifies.
  public var changesColours: Bool { if case .unreadable(.icc, _) = self { true } else { false } }
}

extension MetadataLoss: CustomStringConvertible {
  /// The subject of a note: `… is left out of …`.
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
