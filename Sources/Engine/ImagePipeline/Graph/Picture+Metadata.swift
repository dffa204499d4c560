import ImageCore
import ImageMetadata

extension Picture {
  /// The properties of XMP by their prefixed names; empty without a packet that can be read.
  package var xmpFields: [String: MetadataValue] { (try? XMPPacket(metadata().xmp))?.fields ?? [:] }

  /// The fields of IPTC by ExifTool's names; empty without a block that can be read.
  package var iptcFields: [String: MetadataValue] { IPTCRecord(metadata().iptc)?.fields ?? [:] }
}
