import ImageCore

/// The decoders of embedded JPEGs.
///
/// CMYK is taken as PDF has it, where the Decode array alone says whether it is inverted (PDF 32000-1:2008, 7.4.8 and
/// 8.9.5.2), and not as decoders of files do, which invert what has an Adobe segment.
struct EmbeddedDecoders: Sendable {
  let usual: JPEGDecoding
  /// Takes CMYK for amounts of ink; nil where the caller has none.
  let ink: JPEGDecoding?

  /// APP14 without a transform: Adobe Technical Note 5116, section 18.
  private static let segment: [UInt8] = [0xff, 0xee, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]

  /// Returns a closure that starts decoding, each time it is called.
  func rows(of data: UnsafeRawBufferPointer, _ facts: PictureFacts)
    throws(PictureFault) -> () throws(PictureError) -> any RowSource
  {
    var (bytes, decode) = (Array(data), usual)
    if facts.colourSpace == .cmyk {
      let markers = JPEGMarkers(data)
      switch (facts.isInverted, markers.adobeSegment) {
      case (true, nil): bytes.insert(contentsOf: Self.segment, at: min(2, bytes.count))
      case (false, let place?) where markers.adobeTransform == 0: bytes.removeSubrange(place)
      case (false, _?):
        // Without its segment, YCCK would be taken for CMYK.
        guard let ink else { throw .foreign("its colours are YCCK that no Decode array inverts") }
        decode = ink
      default: break
      }
    }
    return { [bytes, decode] () throws(PictureError) in try decode(bytes) }
  }
}
