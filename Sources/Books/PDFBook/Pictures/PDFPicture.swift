import CISAL
import ImageCore
import RowCompression

/// A picture as stored in the book: its stream, and the properties in its dictionary.
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
    /// Bytes that the file lacks, followed by a part of the file.
    case completed([UInt8], InputFile, Range<Int>)
  }

  package enum ColourSpace: Sendable, Hashable {
    case gray, rgb, cmyk
    /// Indices into a palette, which has a red, a green and a blue byte for each entry.
    case indexed(palette: [UInt8])

    package init(_ model: ColourModel) {
      switch model {
      case .gray: self = .gray
      case .rgb: self = .rgb
      case .cmyk: self = .cmyk
      }
    }

    /// The colour model of the shown picture; for indices, the model of the palette.
    var model: ColourModel {
      switch self {
      case .gray: .gray
      case .rgb, .indexed: .rgb
      case .cmyk: .cmyk
      }
    }

    /// The number of samples stored for a pixel.
    var componentCount: Int { if case .indexed = self { 1 } else { model.bandCount } }
  }

  /// The compression of the stream.
  package enum Compression: Sendable, Hashable {
    /// DCTDecode (PDF 32000-1:2008, 7.4.8).
    case jpeg
    /// FlateDecode with PNG predictors (7.4.4.4).
    case flate
    /// JPXDecode (7.4.9). For a bare codestream, the PDF must declare the colour space. Only a JP2 can declare that one
    /// of its components is opacity.
    case jpeg2000(statesColour: Bool, hasAlpha: Bool)
    /// CCITTFaxDecode (7.4.6), in Group 4. Black and white may be exchanged, and the end-of-block code may be missing.
    case fax(isInverted: Bool, endsWithBlock: Bool)
  }

  /// The size of a picture and the meaning of its samples.
  package struct Format: Sendable, Hashable {
    /// The width and height in stored pixels.
    package let width: Int
    package let height: Int
    package let colourSpace: ColourSpace
    /// The bits per component: 1 to 16, or up to 38 in JPEG 2000.
    package var bits = 8
    /// Whether 0 means full ink, as in CMYK JPEG files.
    package var isInverted = false
    /// Whether a JPEG's colours are stored as RGB instead of YCbCr.
    package var isUntransformed = false
  }

  package let data: Data
  package let compression: Compression
  package let format: Format
  /// The soft mask (11.6.5.3): a gray picture of the same size, compressed with Flate; nil if the picture is opaque or
  /// contains its opacity, as JPEG 2000 can.
  package let mask: [UInt8]?
  /// The ICC profile; empty if there is none, or if the given one is for another colour space.
  package let iccProfile: [UInt8]
  /// The check of a JPEG file's scans; nil for other data.
  var body: JPEGBodyCheck?

  init(data: Data, compression: Compression, format: Format, mask: [UInt8]? = nil, iccProfile: [UInt8]) {
    self.data = data
    self.compression = compression
    self.format = format
    self.mask = mask
    self.iccProfile = ICCProfile.matches(iccProfile, format.colourSpace.model) ? iccProfile : []
  }

  /// Creates a picture from a JPEG in memory, which is stored unchanged except that missing segments are added.
  ///
  /// - Throws: `JPEGFault` if the JPEG cannot be stored unchanged.
  package init(jpeg bytes: [UInt8], iccProfile: [UInt8] = []) throws(JPEGFault) {
    try self.init(
      bytes.withUnsafeBufferPointer { (bytes) throws(JPEGFault) in
        try JPEGHeader(UnsafeRawBufferPointer(bytes))
      },
      data: .bytes(bytes), iccProfile: iccProfile)
  }

  /// Creates a picture from an encoder's JPEG, which is stored unchanged except that missing segments are added.
  ///
  /// - Throws: `JPEGFault` if the JPEG cannot be stored unchanged.
  package init(jpeg bytes: EncodedBytes, iccProfile: [UInt8] = []) throws(JPEGFault) {
    try self.init(
      bytes.withUnsafeBytes { (bytes) throws(JPEGFault) in try JPEGHeader(bytes) },
      data: .encoded(bytes), iccProfile: iccProfile)
  }

  /// Creates a picture from a JPEG file, which is copied byte for byte when the book is written, with missing segments
  /// added. The file stays open until then.
  ///
  /// - Throws: `JPEGFault` if the JPEG cannot be stored unchanged, or the file cannot be read.
  package init(jpegFile file: InputFile, iccProfile: [UInt8] = []) throws(JPEGFault) {
    var reader = JPEGHeaderReader(file)
    try self.init(reader.header(), data: .file(file, offset: 0, count: file.byteCount), iccProfile: iccProfile)
    body = reader.body
  }

  /// Creates a picture from a JPEG whose header has been read.
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

/// The reason why fax rows cannot be stored.
package enum FaxFault: Error, Equatable {
  /// The first row that cannot be decoded, counted from 1.
  case damaged(row: Int)
}

extension FaxFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged(let row): "its fax rows are damaged from row \(row) on"
    }
  }
}

extension PDFPicture {
  /// Creates a picture from rows in CCITT Group 4 (ITU-T T.6), which are stored unchanged. All rows are decoded once to
  /// check them.
  ///
  /// - Parameter isInverted: whether black and white are exchanged relative to T.6.
  /// - Throws: `FaxFault` if a row cannot be decoded.
  package init(fax bytes: EncodedBytes, width: Int, height: Int, isInverted: Bool, iccProfile: [UInt8] = [])
    throws(FaxFault)
  {
    let endsWithBlock = try bytes.withUnsafeBytes { (bytes) throws(FaxFault) in
      var decoder = FaxDecoder(bytes, width: width)
      for row in 1...height { guard decoder.next() else { throw .damaged(row: row) } }
      return decoder.endsWithBlock()
    }
    self.init(
      data: .encoded(bytes), compression: .fax(isInverted: isInverted, endsWithBlock: endsWithBlock),
      format: Format(width: width, height: height, colourSpace: .gray, bits: 1), iccProfile: iccProfile)
  }

  /// Returns the picture with its data in memory.
  ///
  /// - Parameter bytes: the whole content of the picture's file.
  package func holding(_ bytes: EncodedBytes) -> PDFPicture {
    var held = Data.encoded(bytes)
    if case .completed(let head, _, let range) = data { held = bytes.withUnsafeBytes { .bytes(head + $0[range]) } }
    return PDFPicture(
      data: held, compression: compression, format: format, mask: mask, iccProfile: iccProfile)
  }
}

extension PDFPicture {
  /// Creates a picture from a JPEG 2000 file (ISO/IEC 15444-1), which is copied byte for byte when the book is written.
  /// A bare codestream is given the header of a JP2, because a PDF cannot hold codestreams (PDF 32000-1:2008, 7.4.9).
  ///
  /// The dictionary declares the colour space and the bits; without them, Ghostscript 10 shows gray pictures too light.
  ///
  /// - Parameters:
  ///   - width: the width in pixels, from the file's header.
  ///   - height: the height in pixels.
  ///   - components: the number of colour components: 3 for RGB, fewer for gray.
  ///   - isCodestream: whether the file is a bare codestream. It does not declare a colour space, so gray or RGB is
  ///     assumed.
  ///   - hasAlpha: whether one of the file's components is opacity, which only a JP2 header can declare.
  package init(
    jpeg2000File file: InputFile, width: Int, height: Int, components: Int, bits: Int, isCodestream: Bool,
    hasAlpha: Bool, iccProfile: [UInt8] = []
  ) {
    let format = Format(width: width, height: height, colourSpace: components < 3 ? .gray : .rgb, bits: bits)
    let whole = 0..<file.byteCount
    self.init(
      data: isCodestream
        ? .completed(Self.jp2Header(format, byteCount: file.byteCount), file, whole)
        : .file(file, offset: 0, count: file.byteCount),
      compression: .jpeg2000(statesColour: true, hasAlpha: hasAlpha), format: format, iccProfile: iccProfile)
  }

  /// Returns the boxes of a JP2 before its codestream (ISO/IEC 15444-1, Annex I).
  private static func jp2Header(_ format: Format, byteCount: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    func box(_ type: String, _ body: [UInt8]) -> [UInt8] { number(body.count + 8) + Array(type.utf8) + body }
    let count = format.colourSpace.componentCount
    let size = number(format.height) + number(format.width) + [0, UInt8(count), UInt8(format.bits - 1), 7, 0, 0]
    // 17 is gray, 16 is sRGB.
    let colours: [UInt8] = [1, 0, 0] + number(count == 1 ? 17 : 16)
    // A box with length 0 extends to the end of the file.
    let length = byteCount + 8 <= Int(UInt32.max) ? byteCount + 8 : 0
    return box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]) + box("ftyp", Array("jp2 ".utf8) + number(0) + Array("jp2 ".utf8))
      + box("jp2h", box("ihdr", size) + box("colr", colours)) + number(length) + Array("jp2c".utf8)
  }
}

extension PDFPicture {
  /// Returns the picture with the colour space that a standard requires; unchanged if the standard allows the picture's
  /// own.
  func prepared(for conformance: Conformance?, intent: OutputIntent?) -> PDFPicture {
    switch conformance {
    // ISO 15930-4:2003: colours must not depend on profiles.
    case .pdfX1a: return with(iccProfile: [])
    // ISO 15930-7:2010: device colours are those of the output intent, so colours with the same profile as the output
    // intent become device colours.
    case .pdfX4:
      let own = iccProfile.isEmpty ? usualProfile(intent) : iccProfile
      return with(iccProfile: own == intent?.profile ? [] : own)
    default: return self
    }
  }

  /// Returns the profile for a picture that has none; empty for gray, and for CMYK if the output intent is CMYK.
  private func usualProfile(_ intent: OutputIntent?) -> [UInt8] {
    switch format.colourSpace {
    case .rgb, .indexed: SRGBProfile.bytes
    case .cmyk: intent?.componentCount == 4 ? [] : StandardProfile.cmyk.bytes
    case .gray: []
    }
  }

  private func with(iccProfile profile: [UInt8]) -> PDFPicture {
    guard profile != iccProfile else { return self }
    var picture = PDFPicture(data: data, compression: compression, format: format, mask: mask, iccProfile: profile)
    picture.body = body
    return picture
  }
}

extension PDFPicture {
  /// Returns the digest of the stream's bytes. Reads a file once and checks it in the same pass without decoding it: a
  /// JPEG with `JPEGBodyCheck`, a PNG with the checksums of its chunks.
  ///
  /// A PNG's compressed data is not checked further, because inflating it would take longer than all other work for a
  /// page.
  ///
  /// - Throws: `JPEGFault`, `PNGFault`, `PDFError`, `FileError`.
  package func checkedDigest() throws -> SHA256Digest {
    switch data {
    case .file(let file, let offset, let count):
      guard var body else { return try data.digest() }
      var hash = SHA256()
      try FileWindows(file).pass(offset..<offset + count) { bytes in
        hash.update(bytes)
        try body.add(bytes)
      }
      try body.finish()
      return hash.finish()
    case .parts(let file, let ranges):
      var hash = SHA256()
      let windows = FileWindows(file)
      for range in ranges {
        // The checksum includes the type, which precedes the data (PNG, 5.3).
        var checksum = crc32_gzip_refl(0, Array("IDAT".utf8), 4)
        try windows.pass(range) { bytes in
          hash.update(bytes)
          checksum = crc32_gzip_refl(
            checksum, bytes.assumingMemoryBound(to: UInt8.self).baseAddress!, UInt64(bytes.count))
        }
        let stated = try file.bytes(at: range.upperBound, count: 4)
        guard stated.reduce(0, { $0 << 8 | UInt32($1) }) == checksum, stated.count == 4 else {
          throw PNGFault.checksum(chunk: "IDAT", offset: range.lowerBound - 8)
        }
      }
      return hash.finish()
    case .completed(let head, let file, let range):
      var hash = SHA256()
      hash.update(head)
      var body = body
      let windows = FileWindows(file)
      // The check counts bytes from the file's start, so it must also see the bytes before the range.
      try windows.pass(0..<range.lowerBound) { try body?.add($0) }
      try windows.pass(range) { bytes in
        hash.update(bytes)
        try body?.add(bytes)
      }
      try body?.finish()
      return hash.finish()
    case .bytes, .encoded: return try data.digest()
    }
  }
}

/// Reads parts of a file through one buffer, which comes from a pool because a book may read 2,000 files.
struct FileWindows {
  private static let size = 1 << 18

  private let file: InputFile
  private let space: PooledBytes

  init(_ file: InputFile) {
    self.file = file
    space = PooledBytes(capacity: min(Self.size, max(1, file.byteCount)))
  }

  /// Passes the bytes of a part to `body`, in non-empty pieces.
  ///
  /// - Throws: `PDFError` if the file cannot be read, and the errors of `body`.
  func pass(_ range: Range<Int>, to body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var place = range.lowerBound
    while place < range.upperBound {
      let wanted = UnsafeMutableRawBufferPointer(
        start: space.base, count: min(space.capacity, range.upperBound - place))
      let count: Int
      do { count = try file.read(at: place, into: wanted) } catch { throw PDFError.source(error) }
      guard count > 0 else { throw PDFError.sourceShrank(path: file.path) }
      try body(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
      place += count
    }
  }
}
