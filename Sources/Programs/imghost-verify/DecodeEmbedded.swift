import ImageCodecs
import ImageCore

/// Decodes an embedded JPEG with imghost's own decoder, which is independent of poppler's.
///
/// A damaged stream is an error here, even if poppler shows part of it.
@Sendable
func decodeEmbeddedJPEG(_ bytes: [UInt8]) throws(PictureError) -> any RowSource {
  let details = try JPEGCodec().readHeader(bytes).details
  guard details["arithmetic"] == nil else {
    throw .codec(.unsupported("arithmetic coding, which readers show blank,"))
  }
  return try JPEGCodec().makeDecoder(bytes)
}
