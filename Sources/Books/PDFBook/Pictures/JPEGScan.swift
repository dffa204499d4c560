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
  /// The bits of successive approximation before and after this scan: Ah and Al.
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
    // An MCU has at most ten blocks (B.2.3).
    if count > 1, found.map({ $0.frame.horizontal * $0.frame.vertical }).reduce(0, +) > 10 {
      throw .damaged("a scan has more than ten blocks in a unit")
    }
    if frame.isProgressive { try checkProgression() }
  }

  /// Checks a progressive scan (G.1.1.1): only DC coefficients, or a band of AC coefficients of one component. In
  /// sequential scans these numbers are fixed, decoders ignore them, and some cameras write wrong ones.
  private func checkProgression() throws(JPEGFault) {
    let isBand = first <= last && last < 64 && components.count == 1
    guard first == 0 ? last == 0 : isBand, low <= 13, high == 0 || high == low + 1 else {
      throw .damaged("invalid parameters of a scan")
    }
  }

  /// Returns whether the scan needs a DC table; a refinement scan has uncoded bits.
  func needsDCTable(in frame: JPEGFrame) -> Bool { frame.isProgressive ? first == 0 && high == 0 : true }

  func needsACTable(in frame: JPEGFrame) -> Bool { frame.isProgressive ? first > 0 : true }

  /// Returns the number of units of a scan, in which restart intervals are counted, and the blocks of each component in
  /// a unit (A.2).
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
