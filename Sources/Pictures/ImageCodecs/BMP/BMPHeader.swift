import ImageCore

/// The validated headers of a BMP: BITMAPFILEHEADER, and BITMAPCOREHEADER to BITMAPV5HEADER of Windows GDI, or those of
/// OS/2.
struct BMPHeader {
  enum Compression: String {
    case none
    case rle8 = "RLE8"
    case rle4 = "RLE4"
    case fields = "bit fields"
  }

  let width: Int
  let height: Int
  /// Whether the first stored row is the top one.
  let isTopDown: Bool
  /// The number of bits of a stored pixel: 1, 2, 4, 8, 16, 24 or 32.
  let bits: Int
  let compression: Compression
  /// The fields of red, green, blue and, if there is one, alpha. Empty if pixels are indices into the palette.
  let fields: [BMPField]
  /// Red, green and blue for every possible index; empty if pixels are not indices. Colours missing in the file are
  /// black.
  let palette: [UInt8]
  /// Whether all colours of the palette are gray.
  let isGray: Bool
  /// The offset of the first stored row, or of the runs.
  let pixelOffset: Int
  /// The length of the stored pixels in bytes, as stated in the file; only used for runs.
  let runByteCount: Int
  /// The embedded ICC profile; empty if there is none.
  let iccProfile: [UInt8]
  /// Whether the header declares a profile, readable or not.
  let hasProfile: Bool
  let hasLargeProfile: Bool
  /// The colour space if the header describes it by numbers; otherwise nil.
  let calibration: CalibratedColour?
  let resolution: Resolution?

  /// Parses the headers at the start of a file.
  init(_ source: ByteSource) throws(PictureError) {
    let start = try source.bytes(at: 0, upTo: Self.fileHeaderByteCount)
    guard start.count == Self.fileHeaderByteCount else { throw .codec(.truncated) }
    try self.init(source, at: Self.fileHeaderByteCount, pixelOffset: start.littleEndian32(10), isIcon: false)
  }

  /// Parses the header of a picture in an icon, which has no file header, and whose height includes the mask.
  init(icon source: ByteSource) throws(PictureError) {
    try self.init(source, at: 0, pixelOffset: nil, isIcon: true)
  }

  static let fileHeaderByteCount = 14
  /// The lengths of the second header: Windows 2 and OS/2 1 (12), OS/2 2 (16, 64), Windows 3 to V5.
  static let lengths = [12, 16, 40, 52, 56, 64, 108, 124]

  private init(_ source: ByteSource, at place: Int, pixelOffset: Int?, isIcon: Bool) throws(PictureError) {
    let raw = try RawBMPHeader(source, at: place)
    width = raw.width
    isTopDown = raw.height < 0
    height = abs(raw.height) / (isIcon ? 2 : 1)
    bits = raw.bits
    guard width > 0, height > 0 else { throw .codec(.damaged("invalid size \(raw.width)x\(raw.height)")) }
    guard max(width, height) <= PictureLayout.maximumSide, width * height <= PictureLayout.maximumPixels else {
      throw .codec(.tooLarge(width: width, height: height))
    }
    compression = try raw.compression
    fields = try raw.fields(source, isIcon: isIcon)
    let colours = try raw.palette(source, end: pixelOffset)
    palette = colours
    isGray = !colours.isEmpty && Self.areGray(colours)
    self.pixelOffset = pixelOffset ?? raw.paletteEnd
    runByteCount = raw.runByteCount
    iccProfile = try raw.profile(source)
    (hasProfile, hasLargeProfile, calibration) = (raw.hasProfile, raw.hasLargeProfile, raw.calibration)
    resolution = raw.resolution
    guard self.pixelOffset >= raw.end else { throw .codec(.damaged("its pixels begin inside its header")) }
    try checkSize(source)
  }

  private static func areGray(_ colours: [UInt8]) -> Bool {
    for place in stride(from: 0, to: colours.count, by: 3) {
      guard colours[place] == colours[place + 1], colours[place] == colours[place + 2] else { return false }
    }
    return true
  }

  /// Throws an error if the file is far too short for the picture's size. If damage is accepted, any other truncated
  /// file is read up to its end.
  private func checkSize(_ source: ByteSource) throws(PictureError) {
    switch compression {
    case .rle4, .rle8:
      // A code of four bytes can skip 255 rows and 255 columns, so up to 64 × 255 pixels per byte are accepted.
      guard width * height / (64 * 255) <= source.byteCount else { throw .codec(.truncated) }
    case .none, .fields:
      guard pixelOffset <= source.byteCount, rowByteCount * height / 256 <= source.byteCount else {
        throw .codec(.truncated)
      }
    }
  }

  /// The size of a stored row in bytes: a multiple of 4.
  var rowByteCount: Int { (width * bits + 31) / 32 * 4 }

  /// The size of a stored row in bytes, without padding.
  var usedByteCount: Int { (width * bits + 7) / 8 }

  /// The offset of the end of the last row, not counting its padding.
  var pixelEnd: Int { pixelOffset + rowByteCount * (height - 1) + usedByteCount }

  var hasAlpha: Bool { fields.count == 4 }

  /// Whether pixels are decoded to gray: all their colours are gray, and there is no profile for RGB.
  private var comesAsGray: Bool { isGray && !ICCProfile.matches(iccProfile, .rgb) }

  /// The format of decoded rows. If a field has more than 8 bits, all samples are decoded to 16 bits.
  var format: PixelFormat {
    PixelFormat(fields.contains { $0.bitCount > 8 } ? .u16 : .u8, comesAsGray ? .gray : .rgb, alpha: hasAlpha)
  }

  /// The number of bits of the largest sample, or of an index into the palette.
  var sampleBits: Int { fields.isEmpty ? bits : fields.map(\.bitCount).max()! }

  var isRunLengthCoded: Bool { compression == .rle4 || compression == .rle8 }

  /// The loss to report if a profile is not used.
  var losses: [MetadataLoss] {
    if hasLargeProfile { return [.unreadable(.icc, reason: "it has more than \(RawBMPHeader.profileLimit >> 20) MB")] }
    return hasProfile ? ICCProfile.losses(of: iccProfile, format) : []
  }
}

/// The bits of a stored pixel that contain one sample.
struct BMPField: Equatable {
  let shift: UInt32
  /// The largest sample, with all bits set; 0 for a field without bits.
  let maximum: UInt32

  /// Creates a field from a mask; nil if its bits are not consecutive.
  init?(mask: UInt32) {
    shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
    maximum = mask >> shift
    guard maximum & (maximum &+ 1) == 0 else { return nil }
  }

  var bitCount: Int { 32 - maximum.leadingZeroBitCount }

  /// Returns the pixel's sample, scaled so that the field's maximum becomes `full`.
  func sample(_ pixel: UInt32, full: UInt64) -> UInt64 {
    guard maximum > 0 else { return 0 }
    let maximum = UInt64(maximum)
    let sample = UInt64(pixel >> shift) & maximum
    return (sample * full + maximum / 2) / maximum
  }
}

/// The second header of a BMP, as it is stored.
struct RawBMPHeader {
  /// The offset of the header in the file.
  private let place: Int
  private let length: Int
  /// The header, padded with zeros to the length of the longest header.
  private let bytes: [UInt8]

  let width: Int
  /// The number of rows; negative if the top row comes first.
  let height: Int
  let bits: Int

  init(_ source: ByteSource, at place: Int) throws(PictureError) {
    self.place = place
    let start = try source.bytes(at: place, upTo: 124)
    guard start.count >= 4 else { throw .codec(.truncated) }
    length = start.littleEndian32(0)
    guard BMPHeader.lengths.contains(length) else { throw .codec(.damaged("a header of \(length) bytes")) }
    guard start.count >= length else { throw .codec(.truncated) }
    bytes = start[..<length] + [UInt8](repeating: 0, count: 124 - length)
    if length == 12 {
      (width, height, bits) = (bytes.littleEndian16(4), bytes.littleEndian16(6), bytes.littleEndian16(10))
    } else {
      (width, height) = (bytes.signedLittleEndian32(4), bytes.signedLittleEndian32(8))
      bits = bytes.littleEndian16(14)
    }
  }

  private var isOS2: Bool { length == 16 || length == 64 }

  /// The stored compression method, such as BI_RGB.
  private var method: Int { length == 12 ? 0 : bytes.littleEndian32(16) }

  /// The method by which pixels are stored.
  ///
  /// - Throws: `CodecError.unsupported` for methods that are refused, `.damaged` for values that do not exist.
  var compression: BMPHeader.Compression {
    get throws(PictureError) {
      switch (method, isOS2) {
      case (4, false): throw .codec(.unsupported("a JPEG inside a BMP"))
      case (5, false): throw .codec(.unsupported("a PNG inside a BMP"))
      case (3, true): throw .codec(.unsupported("Huffman coding in a BMP"))
      case (4, true): throw .codec(.unsupported("RLE24 in a BMP"))
      default: break
      }
      switch (method, bits) {
      case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): return .none
      case (1, 8): return .rle8
      case (2, 4): return .rle4
      case (3, 16), (3, 32), (6, 16), (6, 32): return .fields
      default: throw .codec(.damaged("\(bits) bits a pixel with compression \(method)"))
      }
    }
  }

  /// The number of masks that follow the header because it has no fields for them.
  private var maskCount: Int { length > 40 ? 0 : method == 3 ? 3 : method == 6 ? 4 : 0 }

  /// The offset of the first byte after the header and its masks.
  var end: Int { place + length + maskCount * 4 }

  /// Returns the fields of a pixel's samples; empty if pixels are indices into the palette.
  ///
  /// - Parameter isIcon: whether the fourth byte of 32-bit pixels is alpha, as in icons.
  func fields(_ source: ByteSource, isIcon: Bool) throws(PictureError) -> [BMPField] {
    guard bits > 8 else { return [] }
    var masks: [UInt32]
    if method == 0 {
      masks = bits == 16 ? [0x7c00, 0x3e0, 0x1f] : [0xff_0000, 0xff00, 0xff]
      if isIcon && bits == 32 { masks.append(0xff00_0000) }
    } else {
      let stored = maskCount == 0 ? Array(bytes[40..<56]) : try source.bytes(at: place + length, upTo: maskCount * 4)
      guard stored.count >= maskCount * 4 else { throw .codec(.truncated) }
      masks = Swift.stride(from: 0, to: stored.count, by: 4).map { UInt32(stored.littleEndian32($0)) }
      if masks.last == 0 && masks.count == 4 { masks.removeLast() }
    }
    return try masks.map { (mask) throws(PictureError) in
      let isInPixel = bits > 16 || mask >> 16 == 0
      guard isInPixel, let field = BMPField(mask: mask) else { throw .codec(.damaged("invalid bit fields")) }
      return field
    }
  }

  private var colourByteCount: Int { length == 12 ? 3 : 4 }

  /// The number of colours in the file. Pixels of more than 8 bits do not use the palette, but may have one.
  private var colourCount: Int {
    let stated = length == 12 ? 0 : bytes.littleEndian32(32)
    if bits > 8 { return stated <= 256 ? stated : 0 }
    return stated == 0 || stated > 1 << bits ? 1 << bits : stated
  }

  /// The offset of the first byte after the palette. The pixels begin there if no file header states their offset.
  var paletteEnd: Int { end + colourCount * colourByteCount }

  /// Returns red, green and blue for every possible index; empty if pixels are not indices.
  ///
  /// - Parameter pixels: the offset of the pixels if the file states it; the palette ends there at the latest.
  func palette(_ source: ByteSource, end pixels: Int?) throws(PictureError) -> [UInt8] {
    guard bits <= 8 else { return [] }
    let size = colourByteCount
    let count = min(colourCount, max(0, (pixels ?? paletteEnd) - end) / size)
    let stored = try source.bytes(at: end, upTo: count * size)
    guard stored.count == count * size else { throw .codec(.truncated) }
    var colours = [UInt8](repeating: 0, count: 3 << bits)
    for index in 0..<count {
      for band in 0..<3 { colours[3 * index + band] = stored[size * index + 2 - band] }
    }
    return colours
  }

  var runByteCount: Int { length == 12 ? 0 : bytes.littleEndian32(20) }

  /// The resolution in pixels per inch, converted from pixels per metre; nil if there is none.
  var resolution: Resolution? {
    guard length >= 40 else { return nil }
    let (across, down) = (bytes.signedLittleEndian32(24), bytes.signedLittleEndian32(28))
    return Resolution(horizontal: Double(across) * 0.0254, vertical: Double(down) * 0.0254)
  }

  static let profileLimit = 16 << 20

  /// The kind of colour space of a V4 or V5 header, bV4CSType; nil for older headers.
  private var colours: Int? { length >= 108 ? bytes.littleEndian32(56) : nil }

  /// Whether the colour space of a V5 header is PROFILE_EMBEDDED (`MBED`) or PROFILE_LINKED (`LINK`).
  var hasProfile: Bool { length == 124 && [0x4d42_4544, 0x4c49_4e4b].contains(colours) }

  /// The colour space of a header with LCS_CALIBRATED_RGB: XYZ of red, green and blue with 30 fractional bits, and an
  /// exponent for each with 16 fractional bits. White is that of sRGB, as in browsers, because the header does not
  /// contain it. Nil for other colour spaces, and if XYZ of a colour are all 0 or one of them is negative.
  var calibration: CalibratedColour? {
    guard colours == 0 else { return nil }
    let ends = (0..<9).map { Double(bytes.signedLittleEndian32(60 + 4 * $0)) }
    var primaries: [Double] = []
    for end in [ends[0..<3], ends[3..<6], ends[6..<9]] {
      let sum = end.reduce(0, +)
      guard end.allSatisfy({ $0 >= 0 }), sum > 0 else { return nil }
      primaries += end.prefix(2).map { $0 / sum }
    }
    return CalibratedColour(
      primaries: primaries, curves: (0..<3).map { .gamma(Double(bytes.littleEndian32(96 + 4 * $0)) / 65_536) })
  }

  /// Whether an embedded profile is too large to be read.
  var hasLargeProfile: Bool {
    hasProfile && colours == 0x4d42_4544 && bytes.littleEndian32(116) > Self.profileLimit
  }

  /// Returns the profile of a V5 header whose colour space is PROFILE_EMBEDDED (`MBED`); empty if there is none, or if
  /// it is incomplete or too large.
  func profile(_ source: ByteSource) throws(PictureError) -> [UInt8] {
    guard length == 124, colours == 0x4d42_4544 else { return [] }
    let (offset, count) = (place + bytes.littleEndian32(112), bytes.littleEndian32(116))
    guard count > 0, count <= Self.profileLimit, offset + count <= source.byteCount else { return [] }
    return try source.bytes(at: offset, upTo: count)
  }
}
