import ImageCore

extension JPEGFacts {
  /// Reads the header of a JPEG in memory, to its first scan.
  public init(_ bytes: UnsafeRawBufferPointer) throws(JPEGFault) {
    var walk = JPEGHeaderWalk(count: bytes.count) { (offset, count) throws(FileError) in
      Array(bytes[offset..<min(bytes.count, offset + count)])
    }
    self = try walk.facts()
  }

  /// Reads the header of a file, to its first scan: its first bytes at once, which is all of most headers,
  /// then as much again where something of it lies beyond.
  public init(_ file: InputFile) throws(JPEGFault) {
    var walk = JPEGHeaderWalk(file)
    self = try walk.facts()
  }
}

/// Goes over the segments before a JPEG's first scan (ITU-T T.81, Annex B), and refuses what decoders cannot
/// begin with: the bytes go into a book undecoded, so that nothing else would find out.
struct JPEGHeaderWalk {
  private var window: JPEGHeaderWindow
  private var count: Int { window.byteCount }
  private var tables = JPEGTableState()
  private var frame: JPEGFrame?
  private var adobe: Int?
  private var restartInterval = 0
  /// What follows the header; nil before that, and where it is none that a PDF holds.
  private(set) var body: JPEGBodyCheck?

  /// - Parameter read: gives bytes of the file; fewer at its end.
  init(count: Int, read: @escaping (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]) {
    window = JPEGHeaderWindow(byteCount: count, read: read)
  }

  init(_ file: InputFile) { window = JPEGHeaderWindow(file) }

  private mutating func bytes(_ offset: Int, _ wanted: Int) throws(JPEGFault) -> ArraySlice<UInt8> {
    try window.bytes(offset, wanted)
  }

  mutating func facts() throws(JPEGFault) -> JPEGFacts {
    guard count >= 2, try bytes(0, 2).elementsEqual([0xff, 0xd8]) else { throw .notAJPEG }
    var offset = 2
    while true {
      guard try window.byte(offset) == 0xff else { throw .strayBytes }
      let marker = try window.byte(offset + 1)
      // A fill byte (B.1.1.2), or a marker that stands alone.
      if marker == 0xff || marker == 0x01 || (0xd0...0xd7).contains(marker) {
        offset += marker == 0xff ? 1 : 2
        continue
      }
      guard marker != 0 else { throw .strayBytes }
      guard marker != 0xd8 else { throw .damaged("it begins twice") }
      guard marker != 0xd9 else { throw .damaged("it ends before its first scan") }
      let length = try window.length(offset + 2)
      guard length >= 2 else { throw .damaged("a segment has no length") }
      guard offset + 2 + length <= count else { throw .damaged("a segment ends beyond the file") }
      if try segment(marker, at: offset + 4, count: length - 2) { return facts(of: frame!) }
      offset += 2 + length
    }
  }

  /// Whether it is the scan's, with which the header ends.
  private mutating func segment(_ marker: UInt8, at offset: Int, count: Int) throws(JPEGFault)
    -> Bool
  {
    switch marker {
    // Tables of none: nothing to look at.
    case 0xdb where count == 0, 0xc4 where count == 0: break
    case 0xee where count >= 12:
      let body = Array(try bytes(offset, 12))
      if body.starts(with: "Adobe".utf8) { adobe = Int(body[11]) }
    case 0xdb: try tables.addQuantisation(Array(bytes(offset, count)))
    case 0xc4: try tables.addHuffman(Array(bytes(offset, count)))
    case 0xdd: restartInterval = try JPEGBodyCheck.restartInterval(Array(bytes(offset, count)))
    case 0xc8, 0xcc: break
    case 0xc0...0xcf:
      guard frame == nil else { throw .damaged("it has two frame headers") }
      let frame = try JPEGFrame(marker, Array(bytes(offset, count)))
      self.frame = frame
      // Other processes are refused by what they are, and have scans of other kinds.
      return !frame.isHuffmanDCT
    case 0xda:
      guard let frame else { throw .damaged("a scan comes before its frame header") }
      body = try JPEGBodyCheck(
        frame, tables, restartInterval: restartInterval,
        firstScan: JPEGScan(Array(bytes(offset, count)), of: frame), at: offset + count)
      return true
    default: break
    }
    return false
  }

  private func facts(of frame: JPEGFrame) -> JPEGFacts {
    JPEGFacts(
      width: frame.width, height: frame.height, components: frame.componentCount, bits: frame.bits,
      isArithmetic: frame.marker >= 0xc9, isLossless: frame.marker & 3 == 3, adobeTransform: adobe)
  }
}
