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
  /// The red, green and blue of all possible indices. Colours that are missing in the file are black.
  let palette: [UInt8]
  /// Whether all colours of the palette are gray.
  let isGray: Bool
  /// The offset of the first stored row, or of the runs.
  let pixelOffset: Int
  /// The length of the runs in bytes, as stated in the file; 0 if there are none.
  let runByteCount: Int
  /// The embedded ICC profile; empty if there is none.
  let iccProfile: [UInt8]
  /// Whether the header declares a profile, readable or not.
  let hasProfile: Bool
  /// Whether the profile is too large to be read.
  let hasLargeProfile: Bool
  /// The colour space that the header describes by numbers; nil if it does not.
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

  /// Throws an error for sizes that the file cannot contain. A truncated file is read up to its end, but not one that
  /// is much too short.
  private func checkSize(_ source: ByteSource) throws(PictureError) {
    switch compression {
    case .rle4, .rle8:
      // Four bytes can skip at most 255 rows and 255 columns.
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

  /// The offset after the last row, without its padding.
  var pixelEnd: Int { pixelOffset + rowByteCount * (height - 1) + usedByteCount }

  var hasAlpha: Bool { fields.count == 4 }

  /// Whether pixels are decoded to gray: all their colours are gray, and there is no profile for RGB.
  private var comesAsGray: Bool { isGray && !ICCProfile.matches(iccProfile, .rgb) }

  /// The format of decoded rows. Fields with more than 8 bits are decoded to 16 bits.
  var format: PixelFormat {
    PixelFormat(fields.contains { $0.bitCount > 8 } ? .u16 : .u8, comesAsGray ? .gray : .rgb, alpha: hasAlpha)
  }

  /// The number of bits of a sample, or of an index into the palette.
  var sampleBits: Int { fields.isEmpty ? bits : fields.map(\.bitCount).max()! }

  var isRunLengthCoded: Bool { compression == .rle4 || compression == .rle8 }

  /// The loss to report if a profile is not used.
  var losses: [MetadataLoss] {
    if hasLargeProfile { return [.unreadable(.icc, reason: "it has more than \(RawBMPHeader.profileLimit >> 20) MB")] }
    return hasProfile ? ICCProfile.losses(of: iccProfile, format) : []
  }
}
