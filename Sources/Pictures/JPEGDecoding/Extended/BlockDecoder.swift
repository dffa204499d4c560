import JPEGTables

/// Decodes blocks of a scan: the sequential process (T.81, F.2.2) and the four kinds of progressive scans
/// (G.1.2 and G.2).
///
/// If a restart interval is too short and damage is accepted, its last blocks stay as they are, as with libjpeg.
struct BlockDecoder {
  var bits: ScanBits
  private let isProgressive: Bool
  private let scan: ExtendedScan
  private let dcCodes: [HuffmanLookup?]
  private let acCodes: [HuffmanLookup?]
  /// The last DC coefficient of each component of the scan.
  private var predictions: [Int]
  /// The EOB run: the number of next blocks without new coefficients (T.81, G.1.2.2).
  private var eobRun = 0

  init(_ headers: ExtendedHeaders, _ frame: ExtendedFrame, _ scan: ExtendedScan, _ bytes: MarkedBytes)
    throws(ExtendedFault)
  {
    bits = ScanBits(bytes)
    self.scan = scan
    isProgressive = frame.isProgressive
    predictions = Array(repeating: 0, count: scan.parts.count)
    let wantsDC = scan.spectralSelection.lowerBound == 0 && scan.approximationHigh == 0
    let wantsAC = scan.spectralSelection.upperBound > 0
    var (dc, ac): ([HuffmanLookup?], [HuffmanLookup?]) = ([], [])
    for part in scan.parts {
      dc.append(wantsDC ? try Self.table(headers.dcCodes[part.dcTable], part.dcTable) : nil)
      ac.append(wantsAC ? try Self.table(headers.acCodes[part.acTable], part.acTable) : nil)
    }
    (dcCodes, acCodes) = (dc, ac)
  }

  private static func table(_ code: HuffmanCode?, _ number: Int) throws(ExtendedFault) -> HuffmanLookup {
    guard let code else { throw .damaged("Huffman table 0x0\(number) was not defined") }
    return HuffmanLookup(code)
  }

  /// Resets predictions and the EOB run, as at a restart marker.
  mutating func reset() {
    for index in predictions.indices { predictions[index] = 0 }
    eobRun = 0
  }

  /// Decodes the next block.
  ///
  /// - Parameters:
  ///   - part: the index of the scan's component.
  ///   - block: the index of its first coefficient in the plane.
  mutating func decode(_ part: Int, _ plane: CoefficientPlane, _ block: Int) throws(ExtendedFault) {
    if bits.isStarved { return }
    if !isProgressive {
      try decodeDC(part, plane, block)
      try decodeAC(part, plane, block)
    } else if scan.spectralSelection.lowerBound == 0 {
      if scan.approximationHigh == 0 {
        try decodeDC(part, plane, block)
      } else if try bits.number(1) == 1 {
        plane.values[block] |= 1 << Int16(scan.approximationLow)
      }
    } else if scan.approximationHigh == 0 {
      try decodeAC(part, plane, block)
    } else {
      try refineAC(part, plane, block)
    }
  }

  private mutating func decodeDC(_ part: Int, _ plane: CoefficientPlane, _ block: Int) throws(ExtendedFault) {
    let size = try bits.symbol(dcCodes[part]!)
    guard size <= 15 else { throw .damaged("Bogus Huffman table definition") }
    predictions[part] &+= try bits.coefficient(size)
    plane.values[block] = Int16(truncatingIfNeeded: predictions[part] << scan.approximationLow)
  }

  /// Decodes the first scan of AC coefficients, which is the only one in the sequential process.
  private mutating func decodeAC(_ part: Int, _ plane: CoefficientPlane, _ block: Int) throws(ExtendedFault) {
    if eobRun > 0 {
      eobRun -= 1
      return
    }
    var index = max(scan.spectralSelection.lowerBound, 1)
    while index <= scan.spectralSelection.upperBound {
      let symbol = try bits.symbol(acCodes[part]!)
      let (run, size) = (symbol >> 4, symbol & 15)
      if size == 0, run < 15 {
        if isProgressive { eobRun = try (1 << run) + bits.number(run) - 1 }
        return
      }
      index += run
      if size > 0 {
        let value = try bits.coefficient(size)
        // A coefficient past the block is skipped, as with libjpeg.
        if index <= 63 {
          plane.values[block + Zigzag.order[index]] = Int16(truncatingIfNeeded: value << scan.approximationLow)
        }
      }
      index += 1
    }
  }

  /// Decodes a refinement scan of AC coefficients (T.81, G.1.2.3).
  private mutating func refineAC(_ part: Int, _ plane: CoefficientPlane, _ block: Int) throws(ExtendedFault) {
    var index = scan.spectralSelection.lowerBound
    if eobRun == 0 {
      while index <= scan.spectralSelection.upperBound {
        let symbol = try bits.symbol(acCodes[part]!)
        let (run, size) = (symbol >> 4, symbol & 15)
        var value: Int16 = 0
        if size > 0 {
          // Only a size of 1 is valid; libjpeg warns of others and goes on.
          value = try bits.number(1) == 1 ? 1 << Int16(scan.approximationLow) : -1 << Int16(scan.approximationLow)
        } else if run < 15 {
          eobRun = try (1 << run) + bits.number(run)
          break
        }
        try passZeros(run, plane, block, &index)
        if value != 0, index <= 63 { plane.values[block + Zigzag.order[index]] = value }
        index += 1
      }
    }
    guard eobRun > 0 else { return }
    try passZeros(64, plane, block, &index)
    eobRun -= 1
  }

  /// Skips `count` zero coefficients up to the next zero, or to the end of the spectral selection, and refines the
  /// nonzero ones on the way.
  private mutating func passZeros(
    _ count: Int, _ plane: CoefficientPlane, _ block: Int, _ index: inout Int
  ) throws(ExtendedFault) {
    var left = count
    while index <= scan.spectralSelection.upperBound {
      let place = block + Zigzag.order[index]
      let value = plane.values[place]
      if value == 0 {
        if left == 0 { return }
        left -= 1
      } else if try bits.number(1) == 1, value & (1 << Int16(scan.approximationLow)) == 0 {
        plane.values[place] = value &+ (value < 0 ? -1 : 1) << Int16(scan.approximationLow)
      }
      index += 1
    }
  }
}
