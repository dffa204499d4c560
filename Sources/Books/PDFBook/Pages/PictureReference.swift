import ImageCore

/// A picture that is stored in the book, returned by `PDFWriter.add(_:)`.
package struct PictureReference: Sendable, Hashable {
  /// The number of its object in the file.
  let object: Int
  /// The width and height in stored pixels.
  package let width: Int
  package let height: Int
  /// The digest of the stored stream.
  package let digest: SHA256Digest
  /// The digest of everything that is stored, which `imghost-verify` looks for: of the stream or, with a soft mask or
  /// profile, of all three.
  let combinedDigest: SHA256Digest
  /// The version of PDF that the picture needs.
  let version: PDFVersion
}
