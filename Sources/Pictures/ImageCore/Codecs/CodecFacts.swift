/// The predicted processor time per pixel of a format, in nanoseconds. It is used to divide work among shards, so rough
/// numbers are enough.
public struct CodingCost: Sendable, Hashable {
  /// The time per pixel of the file, even for pixels that the decoder skips.
  public let stored: Int
  /// The additional time per pixel that the decoder produces.
  public let decoded: Int
  /// The time per encoded pixel.
  public let encoded: Int

  public init(stored: Int = 10, decoded: Int = 0, encoded: Int = 30) {
    (self.stored, self.decoded, self.encoded) = (stored, decoded, encoded)
  }
}

/// A form of a page's pixels that another picture file or a document can contain byte for byte.
public enum StoredForm: UInt8, Sendable, Hashable {
  /// A JPEG of the same pixels, without the file's metadata.
  case jpeg
  /// The JPEG from which the whole file was made.
  case original
  /// Rows of CCITT Group 4 (ITU-T T.6).
  case fax
}

/// The stored form of a page.
public struct StoredPage: Sendable {
  public let form: StoredForm
  public let bytes: EncodedBytes
  /// The number of pixels in a fax row, and the number of rows; 0 for a JPEG, whose header contains them.
  public let width: Int
  public let height: Int
  /// Whether black and white are exchanged relative to T.6.
  public let isInverted: Bool

  public init(_ form: StoredForm, _ bytes: EncodedBytes, width: Int = 0, height: Int = 0, isInverted: Bool = false) {
    self.form = form
    self.bytes = bytes
    self.width = width
    self.height = height
    self.isInverted = isInverted
  }
}

/// The parts of a file that contain metadata instead of stored pixels, see `PictureCodec.metadataPlaces`.
public struct MetadataPlaces: Sendable {
  /// The byte ranges, in ascending order.
  public let places: [Range<Int>]
  /// A digest of those facts in `places` that affect the pixels; nil for formats without such facts. It stays the same
  /// if a fact moves within the file.
  public let fields: SHA256Digest?

  public init(_ places: [Range<Int>], fields: SHA256Digest? = nil) { (self.places, self.fields) = (places, fields) }
}

/// An option whose numbers have another meaning than in the previous version of imghost. A run prints a note about each
/// script that uses it.
public struct ChangedOption: Sendable {
  public let name: String
  /// A clause about the new meaning.
  public let meaning: String
  /// The option that has the meaning of the previous version.
  public let successor: String

  public init(_ name: String, _ meaning: String, successor: String) {
    self.name = name
    self.meaning = meaning
    self.successor = successor
  }
}
