/// The tables that a JPEG has defined so far. Their structure and the symbols of DC tables are checked, but no other
/// content.
struct JPEGTableSet: Sendable {
  private var quantisation: Set<Int> = []
  /// The length of the shortest code in each Huffman table, in bits; 0 for a table that is not defined.
  private var dcTables = SIMD4<UInt8>()
  private var acTables = SIMD4<UInt8>()

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
        // The symbols of a DC table are bit counts of at most 15 (F.1.2.1.1).
        guard body[start..<offset].allSatisfy({ $0 <= 15 }) else {
          throw .damaged("invalid symbols in a DC Huffman table")
        }
        dcTables[table] = shortest
      }
    }
  }

  /// Returns whether a prefix code with these lengths exists. A code of all ones is not allowed (Annex C).
  ///
  /// - Parameter counts: the numbers of codes with 1 to 16 bits.
  private static func isPossible(_ counts: [Int]) -> Bool {
    var code = 0
    for (index, count) in counts.enumerated() {
      code += count
      if count > 0, code >= 1 << (index + 1) { return false }
      code <<= 1
    }
    return true
  }

  /// Throws if a table that the scan or the frame needs is not defined.
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

  /// Returns the minimum number of bits that a block of a component can take in a scan that has been checked.
  func minimumBits(of component: JPEGScan.Component, in scan: JPEGScan, of frame: JPEGFrame) -> Int {
    guard frame.isProgressive else {
      return length(dcTables, component.dcTable) + length(acTables, component.acTable)
    }
    // A single code can skip thousands of empty blocks (G.1.2.2).
    if scan.first > 0 { return 0 }
    return scan.high == 0 ? length(dcTables, component.dcTable) : 1
  }
}

/// A JPEG's scan header (B.2.3).
struct JPEGScan: Sendable {
  struct Component: Sendable {
    let frame: JPEGFrame.Component
    /// The numbers of the Huffman tables for DC and AC coefficients.
    let dcTable, acTable: Int
  }

  let components: [Component]
  /// The first and last coefficient of the band: Ss and Se.
  let first, last: Int
  /// The bit positions of successive approximation before and after this scan: Ah and Al.
  let high, low: Int

  /// - Parameter body: the segment without its length.
  init(_ body: [UInt8], of frame: JPEGFrame) throws(JPEGFault) {
    let count = Int(body.first ?? 0)
    guard (1...4).contains(count), body.count == 4 + 2 * count else {
      throw .damaged("wrong length of a scan header")
    }
    var found: [Component] = []
    for index in 0..<count {
      let (id, tables) = (body[1 + 2 * index], body[2 + 2 * index])
      let repeats = found.count { $0.frame.id == id }
      let named = frame.components.filter { $0.id == id }
      guard repeats < named.count else {
        throw .damaged("a scan names the unknown or repeated component \(id)")
      }
      found.append(Component(frame: named[repeats], dcTable: Int(tables >> 4), acTable: Int(tables & 15)))
    }
    components = found
    first = Int(body[1 + 2 * count])
    last = Int(body[2 + 2 * count])
    high = Int(body[3 + 2 * count] >> 4)
    low = Int(body[3 + 2 * count] & 15)
    // A minimum coded unit (MCU) has at most ten blocks (B.2.3).
    if count > 1, found.map({ $0.frame.horizontal * $0.frame.vertical }).reduce(0, +) > 10 {
      throw .damaged("a scan has more than ten blocks in a unit")
    }
    if frame.isProgressive { try checkProgression() }
  }

  /// Checks a progressive scan (G.1.1.1): it contains only DC coefficients, or a band of AC coefficients of one
  /// component. Sequential scans are not checked: their values are fixed, decoders ignore them, and some cameras write
  /// wrong ones.
  private func checkProgression() throws(JPEGFault) {
    let isBand = first <= last && last < 64 && components.count == 1
    guard first == 0 ? last == 0 : isBand, low <= 13, high == 0 || high == low + 1 else {
      throw .damaged("invalid parameters of a scan")
    }
  }

  /// Returns whether the scan needs a DC table. Refinement bits of DC coefficients are stored without one.
  func needsDCTable(in frame: JPEGFrame) -> Bool { frame.isProgressive ? first == 0 && high == 0 : true }

  func needsACTable(in frame: JPEGFrame) -> Bool { frame.isProgressive ? first > 0 : true }

  /// Returns the number of the scan's minimum coded units, which restart intervals count, and the number of blocks of
  /// each component in a unit (A.2).
  func units(in frame: JPEGFrame) -> (count: Int, blocks: [Int]) {
    let maximum = frame.components.reduce((horizontal: 1, vertical: 1)) {
      (max($0.horizontal, $1.horizontal), max($0.vertical, $1.vertical))
    }
    func quotient(_ value: Int, _ divisor: Int) -> Int { (value + divisor - 1) / divisor }
    guard components.count == 1 else {
      let count = quotient(frame.width, 8 * maximum.horizontal) * quotient(frame.height, 8 * maximum.vertical)
      return (count, components.map { $0.frame.horizontal * $0.frame.vertical })
    }
    let one = components[0].frame
    let columns = quotient(quotient(frame.width * one.horizontal, maximum.horizontal), 8)
    let rows = quotient(quotient(frame.height * one.vertical, maximum.vertical), 8)
    return (columns * rows, [1])
  }
}
