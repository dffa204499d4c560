/// The parts of a file on which no pixel depends, see `PictureCodec.metadataPlaces`.
public struct MetadataPlaces: Sendable {
  /// The byte ranges, in ascending order.
  public let places: [Range<Int>]
  /// A digest of the facts at these places that pixels depend on, in formats that store such facts among the metadata.
  /// It does not depend on where in the file they are stored. Nil for other formats.
  public let fields: SHA256Digest?

  public init(_ places: [Range<Int>], fields: SHA256Digest? = nil) { (self.places, self.fields) = (places, fields) }
}
