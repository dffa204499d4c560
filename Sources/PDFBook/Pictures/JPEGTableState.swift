/// Which tables a JPEG has defined so far: that they are possible, and not what they say.
struct JPEGTableState {
  private var quantisation: Set<Int> = []
  private var direct: Set<Int> = []
  private var alternating: Set<Int> = []

  /// A segment of quantisation tables (ITU-T T.81, B.2.4.1), without its length.
  mutating func addQuantisation(_ body: [UInt8]) throws(JPEGFault) {
    var offset = 0
    while offset < body.count {
      let (precision, table) = (body[offset] >> 4, Int(body[offset] & 15))
      offset += precision == 0 ? 65 : 129
      guard precision <= 1, table < 4, offset <= body.count else {
        throw .damaged("a quantisation table is impossible, or cut off")
      }
      quantisation.insert(table)
    }
  }

  /// A segment of Huffman tables (B.2.4.2), without its length.
  mutating func addHuffman(_ body: [UInt8]) throws(JPEGFault) {
    var offset = 0
    while offset < body.count {
      let (kind, table) = (body[offset] >> 4, Int(body[offset] & 15))
      guard kind <= 1, table < 4, offset + 17 <= body.count else {
        throw .damaged("a Huffman table is impossible, or cut off")
      }
      let counts = body[offset + 1..<offset + 17].map(Int.init)
      let start = offset + 17
      offset = start + counts.reduce(0, +)
      guard offset - start <= 256, offset <= body.count, Self.isPossible(counts) else {
        throw .damaged("a Huffman table is impossible, or cut off")
      }
      if kind == 1 {
        alternating.insert(table)
      } else {
        // Sizes of differences (F.1.2.1.1).
        guard body[start..<offset].allSatisfy({ $0 <= 15 }) else {
          throw .damaged("a Huffman table of direct current has impossible symbols")
        }
        direct.insert(table)
      }
    }
  }

  /// Whether there are as many codes of each length, the one of all ones not among them (Annex C).
  ///
  /// - Parameter counts: codes of 1 to 16 bits.
  private static func isPossible(_ counts: [Int]) -> Bool {
    var code = 0
    for (index, count) in counts.enumerated() {
      code += count
      if count > 0, code >= 1 << (index + 1) { return false }
      code <<= 1
    }
    return true
  }

  /// Refuses a first scan that needs what is not defined.
  func check(_ scan: JPEGScan, of frame: JPEGFrame) throws(JPEGFault) {
    for component in frame.components where !quantisation.contains(component.quantisation) {
      throw .damaged(
        "no quantisation table \(component.quantisation) comes before its first scan")
    }
    for component in scan.components {
      // A refining scan of direct current has plain bits.
      let needsDirect = frame.isProgressive ? scan.first == 0 && scan.high == 0 : true
      let needsAlternating = frame.isProgressive ? scan.first > 0 : true
      if needsDirect, !direct.contains(component.direct) {
        throw .damaged("its first scan names Huffman table \(component.direct), which is missing")
      }
      if needsAlternating, !alternating.contains(component.alternating) {
        throw .damaged(
          "its first scan names Huffman table \(component.alternating), which is missing")
      }
    }
  }
}
