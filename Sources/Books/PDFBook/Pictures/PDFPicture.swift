import ImageCore

/// A picture as stored in the book: its stream, and the properties that its dictionary states.
package struct PDFPicture: Sendable {
  /// The source of the stream's bytes.
  package enum Data: Sendable {
    case bytes([UInt8])
    /// The output of an encoder.
    case encoded(EncodedBytes)
    /// A part of a file.
    case file(InputFile, offset: Int, count: Int)
    /// Several parts of a file, one after another.
    case parts(InputFile, [Range<Int>])
    /// A part of a file after bytes that it lacks.
    case completed([UInt8], InputFile, Range<Int>)
  }

  package enum ColourSpace: Sendable, Hashable {
    case gray, rgb, cmyk
    /// Indices into a table of red, green and blue.
    case indexed(palette: [UInt8])

    package init(_ model: ColourModel) {
      switch model {
      case .gray: self = .gray
      case .rgb: self = .rgb
      case .cmyk: self = .cmyk
      }
    }

    /// The number of samples stored for a pixel.
    var componentCount: Int {
      switch self {
      case .gray, .indexed: 1
      case .rgb: 3
      case .cmyk: 4
      }
    }
  }

  /// The compression of the stream.
  package enum Compression: Sendable, Hashable {
    /// DCTDecode (PDF 32000-1:2008, 7.4.8).
    case jpeg
    /// FlateDecode with PNG predictors (7.4.4.4).
    case flate
    /// JPXDecode (7.4.9). The PDF must state the colour space of a bare codestream. Only a JP2 can state that it has
    /// opacity.
    case jpeg2000(statesColour: Bool, hasAlpha: Bool)
    /// CCITTFaxDecode (7.4.6), in Group 4. Black and white may be exchanged, and the rows may lack their end code.
    case fax(isInverted: Bool, endsWithBlock: Bool)
  }

  /// The size of a picture and the meaning of its samples.
  package struct Format: Sendable, Hashable {
    /// The width and height in stored pixels.
    package let width: Int
    package let height: Int
    package let colourSpace: ColourSpace
    /// The bits of a component: 1 to 16.
    package var bits = 8
    /// Whether 0 means full ink, as in CMYK JPEG files.
    package var isInverted = false
    /// Whether a JPEG's colours are stored as RGB instead of YCbCr.
    package var isUntransformed = false
  }

  package let data: Data
  package let compression: Compression
  package let format: Format
  /// The soft mask (11.6.5.3): a gray picture of the same size, compressed with Flate; nil if opaque.
  package let mask: [UInt8]?
  /// The profile; empty if there is none or it is for another colour space.
  package let iccProfile: [UInt8]
  /// The check of a JPEG file's scans; nil for other data.
  var body: JPEGBodyCheck?

  init(data: Data, compression: Compression, format: Format, mask: [UInt8]? = nil, iccProfile: [UInt8]) {
    self.data = data
    self.compression = compression
    self.format = format
    self.mask = mask
    self.iccProfile = ICCProfile.fits(iccProfile, format.colourSpace) ? iccProfile : []
  }

  /// Creates a picture of a JPEG in memory, stored unchanged.
  ///
  /// - Throws: `JPEGFault` if PDF readers would not show the picture.
  package init(jpeg bytes: [UInt8], iccProfile: [UInt8] = []) throws(JPEGFault) {
    try self.init(
      bytes.withUnsafeBufferPointer { (bytes) throws(JPEGFault) in
        try JPEGHeader(UnsafeRawBufferPointer(bytes))
      },
      data: .bytes(bytes), iccProfile: iccProfile)
  }

  /// Creates a picture of an encoded JPEG, stored unchanged.
  ///
  /// - Throws: `JPEGFault` if PDF readers would not show the picture.
  package init(jpeg bytes: EncodedBytes, iccProfile: [UInt8] = []) throws(JPEGFault) {
    try self.init(
      bytes.withUnsafeBytes { (bytes) throws(JPEGFault) in try JPEGHeader(bytes) },
      data: .encoded(bytes), iccProfile: iccProfile)
  }

  /// Creates a picture of a JPEG file, which is copied byte for byte when the book is written. The file stays
  /// open until then.
  ///
  /// - Throws: `JPEGFault` if PDF readers would not show the picture, or the file cannot be read.
  package init(jpegFile file: InputFile, iccProfile: [UInt8] = []) throws(JPEGFault) {
    var reader = JPEGHeaderReader(file)
    try self.init(reader.header(), data: .file(file, offset: 0, count: file.byteCount), iccProfile: iccProfile)
    body = reader.body
  }

  /// Creates a picture of a JPEG whose header has been read.
  package init(_ header: JPEGHeader, data: Data, iccProfile: [UInt8] = []) throws(JPEGFault) {
    guard !header.isArithmetic else { throw .arithmeticCoding }
    guard header.bits == 8 else { throw .precision(bits: header.bits) }
    guard !header.isLossless else { throw .lossless }
    guard !header.isDisputed else { throw .disputedColours }
    let space: ColourSpace
    switch header.components {
    case 1: space = .gray
    case 3: space = .rgb
    case 4: space = .cmyk
    default: throw .components(header.components)
    }
    self.init(
      data: data.inserting(header.missingSegments), compression: .jpeg,
      format: Format(
        width: header.width, height: header.height, colourSpace: space, isInverted: space == .cmyk,
        isUntransformed: header.isRGB), iccProfile: iccProfile)
  }
}
