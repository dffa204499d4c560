import CJPEGFence
import ImageCore
import ImageMetadata
import JPEGDecoding
import JPEGTables
import Platform

/// Owns a decoder of `CJPEGFence`, which isolates libjpeg-turbo. A reader is used by one worker at a time.
final class JPEGReader {
  /// The decoder, which is private to this object and destroyed with it.
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
        // `source` keeps the file and its descriptor open.
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
    // The callback only runs inside calls by this object.
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

  /// Returns the segment of this kind with this index, without its identifier; nil if there are fewer segments. Wraps
  /// `shim_jpeg_decoder_segment`.
  func segment(_ kind: ShimJPEGSegment, _ index: Int = 0) -> [UInt8]? {
    var length = 0
    guard let bytes = shim_jpeg_decoder_segment(decoder, kind, Int32(index), &length) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// The profile, joined from its APP2 segments; empty if it is missing or incomplete. Wraps `jpeg_read_icc_profile`.
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

  /// Omits columns in all rows: whole MCUs to the left of the requested columns, and all columns to their right.
  /// Returns the remaining columns. Call it after `scale(by:)`; wraps `jpeg_start_decompress` and `jpeg_crop_scanline`.
  func cut(left: Int, width: Int) throws(PictureError) -> (left: Int, width: Int) {
    var first = UInt32(left)
    var count = UInt32(width)
    try check(shim_jpeg_decoder_crop(decoder, &first, &count))
    return (Int(first), Int(count))
  }

  /// Skips rows; wraps `jpeg_skip_scanlines`.
  func skip(_ count: Int) throws(PictureError) { try check(shim_jpeg_decoder_skip(decoder, UInt32(count))) }

  /// The number of extra pixels to decode around a region so that its pixels equal those of the whole picture; nil for
  /// sampling factors that were not tested.
  var cutMargin: Int? {
    switch (info.components, info.subsampling_across, info.subsampling_down) {
    case (1, _, _), (3, 1, 1), (3, 2, 1), (3, 2, 2): 32
    default: nil
    }
  }

  /// The frame for `BaselineDecoder`, valid before the first row; nil for a file that it cannot decode. Wraps
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

  /// Whether the end marker is missing although all pixels are present; valid after the last row. Wraps
  /// `shim_jpeg_decoder_lacks_end`.
  var lacksEnd: Bool { shim_jpeg_decoder_lacks_end(decoder) != 0 }

  /// Reports a missing end marker to the user.
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
  /// Converts a component of a scan; nil if one of its Huffman codes is invalid.
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

// MARK: - Header

extension JPEGReader {
  var header: PictureHeader {
    PictureHeader(
      codec: "jpeg", layout: layout, metadata: metadata, details: details,
      shrinkFactors: [2, 4, 8], decoderByteCount: Int(info.frame_bytes) + gainMapByteCount,
      isEmbeddable: info.arithmetic == 0 && info.strays == 0 && !isDisputed)
  }

  /// Whether the markers disagree: the JFIF marker implies YCbCr, as decoded here, but the Adobe marker declares RGB,
  /// as decoded by PDF readers.
  private var isDisputed: Bool { info.colour == SHIM_JPEG_YCC && info.adobe_transform == 0 }

  /// The layout of decoded rows at full size: YCCK is decoded to CMYK.
  var layout: PictureLayout {
    PictureLayout(width: Int(info.width), height: Int(info.height), format: PixelFormat(.u8, model))
  }

  private var model: ColourModel {
    switch info.colour {
    case SHIM_JPEG_GRAY: .gray
    case SHIM_JPEG_CMYK, SHIM_JPEG_YCCK: .cmyk
    default: .rgb
    }
  }

  private var metadata: PictureMetadata {
    let block = segment(SHIM_JPEG_EXIF) ?? []
    let exif = EXIFBlock(block)
    let profile = info.has_icc != 0 ? ICCProfile.matching(iccProfile, layout.format) : []
    var metadata = PictureMetadata(
      iccProfile: profile.isEmpty ? ICCProfile.calibrated(exif?.colour, layout.format) : profile,
      exif: exif?.fields ?? [:],
      exifBlock: exif == nil ? [] : block, resolution: jfifResolution ?? exif?.resolution)
    addBlocks(to: &metadata)
    metadata.orientation = Orientation(exif, metadata.xmp)
    return metadata
  }

  /// The resolution in the JFIF marker. Unit 1 is dots per inch, 2 is dots per centimetre, and 0 states only an aspect
  /// ratio (JFIF 1.02).
  private var jfifResolution: Resolution? {
    let scale: Double
    switch info.density_unit {
    case 1: scale = 1
    case 2: scale = 2.54
    default: return nil
    }
    return Resolution(horizontal: Double(info.density_x) * scale, vertical: Double(info.density_y) * scale)
  }

  private var details: [String: MetadataValue] {
    var details: [String: MetadataValue] = [
      "bits": .integer(Int(info.bits)),
      "components": .integer(Int(info.components)),
      "colour": .text(colour),
      "progressive": .integer(info.progressive == 0 ? 0 : 1),
    ]
    if info.components > 1 {
      details["subsampling"] = .text(Self.subsampling(Int(info.subsampling_across), Int(info.subsampling_down)))
    }
    if info.arithmetic != 0 { details["arithmetic"] = .integer(1) }
    if let gainMap { details["gain_map"] = .text(gainMap) }
    if info.strays != 0 { details["strayBytes"] = .integer(1) }
    if info.adobe_transform >= 0 { details["adobeTransform"] = .integer(Int(info.adobe_transform)) }
    return details
  }

  private var colour: String {
    switch info.colour {
    case SHIM_JPEG_GRAY: "gray"
    case SHIM_JPEG_RGB: "RGB"
    case SHIM_JPEG_YCC: "YCbCr"
    case SHIM_JPEG_CMYK: "CMYK"
    default: "YCCK"
    }
  }

  /// Returns the usual J:a:b name, or one like `2x4` for factors without such a name.
  static func subsampling(_ across: Int, _ down: Int) -> String {
    switch (across, down) {
    case (1, 1): "4:4:4"
    case (2, 1): "4:2:2"
    case (2, 2): "4:2:0"
    case (1, 2): "4:4:0"
    case (4, 1): "4:1:1"
    default: "\(across)x\(down)"
    }
  }
}

// MARK: - Segments

/// Metadata that may occupy several segments.
extension JPEGReader {
  /// Adds XMP and IPTC, and sets the losses, including XMP and IPTC that cannot be read.
  func addBlocks(to metadata: inout PictureMetadata) {
    metadata.losses = losses
    metadata.xmp = segment(SHIM_JPEG_XMP) ?? []
    if let first = segment(SHIM_JPEG_EXTENDED_XMP), first.count > 40,
      let name = ExtendedXMP.wantedName(metadata.xmp)
    {
      do throws(XMPFault) {
        guard let rest = try rest(named: Array(name.utf8)) else { throw .incomplete }
        metadata.xmp = try ExtendedXMP.joined(metadata.xmp, rest)
      } catch {
        metadata.losses.append(.unreadable(.extendedXMP, reason: error.description))
      }
    }
    guard let resources = photoshopResources else { return }
    if let block = PhotoshopResources.iptcBlock(resources) {
      metadata.iptc = block
    } else {
      metadata.losses.append(.unreadable(.iptc, reason: "the Photoshop resources around it are damaged"))
    }
  }

  /// Returns the extended packet that continues the XMP, joined from segments that each contain the packet's digest,
  /// its length, and the segment's offset in the packet. Nil if a segment is missing.
  private func rest(named name: [UInt8]) throws(XMPFault) -> [UInt8]? {
    var parts: [Int: ArraySlice<UInt8>] = [:]
    var total = 0
    var index = 0
    while let segment = segment(SHIM_JPEG_EXTENDED_XMP, index) {
      index += 1
      guard segment.count > 40, Array(segment[..<32]) == name else { continue }
      total = segment[32..<36].reduce(0) { $0 << 8 | Int($1) }
      parts[segment[36..<40].reduce(0) { $0 << 8 | Int($1) }] = segment[40...]
    }
    guard total <= XMPParser.maximumByteCount else { throw .tooLarge(total) }
    var rest: [UInt8] = []
    while rest.count < total {
      guard let part = parts[rest.count] else { return nil }
      rest += part
    }
    return rest
  }

  /// Photoshop's resources, which may occupy several segments; nil if there are none.
  private var photoshopResources: [UInt8]? {
    guard var resources = segment(SHIM_JPEG_PHOTOSHOP) else { return nil }
    var index = 1
    while let more = segment(SHIM_JPEG_PHOTOSHOP, index) {
      resources += more
      index += 1
    }
    return resources
  }

  /// The metadata that is lost: content credentials, a gain map, and a profile that does not fit the pixels.
  private var losses: [MetadataLoss] {
    (info.has_jumbf != 0 ? [.credentials] : []) + (gainMap == nil ? [] : [.gainMap])
      + (info.has_icc == 0 ? [] : ICCProfile.losses(of: iccProfile, layout.format))
  }

  /// The estimated memory in bytes for a gain map and for the encoded picture before it; 0 without a gain map.
  var gainMapByteCount: Int { gainMap == nil ? 0 : layout.byteCount / 2 }

  /// The kind of gain map in a file, for `imghost info`; nil if there is none.
  ///
  /// Ultra HDR version 1.1 declares a gain map in the picture's XMP, by the namespace or by an item in the directory of
  /// the file's parts. ISO 21496-1 declares it in a segment.
  var gainMap: String? {
    let isUltraHDR = segment(SHIM_JPEG_XMP).map { packet in
      ["http://ns.adobe.com/hdr-gain-map/1.0/", "=\"GainMap\"", "='GainMap'", ">GainMap<"].contains {
        packet.holds(Array($0.utf8))
      }
    }
    switch (isUltraHDR ?? false, info.has_gain_map != 0) {
    case (true, true): return "Ultra HDR, ISO 21496-1"
    case (true, false): return "Ultra HDR"
    case (false, true): return "ISO 21496-1"
    case (false, false): return nil
    }
  }
}
