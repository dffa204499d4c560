import CShims
import ImageCore
import JPEGDecoding
import JPEGTables
import Platform

/// Owns a decoder of `CShims`, the fence around libjpeg-turbo. Belongs to one worker at a time.
final class JPEGReader {
  /// Private to this object, destroyed with it, and never handed out.
  private let decoder: OpaquePointer
  let source: ByteSource
  let acceptsDamage: Bool
  let context: OperationContext
  private(set) var info = ShimJPEGInfo()

  /// Reads the header; wraps `shim_jpeg_decoder_read_header` (`jpeg_read_header`).
  init(_ source: ByteSource, acceptsDamage: Bool, context: OperationContext = .serial) throws(PictureError) {
    guard source.byteCount > 0 else { throw .codec(.empty) }
    let made =
      switch source {
      case .file(let file):
        // The descriptor stays open as long as `source` holds the file.
        shim_jpeg_decoder_create_file(file.descriptor, UInt64(file.byteCount), acceptsDamage ? 1 : 0)
      case .bytes(let bytes):
        bytes.withUnsafeBytes {
          shim_jpeg_decoder_create_bytes($0.baseAddress, $0.count, acceptsDamage ? 1 : 0)
        }
      }
    guard let made else { throw .codec(.unsupported("decoding a JPEG with this little memory")) }
    self.decoder = made
    self.source = source
    self.acceptsDamage = acceptsDamage
    self.context = context
    // The callback runs only inside calls made by this object.
    shim_jpeg_decoder_set_pause(
      decoder,
      { owner in
        guard let owner else { return 0 }
        let context = Unmanaged<JPEGReader>.fromOpaque(owner).takeUnretainedValue().context
        context.allowPreemption()
        return context.isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(shim_jpeg_decoder_read_header(decoder, &info))
  }

  deinit { shim_jpeg_decoder_destroy(decoder) }

  /// A segment of a kind, without its identifier; nil if there are not so many. Wraps `shim_jpeg_decoder_segment`.
  func segment(_ kind: ShimJPEGSegment, _ index: Int = 0) -> [UInt8]? {
    var length = 0
    guard let bytes = shim_jpeg_decoder_segment(decoder, kind, Int32(index), &length) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// The profile joined from its APP2 segments; wraps `jpeg_read_icc_profile`.
  var iccProfile: [UInt8] {
    var length = 0
    guard let bytes = shim_jpeg_decoder_copy_icc(decoder, &length) else { return [] }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// Sets the scale and returns the size; wraps `jpeg_calc_output_dimensions`.
  func scale(by shrink: Int) throws(PictureError) -> (width: Int, height: Int) {
    var width: UInt32 = 0
    var height: UInt32 = 0
    try check(shim_jpeg_decoder_scale(decoder, Int32(shrink), &width, &height))
    return (Int(width), Int(height))
  }

  /// Leaves out whole units of columns from the first row on, and returns the remaining columns, which may be more than
  /// requested. Called after `scale(by:)`; wraps `jpeg_start_decompress` and `jpeg_crop_scanline`.
  func cut(left: Int, width: Int) throws(PictureError) -> (left: Int, width: Int) {
    var first = UInt32(left)
    var count = UInt32(width)
    try check(shim_jpeg_decoder_crop(decoder, &first, &count))
    return (Int(first), Int(count))
  }

  /// Skips rows; wraps `jpeg_skip_scanlines`.
  func skip(_ count: Int) throws(PictureError) { try check(shim_jpeg_decoder_skip(decoder, UInt32(count))) }

  /// The number of pixels to decode around a region so that its pixels equal those of the whole picture; nil for
  /// sampling factors for which tests have not proven that.
  var cutMargin: Int? {
    switch (info.components, info.subsampling_across, info.subsampling_down) {
    case (1, _, _), (3, 1, 1), (3, 2, 1), (3, 2, 2): 32
    default: nil
    }
  }

  /// The frame for `BaselineDecoder`, valid before the first row; nil for a file that it does not decode. Wraps
  /// `shim_jpeg_decoder_scan`.
  var baselineFrame: BaselineFrame? {
    var scan = ShimJPEGScan()
    guard shim_jpeg_decoder_scan(decoder, &scan) != 0 else { return nil }
    let parts = [scan.parts.0, scan.parts.1, scan.parts.2].prefix(Int(scan.components))
    let components = parts.compactMap(BaselineFrame.Component.init)
    guard components.count == parts.count else { return nil }
    return BaselineFrame(
      width: Int(info.width), height: Int(info.height), components: components,
      restartInterval: Int(scan.restart_interval), dataOffset: Int(scan.data_offset))
  }

  /// Decodes rows; wraps `jpeg_start_decompress` and `jpeg_read_scanlines`.
  func read(_ count: Int, into rows: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try check(shim_jpeg_decoder_read(decoder, Int32(count), rows, stride))
  }

  /// Whether the file lacks its end marker and every pixel was there, after the last row. Wraps
  /// `shim_jpeg_decoder_lacks_end`.
  var lacksEnd: Bool { shim_jpeg_decoder_lacks_end(decoder) != 0 }

  /// Tells the user of a missing end marker.
  func noteMissingEnd() { context.note("the end marker is missing; every pixel is there") }

  private func check(_ code: ShimJPEGCode) throws(PictureError) {
    guard code != SHIM_JPEG_OK else { return }
    let words = String(cString: shim_jpeg_decoder_message(decoder))
    switch code {
    case SHIM_JPEG_TRUNCATED: throw .codec(.truncated)
    case SHIM_JPEG_UNSUPPORTED: throw .codec(.unsupported(words))
    case SHIM_JPEG_NO_MEMORY:
      throw .codec(.tooLarge(width: Int(info.width), height: Int(info.height)))
    case SHIM_JPEG_CANCELLED: throw .cancelled
    case SHIM_JPEG_UNREADABLE:
      throw .file(FileError(.read, path: source.path, code: shim_jpeg_decoder_system_error(decoder)))
    default: throw .codec(.damaged(words))
    }
  }
}

extension BaselineFrame.Component {
  /// Nil for invalid Huffman codes.
  fileprivate init?(_ part: ShimJPEGPart) {
    func code(_ counts: UnsafePointer<UInt8>, _ symbols: UnsafePointer<UInt8>) -> HuffmanCode? {
      HuffmanCode(
        counts: Array(UnsafeBufferPointer(start: counts, count: 16)),
        symbols: Array(UnsafeBufferPointer(start: symbols, count: 256)))
    }
    guard let dc = code(part.dc_counts, part.dc_symbols), let ac = code(part.ac_counts, part.ac_symbols)
    else { return nil }
    self.init(
      horizontalSampling: Int(part.across), verticalSampling: Int(part.down),
      quantisation: Array(UnsafeBufferPointer(start: part.steps, count: 64)), dc: dc, ac: ac)
  }
}
