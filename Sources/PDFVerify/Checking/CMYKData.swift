/// A CMYK JPEG as decoders take it that invert what has an Adobe segment, which is not PDF's rule: there the Decode
/// array alone says so (PDF 32000-1:2008, 7.4.8 and 8.9.5.2).
enum CMYKData {
  /// Of APP14, without a transform: Adobe Technical Note 5116, section 18.
  private static let segment: [UInt8] =
    [0xff, 0xee, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]

  /// The data with such a segment where it is shown inverted, and without one where it is not.
  static func bytes(_ data: UnsafeRawBufferPointer, _ facts: PictureFacts, _ number: Int)
    throws(Fault) -> [UInt8]
  {
    let markers = JPEGMarkers(data)
    var bytes = Array(data)
    switch (facts.isInverted, markers.adobeSegment) {
    case (true, nil): bytes.insert(contentsOf: segment, at: min(2, bytes.count))
    case (false, let place?):
      // Without its segment it would be taken for CMYK.
      guard markers.adobeTransform == 0 else {
        throw .foreign(number, "its colours are YCCK that no Decode array inverts")
      }
      bytes.removeSubrange(place)
    default: break
    }
    return bytes
  }
}
