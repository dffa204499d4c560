import ImageCore

/// The properties of a PNG that a PDF has to declare, and the ranges of its compressed data, read from its chunks (PNG
/// specification, third edition, section 11).
package struct PNGStructure: Sendable, Hashable {
  package let width: Int
  package let height: Int
  /// The colour type: 0 for gray, 2 for RGB, 3 for a palette.
  package let colourType: Int
  /// The bits per sample or palette index.
  package let bits: Int
  /// The palette: red, green and blue of each entry; empty for other colour types.
  package let palette: [UInt8]
  /// The ranges of the IDAT chunks' data in the file, in order.
  package let data: [Range<Int>]

  /// Reads the structure of a file: the length and type of each chunk, and the content of IHDR and PLTE.
  package init(_ file: InputFile) throws(PNGFault) {
    func bytes(_ offset: Int, _ count: Int) throws(PNGFault) -> [UInt8] {
      let result: [UInt8]
      do { result = try file.bytes(at: offset, count: count) } catch { throw .file(error) }
      guard result.count == count else { throw .notAPNG }
      return result
    }
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    let head = try bytes(0, 33)
    guard head[..<8].elementsEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      head[12..<16].elementsEqual("IHDR".utf8), number(head[8..<12]) == 13
    else { throw .notAPNG }
    width = number(head[16..<20])
    height = number(head[20..<24])
    bits = Int(head[24])
    colourType = Int(head[25])
    guard width > 0, height > 0, [1, 2, 4, 8, 16].contains(bits) else { throw .notAPNG }
    guard head[28] == 0 else { throw .interlaced }
    guard [0, 2, 3].contains(colourType) else { throw .transparency }
    var palette: [UInt8] = []
    var data: [Range<Int>] = []
    var offset = 33
    // The end of the last IDAT chunk. These chunks are consecutive (5.6).
    var pixelEnd: Int?
    while true {
      let chunk = try bytes(offset, 8)
      let length = number(chunk[..<4])
      let name = String(decoding: chunk[4...], as: UTF8.self)
      guard offset + 12 + length <= file.byteCount else { throw .notAPNG }
      switch name {
      case "PLTE":
        guard length % 3 == 0, (3...768).contains(length) else { throw .notAPNG }
        palette = try bytes(offset + 8, length)
      case "tRNS": throw .transparency
      case "IDAT":
        if let pixelEnd, pixelEnd != offset { throw .interrupted(offset: offset) }
        pixelEnd = offset + 12 + length
        if length > 0 { data.append(offset + 8..<offset + 8 + length) }
      default: break
      }
      if name == "IEND" { break }
      offset += 12 + length
    }
    guard !data.isEmpty, colourType != 3 || !palette.isEmpty else { throw .notAPNG }
    self.palette = colourType == 3 ? palette : []
    self.data = data
  }
}

extension PDFPicture {
  /// Creates a picture from a PNG file's compressed data, which is copied when the book is written. The file stays open
  /// until then.
  ///
  /// - Throws: `PNGFault` if a PDF cannot use the data unchanged, or the file cannot be read.
  package init(pngFile file: InputFile, iccProfile: [UInt8] = []) throws(PNGFault) {
    let png = try PNGStructure(file)
    let space: ColourSpace =
      switch png.colourType {
      case 0: .gray
      case 2: .rgb
      default: .indexed(palette: png.palette)
      }
    self.init(
      data: .parts(file, png.data), compression: .flate,
      format: Format(width: png.width, height: png.height, colourSpace: space, bits: png.bits), iccProfile: iccProfile)
  }
}

/// A fault that prevents a PNG's data from being stored in a PDF unchanged. Compressing the pixels again removes the
/// fault.
package enum PNGFault: Error, Sendable, Equatable {
  case file(FileError)
  /// The file is not a PNG, or is truncated.
  case notAPNG
  /// An interlaced PNG; PDF has no interlaced pictures.
  case interlaced
  /// A PNG with transparency; PDF stores opacity separately from colour.
  case transparency
  /// A chunk whose data does not match its checksum.
  case checksum(chunk: String, offset: Int)
  /// A data chunk that does not directly follow the previous one.
  case interrupted(offset: Int)
}

extension PNGFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error): error.description
    case .notAPNG: "not a complete PNG file"
    case .interlaced: "an interlaced PNG, which PDF cannot hold"
    case .transparency: "a PNG with transparency, which PDF stores separately"
    case .checksum(let chunk, let offset):
      "wrong checksum of chunk \(chunk) at byte \(offset)"
    case .interrupted(let offset):
      "chunk IDAT at byte \(offset) does not follow the one before it"
    }
  }
}
