import ImageCore
import ImagePipeline

/// A picture for a screen: its pixels, and the encoded file for a browser. Immutable; used from any thread.
struct ScreenImage: Sendable {
  /// The pixels before encoding, in sRGB.
  let frame: PixelBuffer
  let bytes: EncodedBytes
  /// `image/jpeg`, or `image/png` for pictures with alpha.
  let mediaType: String

  /// The memory that the image takes, in bytes.
  var byteCount: Int { PixelBuffer.byteCount(frame.layout) + bytes.count }

  /// Encodes a picture, as PNG if it has alpha, which JPEG does not support.
  init(_ frame: PixelBuffer, _ codecs: [any PictureCodec], _ context: OperationContext) throws(PictureError) {
    self.frame = frame
    let hasAlpha = frame.layout.format.hasAlpha
    bytes =
      hasAlpha
      ? try Self.encode(frame, "png", [("compression", .integer(1))], codecs, context)
      : try Self.jpeg(frame, codecs, context)
    mediaType = hasAlpha ? "image/png" : "image/jpeg"
  }

  /// Returns a JPEG of good quality. Transparent parts become white.
  static func jpeg(_ frame: PixelBuffer, _ codecs: [any PictureCodec], _ context: OperationContext)
    throws(PictureError) -> EncodedBytes
  {
    try encode(frame, "jpeg", [("quality", .integer(95)), ("subsampling", .text("4:4:4"))], codecs, context)
  }

  private static func encode(
    _ frame: PixelBuffer, _ format: String, _ options: [(name: String, value: ParameterValue)],
    _ codecs: [any PictureCodec], _ context: OperationContext
  ) throws(PictureError) -> EncodedBytes {
    guard let codec = codecs.first(where: { $0.name == format }),
      let arguments = try? Arguments(RawArguments(named: options), parameters: codec.saveParameters, positionalCount: 0)
    else { preconditionFailure("the codec '\(format)' is not part of imghost, or has other options") }
    // A screen shows no more than 8 bits per sample.
    let target = codec.encodedLayout(for: frame.layout.with(format: frame.layout.format.with(sample: .u8)))
    let sink = PooledSink(reserving: max(16 << 10, target.byteCount / 10))
    let encoder = FormatAdapter(
      try codec.makeEncoder(
        to: sink, layout: target, metadata: PictureMetadata(), arguments: arguments, context: context),
      FormatConversion(from: frame.layout.format, to: target.format), width: frame.layout.width, to: target)
    try encoder.write(frame.layout.height, from: frame.base, stride: frame.stride)
    try encoder.finish()
    return sink.bytes
  }
}
