import JPEGTables

/// Reads the marker segments of a JPEG up to a scan, and keeps the tables for it (T.81, B.2).
struct ExtendedHeaders {
  private(set) var frame: ExtendedFrame?
  /// The quantisation tables: 64 elements each, in rows.
  private(set) var steps: [[UInt16]?] = Array(repeating: nil, count: 4)
  private(set) var dcCodes: [HuffmanCode?] = Array(repeating: nil, count: 4)
  private(set) var acCodes: [HuffmanCode?] = Array(repeating: nil, count: 4)
  /// The restart interval: MCUs from one restart marker to the next; 0 for none.
  private(set) var restartInterval = 0
  private let bytes: MarkedBytes

  init(_ bytes: MarkedBytes) { self.bytes = bytes }

  /// Reads segments and returns the header of the next scan; nil at the end of the image.
  ///
  /// - Parameter first: the second byte of a marker that was read already.
  mutating func nextScan(_ first: UInt8? = nil) throws(ExtendedFault) -> ExtendedScan? {
    var marker = try bytes.marker(first)
    while true {
      switch marker {
      case 0xd9: return nil
      // Markers without a length: start of image, restart and TEM.
      case 0xd0...0xd8, 0x01: break
      case 0xda:
        guard let frame else { throw .damaged("Invalid JPEG file structure: SOS before SOF") }
        return try ExtendedScan(body(), frame)
      case 0xc0, 0xc1, 0xc2:
        guard frame == nil else { throw .damaged("Invalid JPEG file structure: two SOF markers") }
        frame = try ExtendedFrame(body(), isProgressive: marker == 0xc2)
      case 0xdb: try readSteps(body())
      case 0xc4: try readCodes(body())
      case 0xdd:
        let body = try body()
        guard body.count == 2 else { throw .damaged("Bogus marker length") }
        restartInterval = Int(body[0]) << 8 | Int(body[1])
      case 0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
        throw .unsupported("a JPEG of 12 bits that is not Huffman-coded")
      default: try bytes.skip(length())
      }
      marker = try bytes.marker()
    }
  }

  private func length() throws(ExtendedFault) -> Int {
    let length = try bytes.word() - 2
    guard length >= 0 else { throw .damaged("Bogus marker length") }
    return length
  }

  private func body() throws(ExtendedFault) -> [UInt8] {
    var body: [UInt8] = []
    for _ in 0..<(try length()) { body.append(try bytes.byte()) }
    return body
  }

  /// Reads quantisation tables (T.81, B.2.4.1).
  private mutating func readSteps(_ body: [UInt8]) throws(ExtendedFault) {
    var rest = body[...]
    while let head = rest.popFirst() {
      let size = head >> 4 == 0 ? 1 : 2
      guard head & 15 < 4, rest.count >= 64 * size else { throw .damaged("Bogus DQT index \(head & 15)") }
      var table = [UInt16](repeating: 0, count: 64)
      for place in Zigzag.order {
        table[place] = (0..<size).reduce(0) { value, _ in value << 8 | UInt16(rest.removeFirst()) }
      }
      steps[Int(head & 15)] = table
    }
  }

  /// Reads Huffman tables (T.81, B.2.4.2).
  private mutating func readCodes(_ body: [UInt8]) throws(ExtendedFault) {
    var rest = body[...]
    while let head = rest.popFirst() {
      let counts = Array(rest.prefix(16))
      let total = counts.reduce(0) { $0 + Int($1) }
      let symbols = Array(rest.dropFirst(16).prefix(total))
      guard head & 0xef < 4, symbols.count == total, let code = HuffmanCode(counts: counts, symbols: symbols)
      else { throw .damaged("Bogus Huffman table definition") }
      rest = rest.dropFirst(16 + total)
      if head & 0x10 == 0 { dcCodes[Int(head & 15)] = code } else { acCodes[Int(head & 15)] = code }
    }
  }
}

/// A scan header (T.81, B.2.3 and G.1.1.1.1).
struct ExtendedScan {
  struct Part {
    /// The index of the frame's component.
    let component: Int
    let dcTable: Int
    let acTable: Int
  }

  let parts: [Part]
  /// The spectral selection: indices of the zigzag sequence (Ss to Se).
  let spectralSelection: ClosedRange<Int>
  /// The successive approximation bit positions: point transform of the earlier scans (Ah) and of this one (Al).
  let approximationHigh: Int
  let approximationLow: Int

  /// - Parameter body: the scan header after its length.
  init(_ body: [UInt8], _ frame: ExtendedFrame) throws(ExtendedFault) {
    let count = Int(body.first ?? 0)
    guard (1...4).contains(count), body.count == 4 + 2 * count else { throw .damaged("Bogus marker length") }
    var parts: [Part] = []
    for index in 0..<count {
      let (identifier, tables) = (body[1 + 2 * index], Int(body[2 + 2 * index]))
      guard let component = frame.components.firstIndex(where: { $0.identifier == identifier }),
        !parts.contains(where: { $0.component == component }), tables >> 4 < 4, tables & 15 < 4
      else { throw .damaged("Invalid component ID \(identifier) in SOS") }
      parts.append(Part(component: component, dcTable: tables >> 4, acTable: tables & 15))
    }
    let blocks = parts.reduce(0) {
      $0 + frame.components[$1.component].horizontalSampling * frame.components[$1.component].verticalSampling
    }
    guard count == 1 || blocks <= 10 else { throw .damaged("Sampling factors too large for interleaved scan") }
    self.parts = parts
    let tail = body[(1 + 2 * count)...].map(Int.init)
    guard frame.isProgressive else {
      (spectralSelection, approximationHigh, approximationLow) = (0...63, 0, 0)
      return
    }
    let (first, last, high, low) = (tail[0], tail[1], tail[2] >> 4, tail[2] & 15)
    let fits = first == 0 ? last == 0 : count == 1 && last >= first && last <= 63
    guard fits, high == 0 || low == high - 1, low <= 13 else {
      throw .damaged("Invalid progressive parameters")
    }
    (spectralSelection, approximationHigh, approximationLow) = (first...last, high, low)
  }
}
