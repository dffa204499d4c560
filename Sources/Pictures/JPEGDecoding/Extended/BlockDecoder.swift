import JPEGTables

/// Decodes blocks of a scan: the sequential process (T.81, F.2.2) and the four kinds of progressive scans
/// (G.1.2 and G.2).
///
/// Where a segment is too short and that is accepted, its last blocks stay as they are, as with libjpeg.
struct BlockDecoder {
  var bits: ScanBits
  private let isProgressive: Bool
  private let scan: ExtendedScan
  private let dcCodes: [SymbolTable?]
  private let acCodes: [SymbolTable?]
  /// The last DC coefficient of each part of the scan.
  private var predictions: [Int]
  /// Blocks to come that have no new coefficients: G.1.2.2, EOBRUN.
  private var emptyBlocks = 0

  init(
    _ headers: ExtendedHeaders, _ frame: ExtendedFrame, _ scan: ExtendedScan, _ bytes: MarkedBytes
  ) throws(ExtendedFault) {
    bits = ScanBits(bytes)
    self.scan = scan
    isProgressive = frame.isProgressive
    predictions = Array(repeating: 0, count: scan.parts.count)
    let wantsDC = scan.spectrum.lowerBound == 0 && scan.high == 0
    let wantsAC = scan.spectrum.upperBound > 0
    var (dc, ac): ([SymbolTable?], [SymbolTable?]) = ([], [])
    for part in scan.parts {
      dc.append(wantsDC ? try Self.table(headers.dcCodes[part.dcTable], part.dcTable) : nil)
      ac.append(wantsAC ? try Self.table(headers.acCodes[part.acTable], part.acTable) : nil)
    }
    (dcCodes, acCodes) = (dc, ac)
  }

  private static func table(_ code: HuffmanCode?, _ number: Int) throws(ExtendedFault)
    -> SymbolTable
  {
    guard let code else { throw .damaged("Huffman table 0x0\(number) was not defined") }
    return SymbolTable(code)
  }

  /// At a restart marker.
  mutating func reset() {
    for index in predictions.indices { predictions[index] = 0 }
    emptyBlocks = 0
  }

  /// Decodes the next block.
  ///
  /// - Parameters:
  ///   - part: of the scan.
  ///   - block: its first place in the plane.
  mutating func decode(_ part: Int, _ plane: CoefficientPlane, _ block: Int) throws(ExtendedFault) {
    if bits.isStarved { return }
    if !isProgressive {
      try decodeDC(part, plane, block)
      try decodeAC(part, plane, block)
    } else if scan.spectrum.lowerBound == 0 {
      if scan.high == 0 {
        try decodeDC(part, plane, block)
      } else if try bits.number(1) == 1 {
        plane.values[block] |= 1 << Int16(scan.low)
      }
    } else if scan.high == 0 {
      try decodeAC(part, plane, block)
    } else {
      try refineAC(part, plane, block)
    }
  }

  private mutating func decodeDC(_ part: Int, _ plane: CoefficientPlane, _ block: Int)
    throws(ExtendedFault)
  {
    let size = try bits.symbol(dcCodes[part]!)
    guard size <= 15 else { throw .damaged("Bogus Huffman table definition") }
    predictions[part] &+= try bits.coefficient(size)
    plane.values[block] = Int16(truncatingIfNeeded: predictions[part] << scan.low)
  }

  /// The first scan of AC coefficients; in the sequential process, the only one.
  private mutating func decodeAC(_ part: Int, _ plane: CoefficientPlane, _ block: Int)
    throws(ExtendedFault)
  {
    if emptyBlocks > 0 {
      emptyBlocks -= 1
      return
    }
    var index = max(scan.spectrum.lowerBound, 1)
    while index <= scan.spectrum.upperBound {
      let symbol = try bits.symbol(acCodes[part]!)
      let (run, size) = (symbol >> 4, symbol & 15)
      if size == 0, run < 15 {
        if isProgressive { emptyBlocks = try (1 << run) + bits.number(run) - 1 }
        return
      }
      index += run
      if size > 0 {
        let value = try bits.coefficient(size)
        // What a run leads past the block with is passed over, as with libjpeg.
        if index <= 63 {
          plane.values[block + Zigzag.order[index]] = Int16(truncatingIfNeeded: value << scan.low)
        }
      }
      index += 1
    }
  }

  /// A later scan of AC coefficients: G.1.2.3.
  private mutating func refineAC(_ part: Int, _ plane: CoefficientPlane, _ block: Int)
    throws(ExtendedFault)
  {
    var index = scan.spectrum.lowerBound
    if emptyBlocks == 0 {
      while index <= scan.spectrum.upperBound {
        let symbol = try bits.symbol(acCodes[part]!)
        let (run, size) = (symbol >> 4, symbol & 15)
        var value: Int16 = 0
        if size > 0 {
          // Only 1 is right; libjpeg warns of others and goes on.
          value = try bits.number(1) == 1 ? 1 << Int16(scan.low) : -1 << Int16(scan.low)
        } else if run < 15 {
          emptyBlocks = try (1 << run) + bits.number(run)
          break
        }
        try passZeros(run, plane, block, &index)
        if value != 0, index <= 63 { plane.values[block + Zigzag.order[index]] = value }
        index += 1
      }
    }
    guard emptyBlocks > 0 else { return }
    try passZeros(64, plane, block, &index)
    emptyBlocks -= 1
  }

  /// Goes to the zero after so many others, or past the scan's last coefficient, and corrects what lies
  /// between.
  private mutating func passZeros(
    _ count: Int, _ plane: CoefficientPlane, _ block: Int, _ index: inout Int
  ) throws(ExtendedFault) {
    var left = count
    while index <= scan.spectrum.upperBound {
      let place = block + Zigzag.order[index]
      let value = plane.values[place]
      if value == 0 {
        if left == 0 { return }
        left -= 1
      } else if try bits.number(1) == 1, value & (1 << Int16(scan.low)) == 0 {
        plane.values[place] = value &+ (value < 0 ? -1 : 1) << Int16(scan.low)
      }
      index += 1
    }
  }
}
