import CJPEGFence
import ImageCore

/// Writes an 8-bit JPEG: gray, RGB as YCbCr, or CMYK as YCCK. An encoder is used by one worker at a time.
final class JPEGEncoder: PictureEncoder {
  /// The encoder of `CJPEGFence`, which is private to this object and destroyed with it.
  private let encoder: OpaquePointer
  private let sink: any ByteSink
  private let context: OperationContext

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata,
    settings: JPEGSettings, context: OperationContext
  ) throws(PictureError) {
    guard layout.width <= 65_500, layout.height <= 65_500 else {
      throw .codec(
        .cannotEncode("a JPEG has at most 65500 pixels a side, not \(layout.width)x\(layout.height); use PNG"))
    }
    guard let encoder = shim_jpeg_encoder_create() else {
      throw .codec(.cannotEncode("not enough memory to encode a JPEG"))
    }
    self.encoder = encoder
    self.sink = sink
    self.context = context
    // The callback only runs inside calls by this object.
    shim_jpeg_encoder_set_pause(
      encoder,
      { owner in
        guard let owner else { return }
        Unmanaged<JPEGEncoder>.fromOpaque(owner).takeUnretainedValue().context.allowPreemption()
      }, Unmanaged.passUnretained(self).toOpaque())
    var options = ShimJPEGEncoderOptions()
    options.width = UInt32(layout.width)
    options.height = UInt32(layout.height)
    options.components = Int32(layout.bands)
    options.quality = Int32(settings.quality)
    options.progressive = settings.progressive ? 1 : 0
    options.optimise = settings.optimise ? 1 : 0
    let factors = layout.format.model == .gray ? (1, 1) : settings.subsamplingFactors
    options.subsampling_across = Int32(factors.0)
    options.subsampling_down = Int32(factors.1)
    if let resolution = metadata.resolution {
      options.density_x = Self.density(resolution.horizontal)
      options.density_y = Self.density(resolution.vertical)
    }
    try check(shim_jpeg_encoder_start(encoder, &options))
    try writeMarkers(metadata, layout)
    try flush()
  }

  deinit { shim_jpeg_encoder_destroy(encoder) }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try check(shim_jpeg_encoder_write(encoder, Int32(count), rows, stride))
    try flush()
  }

  func finish() throws(PictureError) {
    try check(shim_jpeg_encoder_finish(encoder))
    try flush()
  }

  /// Returns whole pixels per inch for a 16-bit field; 0, which means unknown, if the number does not fit.
  private static func density(_ perInch: Double) -> Int32 {
    let rounded = perInch.rounded()
    return (1...65_535).contains(rounded) ? Int32(rounded) : 0
  }

  /// Writes EXIF, XMP, IPTC and an ICC profile, as far as they fit into segments.
  private func writeMarkers(_ metadata: PictureMetadata, _ layout: PictureLayout) throws(PictureError) {
    for segment in JPEGSegments(metadata, layout).segments {
      try check(
        segment.bytes.withUnsafeBytes {
          shim_jpeg_encoder_write_segment(encoder, Int32(segment.app), $0.baseAddress, $0.count)
        })
    }
    let profile = metadata.iccProfile
    if profile.count <= Int(SHIM_JPEG_MAXIMUM_ICC), ICCProfile.matches(profile, layout.format.model) {
      try check(
        profile.withUnsafeBytes {
          shim_jpeg_encoder_write_icc(encoder, $0.baseAddress, $0.count)
        })
    }
  }

  /// Writes the encoded bytes to the sink; wraps `shim_jpeg_encoder_take`.
  private func flush() throws(PictureError) {
    var count = 0
    let bytes = shim_jpeg_encoder_take(encoder, &count)
    if count > 0 { try sink.write(UnsafeRawBufferPointer(start: bytes, count: count)) }
  }

  private func check(_ code: ShimJPEGCode) throws(PictureError) {
    guard code != SHIM_JPEG_OK else { return }
    let words = String(cString: shim_jpeg_encoder_message(encoder))
    throw .codec(.cannotEncode("the JPEG cannot be written (\(words))"))
  }
}
