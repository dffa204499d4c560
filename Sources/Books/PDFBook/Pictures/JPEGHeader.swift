import ImageCore

/// The properties of a JPEG that a PDF has to declare, read from its markers (ITU-T T.81, Annex B).
package struct JPEGHeader: Sendable, Hashable {
  package let width: Int
  package let height: Int
  package let components: Int
  /// The bits per sample: 8, or 12 in rare files.
  package let bits: Int
  package let isArithmetic: Bool
  package let isLossless: Bool
  /// The transform byte of an Adobe APP14 marker; nil without one (Adobe Technical Note 5116, 18).
  package let adobeTransform: Int?
  /// Whether the JPEG has a JFIF marker.
  var isJFIF = false
  /// Whether its components are named R, G and B.
  var namesRGB = false
  /// Whether the JPEG has no Huffman tables, so that the standard tables of T.81, K.3, apply, as in frames of Motion
  /// JPEG.
  var lacksTables = false

  package init(
    width: Int, height: Int, components: Int, bits: Int = 8, isArithmetic: Bool = false, isLossless: Bool = false,
    adobeTransform: Int? = nil
  ) {
    self.width = width
    self.height = height
    self.components = components
    self.bits = bits
    self.isArithmetic = isArithmetic
    self.isLossless = isLossless
    self.adobeTransform = adobeTransform
  }
}

extension JPEGHeader {
  /// Reads the header of a JPEG in memory, up to its first scan.
  package init(_ bytes: UnsafeRawBufferPointer) throws(JPEGFault) {
    var reader = JPEGHeaderReader(count: bytes.count) { (offset, count) throws(FileError) in
      Array(bytes[offset..<min(bytes.count, offset + count)])
    }
    self = try reader.header()
  }
}

/// A fault that prevents a JPEG from being stored in a PDF unchanged. Encoding the picture again removes the fault.
package enum JPEGFault: Error, Sendable, Equatable {
  case file(FileError)
  /// The file does not begin like a JPEG.
  case notAJPEG
  /// There are bytes between the segments. Some decoders skip them and show a picture.
  case strayBytes
  /// A number of bits per sample that most PDF readers show as a blank page.
  case precision(bits: Int)
  case arithmeticCoding
  case lossless
  case components(Int)
  /// The file's markers contradict each other: JFIF means YCbCr, but the Adobe marker says RGB.
  case disputedColours
  /// A part of the file is missing or invalid, so that no decoder shows the whole picture.
  case damaged(String)
  /// The file ends before the picture does.
  case truncated
}

extension JPEGFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error): error.description
    case .notAJPEG: "is not a JPEG file"
    case .strayBytes: "has stray bytes between its segments"
    case .precision(let bits): "is a \(bits)-bit JPEG, which PDF readers show blank"
    case .arithmeticCoding: "is an arithmetic-coded JPEG, which PDF readers show blank"
    case .lossless: "is a lossless JPEG, which PDF readers show blank"
    case .components(let count): "is a JPEG with \(count) components, which PDF cannot hold"
    case .disputedColours: "is YCbCr by its JFIF marker and RGB by its Adobe marker"
    case .damaged(let words): "is damaged (\(words))"
    case .truncated: "is truncated"
    }
  }
}

/// A JPEG's frame header (ITU-T T.81, B.2.2).
struct JPEGFrame: Sendable {
  struct Component: Sendable {
    let id: UInt8
    /// The horizontal and vertical sampling factors, 1 to 4.
    let horizontal, vertical: Int
    let quantisation: Int
  }

  let marker: UInt8
  let bits: Int
  let width: Int
  let height: Int
  let componentCount: Int
  /// The components; empty for a coding process that PDF does not support.
  private(set) var components: [Component] = []

  var isProgressive: Bool { marker == 0xc2 }
  /// Whether the coding process is sequential or progressive DCT with Huffman codes and 8 bits per sample. PDF readers
  /// decode no other process.
  var isHuffmanDCT: Bool { (0xc0...0xc2).contains(marker) && bits == 8 }

  /// - Parameter body: the segment without its length.
  init(_ marker: UInt8, _ body: [UInt8]) throws(JPEGFault) {
    guard body.count >= 6 else { throw .damaged("truncated frame header") }
    self.marker = marker
    bits = Int(body[0])
    height = Int(body[1]) << 8 | Int(body[2])
    width = Int(body[3]) << 8 | Int(body[4])
    componentCount = Int(body[5])
    guard width > 0, height > 0 else { throw .damaged("the frame header states no size") }
    guard isHuffmanDCT else { return }
    guard [1, 3, 4].contains(componentCount) else { throw .components(componentCount) }
    guard body.count == 6 + 3 * componentCount else { throw .damaged("wrong length of the frame header") }
    components = (0..<componentCount).map { index in
      let part = body[(6 + 3 * index)...].prefix(3)
      let (id, sampling, table) = (part.first!, part.dropFirst().first!, part.last!)
      return Component(id: id, horizontal: Int(sampling >> 4), vertical: Int(sampling & 15), quantisation: Int(table))
    }
    for component in components {
      guard (1...4).contains(component.horizontal), (1...4).contains(component.vertical) else {
        throw .damaged("invalid sampling factors of component \(component.id)")
      }
      guard component.quantisation < 4 else {
        throw .damaged("invalid quantisation table of component \(component.id)")
      }
    }
  }
}

/// Reads the segments before a JPEG's first scan (ITU-T T.81, Annex B), and rejects headers that decoders cannot use.
/// The bytes go into a book without being decoded, so no later step would find such a fault.
struct JPEGHeaderReader {
  private var window: JPEGHeaderBuffer
  private var tables = JPEGTableSet()
  private var frame: JPEGFrame?
  private var adobe: Int?
  private var isJFIF = false
  private var lacksTables = false
  private var restartInterval = 0
  /// The check of the data after the header; nil until the header has been read, and for a JPEG that PDF does not
  /// support.
  private(set) var body: JPEGBodyCheck?

  /// - Parameter read: reads bytes of the file; returns fewer at its end.
  init(count: Int, read: @escaping (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]) {
    window = JPEGHeaderBuffer(byteCount: count, read: read)
  }

  init(_ file: InputFile) { window = JPEGHeaderBuffer(file) }

  mutating func header() throws(JPEGFault) -> JPEGHeader {
    guard window.byteCount >= 2, try window.bytes(0, 2).elementsEqual([0xff, 0xd8]) else { throw .notAJPEG }
    var offset = 2
    while true {
      guard try window.byte(offset) == 0xff else { throw .strayBytes }
      let marker = try window.byte(offset + 1)
      // A fill byte (B.1.1.2), or a marker without a length.
      if marker == 0xff || marker == 0x01 || (0xd0...0xd7).contains(marker) {
        offset += marker == 0xff ? 1 : 2
        continue
      }
      guard marker != 0 else { throw .strayBytes }
      guard marker != 0xd8 else { throw .damaged("two starts of image") }
      guard marker != 0xd9 else { throw .damaged("the image ends before its first scan") }
      let length = try window.length(offset + 2)
      guard length >= 2 else { throw .damaged("invalid length of a segment") }
      guard offset + 2 + length <= window.byteCount else { throw .damaged("a segment exceeds the file") }
      if try segment(marker, at: offset + 4, count: length - 2) { return header(of: frame!) }
      offset += 2 + length
    }
  }

  /// Reads a segment. Returns whether the header is complete.
  private mutating func segment(_ marker: UInt8, at offset: Int, count: Int) throws(JPEGFault) -> Bool {
    switch marker {
    // An empty segment of tables.
    case 0xdb where count == 0, 0xc4 where count == 0: break
    case 0xe0 where count >= 14:
      if try window.bytes(offset, 5).elementsEqual("JFIF\0".utf8) { isJFIF = true }
    case 0xee where count >= 12:
      let body = Array(try window.bytes(offset, 12))
      if body.starts(with: "Adobe".utf8) { adobe = Int(body[11]) }
    case 0xdb: try tables.addQuantisation(Array(window.bytes(offset, count)))
    case 0xc4: try tables.addHuffman(Array(window.bytes(offset, count)))
    case 0xdd: restartInterval = try JPEGBodyCheck.restartInterval(Array(window.bytes(offset, count)))
    case 0xc8, 0xcc: break
    case 0xc0...0xcf:
      guard frame == nil else { throw .damaged("two frame headers") }
      let frame = try JPEGFrame(marker, Array(window.bytes(offset, count)))
      self.frame = frame
      // Scans of other coding processes have another structure, so they are not read. JPEGs with such scans are
      // rejected later.
      return !frame.isHuffmanDCT
    case 0xda:
      guard let frame else { throw .damaged("a scan before the frame header") }
      if !tables.hasHuffman, !frame.isProgressive {
        lacksTables = true
        try tables.addHuffman(Array(JPEGTableSet.standard.dropFirst(4)))
      }
      body = try JPEGBodyCheck(
        frame, tables, restartInterval: restartInterval,
        firstScan: JPEGScan(Array(window.bytes(offset, count)), of: frame), at: offset + count)
      return true
    default: break
    }
    return false
  }

  private func header(of frame: JPEGFrame) -> JPEGHeader {
    var header = JPEGHeader(
      width: frame.width, height: frame.height, components: frame.componentCount, bits: frame.bits,
      isArithmetic: frame.marker >= 0xc9, isLossless: frame.marker & 3 == 3, adobeTransform: adobe)
    header.isJFIF = isJFIF
    header.namesRGB = frame.components.map(\.id) == Array("RGB".utf8)
    header.lacksTables = lacksTables
    return header
  }
}

/// A buffer for reading a JPEG's header. For a megabyte of empty segments, one system call per segment would take a
/// quarter of a second in total, and one array slice per segment about 20 ms.
private struct JPEGHeaderBuffer {
  private static let maximumSize = 65_536

  let byteCount: Int
  private let read: (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]
  private var window: [UInt8] = []
  private var start = 0
  private var size = 2_048

  init(byteCount: Int, read: @escaping (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]) {
    self.byteCount = byteCount
    self.read = read
  }

  init(_ file: InputFile) {
    self.init(byteCount: file.byteCount) { (offset, count) throws(FileError) in
      try file.bytes(at: offset, count: count)
    }
  }

  /// Returns the byte at an offset. An offset outside the buffer causes another read.
  @inline(__always)
  mutating func byte(_ offset: Int) throws(JPEGFault) -> UInt8 {
    let place = offset - start
    if place >= 0, place < window.count { return window[place] }
    try move(to: offset, 1)
    return window[0]
  }

  /// Returns the big-endian 16-bit number at an offset.
  @inline(__always)
  mutating func length(_ offset: Int) throws(JPEGFault) -> Int {
    try Int(byte(offset)) << 8 | Int(byte(offset + 1))
  }

  mutating func bytes(_ offset: Int, _ wanted: Int) throws(JPEGFault) -> ArraySlice<UInt8> {
    guard wanted <= byteCount - offset else { throw .truncated }
    if offset < start || offset + wanted > start + window.count { try move(to: offset, wanted) }
    return window[offset - start..<offset - start + wanted]
  }

  /// Fills the buffer from an offset. Each read is twice as long as the previous one, up to `maximumSize`, and longer
  /// only if necessary.
  private mutating func move(to offset: Int, _ wanted: Int) throws(JPEGFault) {
    guard wanted <= byteCount - offset else { throw .truncated }
    do { window = try read(offset, max(wanted, size)) } catch { throw .file(error) }
    size = min(size * 2, Self.maximumSize)
    start = offset
    guard window.count >= wanted else { throw .truncated }
  }
}
