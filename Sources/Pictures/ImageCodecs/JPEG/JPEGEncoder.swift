import CJPEGFence
import ImageCore

/// Writes an 8-bit JPEG: gray, RGB as YCbCr, or CMYK as YCCK. An encoder is used by one worker at a time.
final class JPEGEncoder: PictureEncoder {
  /// A private encoder of `CJPEGFence`, destroyed with this object.
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

  /// Writes EXIF, XMP, IPTC, and an ICC profile that matches the layout, as far as they fit into segments.
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

/// The settings for encoding a JPEG, from the checked options of `save`.
struct JPEGSettings {
  let quality: Int
  let progressive: Bool
  let optimise: Bool
  private let subsampling: String

  /// The settings for writing only metadata, which they do not affect. Baseline, so that the encoder does not keep the
  /// picture in memory.
  static let baseline = JPEGSettings()

  private init() { (quality, progressive, optimise, subsampling) = (85, false, false, "auto") }

  init(_ arguments: Arguments) {
    quality = arguments.integer("quality")
    progressive = arguments.boolean("progressive")
    optimise = arguments.boolean("optimise")
    subsampling = arguments.text("subsampling")
  }

  /// The sampling factors of luminance relative to chrominance, across and down.
  ///
  /// `auto` does not subsample chrominance from quality 90 on, as in libvips, because users who request that much do
  /// not want colours to bleed.
  var subsamplingFactors: (Int, Int) {
    switch subsampling {
    case "4:4:4": (1, 1)
    case "4:2:2": (2, 1)
    case "4:2:0": (2, 2)
    default: quality >= 90 ? (1, 1) : (2, 2)
    }
  }

  static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor(
      "quality", .integer(1...100), default: .integer(85),
      help: "quality: 75 is small, 85 is good, 95 is close to the original"),
    ParameterDescriptor(
      "progressive", .boolean, default: .boolean(false),
      help: "whether to store coarse to fine; usually smaller, but holds the whole picture"),
    ParameterDescriptor(
      "subsampling", .choice(["auto", "4:2:0", "4:2:2", "4:4:4"]), default: .text("auto"),
      help: "chroma subsampling; auto is 4:4:4 from quality 90 on, else 4:2:0"),
    ParameterDescriptor(
      "optimise", .boolean, default: .boolean(false),
      help:
        "whether to make Huffman tables for the picture: smaller, but slower, and holds the whole picture"
    ),
  ]
}
