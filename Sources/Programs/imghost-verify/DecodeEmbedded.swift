import ImageCodecs
import ImageCore

/// Decodes an embedded JPEG with imghost's own decoder, which is independent of poppler's.
///
/// A damaged stream is an error here even where poppler shows something.
@Sendable
func decodeEmbeddedJPEG(_ bytes: [UInt8]) throws(PictureError) -> any RowSource {
  try decodeEmbedded(bytes, DecodeOptions())
}

/// The same with CMYK as amounts of ink.
@Sendable
func decodeEmbeddedInk(_ bytes: [UInt8]) throws(PictureError) -> any RowSource {
  try decodeEmbedded(bytes, DecodeOptions(takesAsInk: true))
}

private func decodeEmbedded(_ bytes: [UInt8], _ options: DecodeOptions) throws(PictureError) -> any RowSource {
  let details = try JPEGCodec().readHeader(bytes).details
  guard details["arithmetic"] == nil, details["bits"] == .integer(8) else {
    throw .codec(.unsupported("arithmetic coding or 12 bits, which readers show blank,"))
  }
  return try JPEGCodec().makeDecoder(bytes, options: options)
}
