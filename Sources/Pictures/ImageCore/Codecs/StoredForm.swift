/// The form in which a file holds the pixels of a page, if another picture file or a document can contain the same
/// bytes.
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
