import COpenJPEG

/// A decoded JPEG 2000 picture (ISO/IEC 15444-1) from a JP2 file or a raw codestream; owns libopenjp2's `opj_image_t`.
///
/// The library's messages are discarded. Decoding cannot be interrupted; as with poppler, the watchdog ends a check
/// that takes too long because of hostile data.
final class JPEG2000Image {
  /// The reason why a picture cannot be compared.
  enum Refusal: Error, Equatable {
    /// The library cannot read the picture or has too little memory, or the picture has more than 5 components, or more
    /// than 16 bits per sample.
    case unreadable
    /// The picture has more samples than a check may use.
    case tooLarge
    /// Tiles are missing. The library leaves them black without an error.
    case incomplete
    /// The palette has more than four columns.
    case manyColumns
    /// The picture's size differs from the declared one.
    case otherSize(width: Int, height: Int)
  }

  /// The meaning of the samples according to the JP2 header.
  enum Colours {
    /// Gray, RGB, an ICC profile, or unspecified.
    case plain
    /// YCC, CMYK or Lab.
    case other(String)
  }

  private let image: UnsafeMutablePointer<opj_image_t>
  private let size: (width: Int, height: Int)

  deinit { opj_image_destroy(image) }

  /// The maximum number of samples of all components together. The library needs four bytes for each, and as much again
  /// while decoding: 64 megapixels of RGB measured 1.8 GB.
  static let maximumSamples = 256 << 20

  /// - Parameters:
  ///   - size: the size in the dictionary; data with another size is rejected before a pixel is decoded.
  ///   - keepsIndices: whether samples remain palette indices, so that the palette inside the data is ignored.
  init(_ data: UnsafeRawBufferPointer, size: (width: Int, height: Int), keepsIndices: Bool) throws(Refusal) {
    guard keepsIndices || Self.paletteColumns(data) <= 4 else { throw .manyColumns }
    self.size = size
    image = try Self.decode(data, size, keepsIndices)
  }

  var componentCount: Int { Int(image.pointee.numcomps) }

  var colours: Colours {
    switch image.pointee.color_space {
    case OPJ_CLRSPC_SYCC, OPJ_CLRSPC_EYCC: .other("YCC")
    case OPJ_CLRSPC_CMYK: .other("CMYK")
    // For CIELab (enumerated colour space 14), the library stores parameters where a profile would be.
    case _ where image.pointee.icc_profile_buf != nil && image.pointee.icc_profile_len == 0: .other("Lab")
    default: .plain
    }
  }

  /// Whether four components are known to be RGB and opacity; poppler treats all other pictures with four components as
  /// CMYK.
  var isRGB: Bool { image.pointee.color_space == OPJ_CLRSPC_SRGB }

  func bits(_ index: Int) -> Int { Int(image.pointee.comps[index].prec) }

  /// Whether all components have a sample for each pixel.
  var isWhole: Bool {
    for index in 0..<componentCount {
      let component = image.pointee.comps[index]
      guard component.data != nil, (Int(component.w), Int(component.h)) == size else { return false }
    }
    return true
  }

  /// Writes row `y` of component `index` as bytes, `step` apart. Samples with more than 8 bits are rounded half up, as
  /// in poppler; those with fewer are unchanged. The picture must be whole (`isWhole`).
  func read(_ index: Int, row y: Int, into bytes: UnsafeMutablePointer<UInt8>, step: Int) {
    let component = image.pointee.comps[index]
    let (width, excess) = (Int(component.w), max(0, Int(component.prec) - 8))
    let offset: Int32 = component.sgnd != 0 ? 1 << (Int32(component.prec) - 1) : 0
    let half: Int32 = excess > 0 ? 1 << (Int32(excess) - 1) : 0
    let samples = component.data + y * width
    for x in 0..<width {
      let value = (samples[x] &+ offset &+ half) >> Int32(excess)
      bytes[x * step] = UInt8(truncatingIfNeeded: max(0, min(255, value)))
    }
  }
}

extension JPEG2000Image {
  private static func decode(_ data: UnsafeRawBufferPointer, _ size: (width: Int, height: Int), _ keepsIndices: Bool)
    throws(Refusal) -> UnsafeMutablePointer<opj_image_t>
  {
    let isCodestream = data.starts(with: [0xff, 0x4f, 0xff, 0x51])
    guard let codec = opj_create_decompress(isCodestream ? OPJ_CODEC_J2K : OPJ_CODEC_JP2) else {
      throw .unreadable
    }
    defer { opj_destroy_codec(codec) }
    let source = JPEG2000Source(data)
    guard let stream = source.makeStream() else { throw .unreadable }
    defer {
      opj_stream_destroy(stream)
      // The stream's callbacks have only the unretained address of `source`.
      withExtendedLifetime(source) {}
    }
    var parameters = opj_dparameters_t()
    opj_set_default_decoder_parameters(&parameters)
    if keepsIndices { parameters.flags |= UInt32(OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG) }
    var image: UnsafeMutablePointer<opj_image_t>?
    do throws(Refusal) {
      guard opj_setup_decoder(codec, &parameters) != 0, opj_read_header(stream, codec, &image) != 0, let image
      else { throw .unreadable }
      try check(image, size)
      guard opj_decode(codec, stream, image) != 0, opj_end_decompress(codec, stream) != 0, hasUsualDepths(image)
      else { throw .unreadable }
      guard hasAllTiles(codec) else { throw .incomplete }
      return image
    } catch {
      if let image { opj_image_destroy(image) }
      throw error
    }
  }

  /// Checks the header (SIZ, A.5.1) before a pixel is decoded.
  private static func check(
    _ image: UnsafeMutablePointer<opj_image_t>, _ size: (width: Int, height: Int)
  ) throws(Refusal) {
    let header = image.pointee
    let (width, height) = (Int(header.x1) - Int(header.x0), Int(header.y1) - Int(header.y0))
    guard width > 0, height > 0, (1...5).contains(header.numcomps) else { throw .unreadable }
    guard (width, height) == size else { throw .otherSize(width: width, height: height) }
    // A palette may expand one component to four.
    guard width * height <= maximumSamples / max(4, Int(header.numcomps)) else { throw .tooLarge }
    guard hasUsualDepths(image) else { throw .unreadable }
  }

  /// Returns whether every tile has at least one part (SOT, A.4.2); call after decoding. Wraps `opj_get_cstr_index`.
  private static func hasAllTiles(_ codec: UnsafeMutablePointer<opj_codec_t?>) -> Bool {
    var index = opj_get_cstr_index(codec)
    defer { opj_destroy_cstr_index(&index) }
    guard let found = index?.pointee, let tiles = found.tile_index else { return false }
    return (0..<Int(found.nb_of_tiles)).allSatisfy {
      tiles[$0].nb_tps > 0 || tiles[$0].tp_index != nil
    }
  }

  /// Returns whether every component has 1 to 16 bits per sample. A palette has depths of its own, so the depths are
  /// checked again after decoding.
  private static func hasUsualDepths(_ image: UnsafeMutablePointer<opj_image_t>) -> Bool {
    guard let components = image.pointee.comps, image.pointee.numcomps > 0 else { return false }
    return (0..<Int(image.pointee.numcomps)).allSatisfy {
      (1...16).contains(components[$0].prec)
    }
  }

  /// Returns the largest number of columns of a JP2's palettes (I.5.3.4), 0 without one. Each column becomes a
  /// component, and the library makes up to 255 without a check. Data that only looks like a palette is counted, too.
  private static func paletteColumns(_ data: UnsafeRawBufferPointer) -> Int {
    var (columns, position) = (0, 0)
    while let box = ByteSearch.first(Array("pclr".utf8), in: data, from: position) {
      if box + 6 < data.count { columns = max(columns, Int(data[box + 6])) }
      position = box + 4
    }
    return columns
  }
}

/// A stream for libopenjp2 that reads bytes in memory. The bytes must outlive the source.
private final class JPEG2000Source {
  private let data: UnsafeRawBufferPointer
  private var position = 0

  init(_ data: UnsafeRawBufferPointer) { self.data = data }

  /// Returns a stream that reads from this object. The caller must keep this object until `opj_stream_destroy`.
  func makeStream() -> UnsafeMutablePointer<opj_stream_t?>? {
    guard let stream = opj_stream_create(max(1, min(data.count, 1 << 20)), OPJ_BOOL(OPJ_TRUE))
    else { return nil }
    opj_stream_set_user_data(stream, Unmanaged.passUnretained(self).toOpaque(), nil)
    opj_stream_set_user_data_length(stream, UInt64(data.count))
    opj_stream_set_read_function(stream) { buffer, count, context in
      guard let buffer, let context else { return -1 }
      return JPEG2000Source.of(context).read(buffer, count)
    }
    opj_stream_set_skip_function(stream) { count, context in
      context.map { OPJ_OFF_T(JPEG2000Source.of($0).skip(Int(count))) } ?? -1
    }
    opj_stream_set_seek_function(stream) { offset, context in
      let isThere = context.map { JPEG2000Source.of($0).seek(Int(offset)) } ?? false
      return OPJ_BOOL(isThere ? OPJ_TRUE : OPJ_FALSE)
    }
    return stream
  }

  private static func of(_ context: UnsafeMutableRawPointer) -> JPEG2000Source {
    Unmanaged<JPEG2000Source>.fromOpaque(context).takeUnretainedValue()
  }

  /// Returns the number of bytes copied; -1 at the end, as the library requires.
  private func read(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    let taken = min(count, data.count - position)
    guard taken > 0 else { return -1 }
    buffer.copyMemory(from: data.baseAddress! + position, byteCount: taken)
    position += taken
    return taken
  }

  private func skip(_ count: Int) -> Int {
    let taken = min(count, data.count - position)
    guard taken > 0 else { return -1 }
    position += taken
    return taken
  }

  private func seek(_ offset: Int) -> Bool {
    guard (0...data.count).contains(offset) else { return false }
    position = offset
    return true
  }
}
