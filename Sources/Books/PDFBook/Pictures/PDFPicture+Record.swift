import ImageCore

/// Transfers pictures between programs, as records of everything except the stream's bytes and the profile.
extension PDFPicture {
  /// Appends the properties except the profile, which is transferred separately because thousands of pictures may share
  /// it.
  package func append(to record: inout WireWriter) {
    switch compression {
    case .jpeg: record.append(UInt8(0))
    case .flate: record.append(UInt8(1))
    case .jpeg2000(let statesColour, let hasAlpha):
      record.append(UInt8(2))
      record.append(UInt8((statesColour ? 1 : 0) | (hasAlpha ? 2 : 0)))
    case .fax(let isInverted, let endsWithBlock):
      record.append(UInt8(3))
      record.append(UInt8((isInverted ? 1 : 0) | (endsWithBlock ? 2 : 0)))
    }
    record.append(UInt32(format.width))
    record.append(UInt32(format.height))
    record.append(UInt8(format.bits))
    record.append(UInt8((format.isInverted ? 1 : 0) | (format.isUntransformed ? 2 : 0)))
    switch format.colourSpace {
    case .gray: record.append(UInt8(0))
    case .rgb: record.append(UInt8(1))
    case .cmyk: record.append(UInt8(2))
    case .indexed(let palette):
      record.append(UInt8(3))
      record.append(text: palette)
    }
    record.append(UInt8(mask == nil ? 0 : 1))
    if let mask { record.append(text: mask) }
  }

  /// Reads what `append` has written.
  ///
  /// - Throws: `WireError` if the record is damaged.
  package init(_ record: inout WireReader, data: Data, iccProfile: [UInt8]) throws(WireError) {
    let compression = try Self.compression(&record)
    let (width, height) = (Int(try record.integer(UInt32.self)), Int(try record.integer(UInt32.self)))
    let bits = Int(try record.integer(UInt8.self))
    // Samples are counted later in 64-bit integers, and the count must not overflow.
    guard width > 0, height > 0, width <= Self.mostSamples / height, (1...38).contains(bits) else {
      throw WireError()
    }
    let meaning = try record.integer(UInt8.self)
    let space = try Self.colourSpace(&record)
    let mask: [UInt8]? = try record.integer(UInt8.self) == 1 ? Array(try record.text()) : nil
    self.init(
      data: data, compression: compression,
      format: Format(
        width: width, height: height, colourSpace: space, bits: bits, isInverted: meaning & 1 != 0,
        isUntransformed: meaning & 2 != 0),
      mask: mask, iccProfile: iccProfile)
  }

  /// The maximum number of samples of one component in a picture.
  private static let mostSamples = 1 << 48

  private static func compression(_ record: inout WireReader) throws(WireError) -> Compression {
    switch try record.integer(UInt8.self) {
    case 0: return .jpeg
    case 1: return .flate
    case 2:
      let flags = try record.integer(UInt8.self)
      return .jpeg2000(statesColour: flags & 1 != 0, hasAlpha: flags & 2 != 0)
    case 3:
      let flags = try record.integer(UInt8.self)
      return .fax(isInverted: flags & 1 != 0, endsWithBlock: flags & 2 != 0)
    default: throw WireError()
    }
  }

  private static func colourSpace(_ record: inout WireReader) throws(WireError) -> ColourSpace {
    switch try record.integer(UInt8.self) {
    case 0: return .gray
    case 1: return .rgb
    case 2: return .cmyk
    case 3: return .indexed(palette: Array(try record.text()))
    default: throw WireError()
    }
  }

  /// Passes the stream's bytes to `body`, in pieces.
  ///
  /// - Throws: `PDFError` if a file cannot be read, and the errors of `body`.
  package func passStream(to body: (UnsafeRawBufferPointer) throws -> Void) throws {
    switch data {
    case .bytes(let bytes): try bytes.withUnsafeBytes(body)
    case .encoded(let bytes):
      try bytes.withUnsafeBytes { (bytes) throws(any Error) in try body(bytes) }
    case .file(let file, let offset, let count):
      try FileWindows(file).pass(offset..<offset + count, to: body)
    case .completed(let head, let file, let range):
      try head.withUnsafeBytes(body)
      try FileWindows(file).pass(range, to: body)
    case .parts(let file, let ranges):
      let windows = FileWindows(file)
      for range in ranges { try windows.pass(range, to: body) }
    }
  }

  /// Returns the digest of the stream's bytes.
  package func streamDigest() throws(PDFError) -> SHA256Digest { try data.digest() }

  /// Whether the stream consists of exactly the bytes of a file.
  package var isWholeFile: Bool {
    if case .file(let file, 0, let count) = data { count == file.byteCount } else { false }
  }

  /// The number of the stream's bytes.
  package var streamByteCount: Int { data.count }
}
