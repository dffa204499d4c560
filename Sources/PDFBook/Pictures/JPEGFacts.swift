import ImageCore

/// Why a JPEG cannot go into a PDF as it is. Decoding and encoding it again is the way out.
public enum JPEGFault: Error, Sendable, Equatable {
  case file(FileError)
  /// No frame header was found.
  case notAJPEG
  /// Most readers show these as blank pages.
  case precision(bits: Int)
  case arithmeticCoding
  case lossless
  case components(Int)
}

extension JPEGFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .notAJPEG: "is not a complete JPEG file"
    case .precision(let bits): "is a \(bits)-bit JPEG, which PDF readers show blank"
    case .arithmeticCoding: "is an arithmetic-coded JPEG, which PDF readers show blank"
    case .lossless: "is a lossless JPEG, which PDF readers show blank"
    case .components(let count): "is a JPEG with \(count) components, which PDF cannot hold"
    }
  }
}

/// What a PDF must say about a JPEG, read from its markers (ITU-T T.81, Annex B).
public struct JPEGFacts: Sendable, Hashable {
  public let width: Int
  public let height: Int
  public let components: Int
  /// Bits of a sample: 8, or 12 in rare files.
  public let bits: Int
  public let isArithmetic: Bool
  public let isLossless: Bool
  /// The transform byte of an Adobe APP14 marker, nil without one (Adobe Technical Note 5116, 18).
  public let adobeTransform: Int?

  public init(
    width: Int, height: Int, components: Int, bits: Int = 8, isArithmetic: Bool = false,
    isLossless: Bool = false, adobeTransform: Int? = nil
  ) {
    self.width = width
    self.height = height
    self.components = components
    self.bits = bits
    self.isArithmetic = isArithmetic
    self.isLossless = isLossless
    self.adobeTransform = adobeTransform
  }

  /// Reads the markers of a JPEG in memory.
  public init(_ bytes: UnsafeRawBufferPointer) throws(JPEGFault) {
    try self.init(count: bytes.count) { (offset, count) throws(FileError) in
      Array(bytes[offset..<min(bytes.count, offset + count)])
    }
  }

  /// Reads the markers of a file: its first bytes at once, which is all of most headers, then a few at
  /// each.
  public init(_ file: InputFile) throws(JPEGFault) {
    let head: [UInt8]
    do { head = try file.bytes(at: 0, count: 2_048) } catch { throw .file(error) }
    try self.init(count: file.byteCount) { (offset, count) throws(FileError) in
      offset + count <= head.count
        ? Array(head[offset..<offset + count]) : try file.bytes(at: offset, count: count)
    }
  }

  private init(
    count: Int, read: (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]
  ) throws(JPEGFault) {
    func bytes(_ offset: Int, _ wanted: Int) throws(JPEGFault) -> [UInt8] {
      guard offset + wanted <= count else { throw .notAJPEG }
      let result: [UInt8]
      do { result = try read(offset, wanted) } catch { throw .file(error) }
      guard result.count == wanted else { throw .notAJPEG }
      return result
    }
    guard try bytes(0, 2) == [0xff, 0xd8] else { throw .notAJPEG }
    var offset = 2
    var adobe: Int?
    while true {
      let head = try bytes(offset, 4)
      guard head[0] == 0xff else { throw .notAJPEG }
      let length = Int(head[2]) << 8 | Int(head[3])
      switch head[1] {
      case 0xff:
        // A fill byte (B.1.1.2).
        offset += 1
        continue
      case 0xee where length >= 14:
        let body = try bytes(offset + 4, 12)
        if body.starts(with: "Adobe".utf8) { adobe = Int(body[11]) }
      case 0xc4, 0xc8, 0xcc: break
      case 0xc0...0xcf:
        self.init(frame: head[1], body: try bytes(offset + 4, 6), adobeTransform: adobe)
        guard width > 0, height > 0 else { throw .notAJPEG }
        return
      case 0xd9, 0xda: throw .notAJPEG
      default: break
      }
      offset += 2 + max(2, length)
    }
  }

  private init(frame marker: UInt8, body: [UInt8], adobeTransform: Int?) {
    self.init(
      width: Int(body[3]) << 8 | Int(body[4]), height: Int(body[1]) << 8 | Int(body[2]),
      components: Int(body[5]), bits: Int(body[0]), isArithmetic: marker >= 0xc9,
      isLossless: marker & 3 == 3, adobeTransform: adobeTransform)
  }
}
