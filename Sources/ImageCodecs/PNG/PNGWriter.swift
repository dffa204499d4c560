import CPNG
import ImageCore

/// Owns a libspng encoding context; belongs to one worker at a time.
final class PNGWriter {
  /// Private to this object, freed with it, and never handed out. It keeps an unretained pointer to this
  /// object for its write callback, which only runs inside calls made by methods of this object.
  private let context: OpaquePointer
  private let sink: any ByteSink
  private var writeFailure: PictureError?

  init(to sink: any ByteSink) throws(PictureError) {
    guard let context = spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else {
      throw .codec(.cannotEncode("there is no memory to encode a PNG"))
    }
    self.context = context
    self.sink = sink
    let user = Unmanaged.passUnretained(self).toOpaque()
    try check(
      spng_set_png_stream(
        context,
        { _, user, bytes, count in
          guard let user, let bytes else { return Int32(SPNG_IO_ERROR.rawValue) }
          return Unmanaged<PNGWriter>.fromOpaque(user).takeUnretainedValue()
            .pass(UnsafeRawBufferPointer(start: bytes, count: count))
        }, user))
  }

  deinit { spng_ctx_free(context) }

  /// Writes everything before the pixels; wraps `spng_encode_image` with `SPNG_ENCODE_PROGRESSIVE`.
  func start(_ ihdr: spng_ihdr, settings: PNGSettings, palette: PNGPalette?, metadata: PNGMetadata)
    throws(PictureError)
  {
    var ihdr = ihdr
    try check(spng_set_ihdr(context, &ihdr))
    try check(
      spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, Int32(settings.compression)))
    if let filters = settings.filterChoice {
      try check(spng_set_option(context, SPNG_FILTER_CHOICE, Int32(filters.rawValue)))
    }
    if let palette { try set(palette) }
    try set(metadata)
    try metadata.withChunks { profile, exif throws(PictureError) in
      // libspng keeps these pointers until the header has been written, which is before this returns.
      if var profile { try check(spng_set_iccp(context, &profile)) }
      if var exif { try check(spng_set_exif(context, &exif)) }
      try check(
        spng_encode_image(
          context, nil, 0, Int32(SPNG_FMT_PNG.rawValue),
          Int32(SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue)))
    }
  }

  /// Encodes the next row of the current pass; wraps `spng_encode_row`. The last completes the file.
  func writeRow(_ row: UnsafeRawPointer, byteCount: Int) throws(PictureError) {
    let code = spng_encode_row(context, row, byteCount)
    // The code of the last row.
    try check(code == Int32(SPNG_EOI.rawValue) ? 0 : code)
  }

  /// The row, counted from the top, that the next `writeRow` takes pixels of, nil after the last; wraps
  /// `spng_get_row_info`.
  func nextRow() throws(PictureError) -> Int? {
    var info = spng_row_info()
    let code = spng_get_row_info(context, &info)
    guard code != Int32(SPNG_EOI.rawValue) else { return nil }
    try check(code)
    return Int(info.row_num)
  }

  private func set(_ palette: PNGPalette) throws(PictureError) {
    var colours = palette.plte
    try check(spng_set_plte(context, &colours))
    if var transparency = palette.trns { try check(spng_set_trns(context, &transparency)) }
  }

  private func set(_ metadata: PNGMetadata) throws(PictureError) {
    if var resolution = metadata.phys { try check(spng_set_phys(context, &resolution)) }
  }

  private func check(_ code: Int32) throws(PictureError) {
    if let writeFailure { throw writeFailure }
    guard code != 0 else { return }
    throw .codec(
      .cannotEncode("the PNG cannot be written (\(String(cString: spng_strerror(code))))"))
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    do throws(PictureError) {
      try sink.write(bytes)
      return 0
    } catch {
      writeFailure = error
      return Int32(SPNG_IO_ERROR.rawValue)
    }
  }
}
