import ImageCore

/// A picture as it will be stored: the bytes of its stream, or where to copy them from, and the facts its
/// dictionary states.
public struct PDFPicture: Sendable {
  /// Where the stream's bytes are.
  public enum Data: Sendable {
    case bytes([UInt8])
    /// What an encoder made.
    case encoded(EncodedBytes)
    /// A part of a file; moved without passing through memory where the system can.
    case file(InputFile, offset: Int, count: Int)
    /// Several parts of a file, one after another.
    case parts(InputFile, [Range<Int>])
  }

  public enum ColourSpace: Sendable, Hashable {
    case gray, rgb, cmyk
    /// Indices into a table of red, green and blue.
    case indexed(palette: [UInt8])

    /// What is stored of a pixel.
    var componentCount: Int {
      switch self {
      case .gray, .indexed: 1
      case .rgb: 3
      case .cmyk: 4
      }
    }
  }

  /// How the bytes are compressed.
  public enum Compression: Sendable, Hashable {
    /// DCTDecode (PDF 32000-1:2008, 7.4.8).
    case jpeg
    /// FlateDecode with PNG predictors (7.4.4.4).
    case flate
    /// JPXDecode (7.4.9): a raw codestream does not state its colours, so that the PDF must; only a JP2 can
    /// say that it has opacity.
    case jpeg2000(statesColour: Bool, hasAlpha: Bool)
  }

  public let data: Data
  public let compression: Compression
  /// Stored pixels across and down.
  public let width: Int
  public let height: Int
  public let colourSpace: ColourSpace
  /// Bits of a component: 1 to 16.
  public let bits: Int
  /// Whether 0 means full ink: CMYK with an Adobe marker.
  public let isInverted: Bool
  /// Opacity by a picture of its own (11.6.5.3): gray, Flate, same size.
  public let mask: [UInt8]?
  /// Empty for none; left out where its colour space does not fit.
  public let iccProfile: [UInt8]
  /// Of a JPEG file, from its first scan on; nil for others.
  var body: JPEGBodyCheck?

  init(
    data: Data, compression: Compression, width: Int, height: Int, colourSpace: ColourSpace,
    bits: Int, isInverted: Bool = false, mask: [UInt8]? = nil, iccProfile: [UInt8]
  ) {
    self.data = data
    self.compression = compression
    self.width = width
    self.height = height
    self.colourSpace = colourSpace
    self.bits = bits
    self.isInverted = isInverted
    self.mask = mask
    self.iccProfile = ICCProfile.fits(iccProfile, colourSpace) ? iccProfile : []
  }

  /// A JPEG file's bytes, unchanged: a page the pipeline encoded.
  ///
  /// - Throws: `JPEGFault` where PDF readers would not show the picture.
  public init(jpeg bytes: [UInt8], iccProfile: [UInt8] = []) throws(JPEGFault) {
    try self.init(
      bytes.withUnsafeBufferPointer { (bytes) throws(JPEGFault) in
        try JPEGFacts(UnsafeRawBufferPointer(bytes))
      },
      data: .bytes(bytes), iccProfile: iccProfile)
  }

  /// The same in memory of the pool.
  ///
  /// - Throws: `JPEGFault` where PDF readers would not show the picture.
  public init(jpeg bytes: EncodedBytes, iccProfile: [UInt8] = []) throws(JPEGFault) {
    try self.init(
      bytes.withUnsafeBytes { (bytes) throws(JPEGFault) in try JPEGFacts(bytes) },
      data: .encoded(bytes), iccProfile: iccProfile)
  }

  /// A whole JPEG file, copied byte for byte when the book is written. The file stays open until then.
  ///
  /// - Throws: `JPEGFault` where PDF readers would not show the picture, or the file cannot be read.
  public init(jpegFile file: InputFile, iccProfile: [UInt8] = []) throws(JPEGFault) {
    var walk = JPEGHeaderWalk(file)
    try self.init(
      walk.facts(), data: .file(file, offset: 0, count: file.byteCount), iccProfile: iccProfile)
    body = walk.body
  }

  /// JPEG bytes whose header is known already.
  public init(_ facts: JPEGFacts, data: Data, iccProfile: [UInt8] = []) throws(JPEGFault) {
    guard !facts.isArithmetic else { throw .arithmeticCoding }
    guard facts.bits == 8 else { throw .precision(bits: facts.bits) }
    guard !facts.isLossless else { throw .lossless }
    let space: ColourSpace
    switch facts.components {
    case 1: space = .gray
    case 3: space = .rgb
    case 4: space = .cmyk
    default: throw .components(facts.components)
    }
    self.init(
      data: data, compression: .jpeg, width: facts.width, height: facts.height, colourSpace: space,
      bits: 8, isInverted: space == .cmyk && facts.adobeTransform != nil, iccProfile: iccProfile)
  }
}

/// What is read of an ICC profile's header (ICC.1:2010, 7.2).
enum ICCProfile {
  /// Whether a profile describes pictures of this colour space.
  static func fits(_ profile: [UInt8], _ space: PDFPicture.ColourSpace) -> Bool {
    guard profile.count > 128, profile[36..<40].elementsEqual("acsp".utf8) else { return false }
    let signature =
      switch space {
      case .gray: "GRAY"
      case .rgb, .indexed: "RGB "
      case .cmyk: "CMYK"
      }
    return profile[16..<20].elementsEqual(signature.utf8)
  }
}
