/// The parts of a file on which no pixel depends, see `PictureCodec.metadataPlaces`.
public struct MetadataPlaces: Sendable {
  /// The places, in their order.
  public let places: [Range<Int>]
  /// A digest of what pixels depend on at these places, for a format that keeps it among metadata: it is the same
  /// wherever the file has it.
  public let fields: SHA256Digest?

  public init(_ places: [Range<Int>], fields: SHA256Digest? = nil) { (self.places, self.fields) = (places, fields) }
}
