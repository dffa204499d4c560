import ImageCodecs
import ImageCore

/// Decodes an embedded JPEG with imghost's own decoder, which is independent of poppler's.
///
/// A damaged stream is an error here even where poppler shows something.
@Sendable
func decodeEmbeddedJPEG(_ bytes: [UInt8]) throws(PictureError) -> any RowSource {
  let details = try JPEGCodec().readHeader(bytes).details
  guard details["arithmetic"] == nil, details["bits"] == .integer(8) else {
    throw .codec(.unsupported("arithmetic coding or 12 bits, which readers show blank,"))
  }
  return try JPEGCodec().makeDecoder(bytes)
}
