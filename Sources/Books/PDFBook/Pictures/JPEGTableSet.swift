/// The tables that a JPEG has defined so far. Only their form is checked, not their content.
struct JPEGTableSet: Sendable {
  private var quantisation: Set<Int> = []
  /// The length of the shortest code of each Huffman table in bits; 0 if it is not defined.
  private var dcTables = SIMD4<UInt8>()
  private var acTables = SIMD4<UInt8>()

  /// Whether a Huffman table is defined.
  var hasHuffman: Bool { dcTables != .zero || acTables != .zero }

  /// Adds a segment of quantisation tables (ITU-T T.81, B.2.4.1), without its length.
  mutating func addQuantisation(_ body: [UInt8]) throws(JPEGFault) {
    var offset = 0
    while offset < body.count {
      let (precision, table) = (body[offset] >> 4, Int(body[offset] & 15))
      offset += precision == 0 ? 65 : 129
      guard precision <= 1, table < 4, offset <= body.count else {
        throw .damaged("invalid or truncated quantisation table")
      }
      quantisation.insert(table)
    }
  }

  /// Adds a segment of Huffman tables (B.2.4.2), without its length.
  mutating func addHuffman(_ body: [UInt8]) throws(JPEGFault) {
    var offset = 0
    while offset < body.count {
      let (kind, table) = (body[offset] >> 4, Int(body[offset] & 15))
      guard kind <= 1, table < 4, offset + 17 <= body.count else {
        throw .damaged("invalid or truncated Huffman table")
      }
      let counts = body[offset + 1..<offset + 17].map(Int.init)
      let start = offset + 17
      offset = start + counts.reduce(0, +)
      guard offset - start <= 256, offset <= body.count, Self.isPossible(counts) else {
        throw .damaged("invalid or truncated Huffman table")
      }
      let shortest = UInt8(1 + (counts.firstIndex { $0 > 0 } ?? 16))
      if kind == 1 {
        acTables[table] = shortest
      } else {
        // The symbols are sizes of differences (F.1.2.1.1).
        guard body[start..<offset].allSatisfy({ $0 <= 15 }) else {
          throw .damaged("invalid symbols in a DC Huffman table")
        }
        dcTables[table] = shortest
      }
    }
  }

  /// Returns whether a prefix code with these lengths exists; the code of all ones is not allowed (Annex C).
  ///
  /// - Parameter counts: the number of codes of 1 to 16 bits.
  private static func isPossible(_ counts: [Int]) -> Bool {
    var code = 0
    for (index, count) in counts.enumerated() {
      code += count
      if count > 0, code >= 1 << (index + 1) { return false }
      code <<= 1
    }
    return true
  }

  /// Throws if a scan needs a table that is not defined.
  func check(_ scan: JPEGScan, of frame: JPEGFrame) throws(JPEGFault) {
    for component in frame.components where !quantisation.contains(component.quantisation) {
      throw .damaged(
        "missing quantisation table \(component.quantisation)")
    }
    for component in scan.components {
      if scan.needsDCTable(in: frame), length(dcTables, component.dcTable) == 0 {
        throw .damaged("missing Huffman table \(component.dcTable) for DC coefficients")
      }
      if scan.needsACTable(in: frame), length(acTables, component.acTable) == 0 {
        throw .damaged("missing Huffman table \(component.acTable) for AC coefficients")
      }
    }
  }

  private func length(_ tables: SIMD4<UInt8>, _ table: Int) -> Int { table < 4 ? Int(tables[table]) : 0 }

  /// Returns the minimum number of bits of a component's block in a scan that has been checked.
  func minimumBits(of component: JPEGScan.Component, in scan: JPEGScan, of frame: JPEGFrame) -> Int {
    guard frame.isProgressive else {
      return length(dcTables, component.dcTable) + length(acTables, component.acTable)
    }
    // A band may skip thousands of empty blocks at once (G.1.2.2).
    if scan.first > 0 { return 0 }
    return scan.high == 0 ? length(dcTables, component.dcTable) : 1
  }
}
