/// Which tables a JPEG has defined so far: that they are possible, and not what they say.
struct JPEGTableState: Sendable {
  private var quantisation: Set<Int> = []
  /// Bits of the shortest code of each table; 0 for one that is not defined.
  private var direct = SIMD4<UInt8>()
  private var alternating = SIMD4<UInt8>()

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
      let shortest = UInt8(1 + (counts.firstIndex { $0 > 0 } ?? 16))
      if kind == 1 {
        alternating[table] = shortest
      } else {
        // Sizes of differences (F.1.2.1.1).
        guard body[start..<offset].allSatisfy({ $0 <= 15 }) else {
          throw .damaged("a Huffman table of direct current has impossible symbols")
        }
        direct[table] = shortest
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

  /// Refuses a scan that needs what is not defined.
  func check(_ scan: JPEGScan, of frame: JPEGFrame) throws(JPEGFault) {
    for component in frame.components where !quantisation.contains(component.quantisation) {
      throw .damaged(
        "no quantisation table \(component.quantisation) comes before its first scan")
    }
    for component in scan.components {
      if scan.needsDirect(in: frame), length(direct, component.direct) == 0 {
        throw .damaged("a scan names Huffman table \(component.direct), which is missing")
      }
      if scan.needsAlternating(in: frame), length(alternating, component.alternating) == 0 {
        throw .damaged("a scan names Huffman table \(component.alternating), which is missing")
      }
    }
  }

  private func length(_ tables: SIMD4<UInt8>, _ table: Int) -> Int {
    table < 4 ? Int(tables[table]) : 0
  }

  /// The least that a block of a component takes in a scan that was checked; bits.
  func leastBits(of component: JPEGScan.Component, in scan: JPEGScan, of frame: JPEGFrame) -> Int {
    guard frame.isProgressive else {
      return length(direct, component.direct) + length(alternating, component.alternating)
    }
    // Bands may say of thousands of blocks at once that they are empty (G.1.2.2).
    if scan.first > 0 { return 0 }
    return scan.high == 0 ? length(direct, component.direct) : 1
  }
}
