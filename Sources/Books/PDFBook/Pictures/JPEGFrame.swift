/// A JPEG's frame header (ITU-T T.81, B.2.2).
struct JPEGFrame: Sendable {
  struct Component: Sendable {
    let id: UInt8
    /// Horizontally and vertically: 1 to 4.
    let across, down: Int
    let quantisation: Int
  }

  let marker: UInt8
  let bits: Int
  let width: Int
  let height: Int
  let componentCount: Int
  /// Empty where the process is none that a PDF holds.
  private(set) var components: [Component] = []

  var isProgressive: Bool { marker == 0xc2 }
  /// Sequential or progressive DCT with Huffman coding: all that PDF readers decode.
  var isHuffmanDCT: Bool { (0xc0...0xc2).contains(marker) && bits == 8 }

  /// - Parameter body: the segment without its length.
  init(_ marker: UInt8, _ body: [UInt8]) throws(JPEGFault) {
    guard body.count >= 6 else { throw .damaged("its frame header is cut off") }
    self.marker = marker
    bits = Int(body[0])
    height = Int(body[1]) << 8 | Int(body[2])
    width = Int(body[3]) << 8 | Int(body[4])
    componentCount = Int(body[5])
    guard width > 0, height > 0 else { throw .damaged("its frame header states no size") }
    guard isHuffmanDCT else { return }
    guard [1, 3, 4].contains(componentCount) else { throw .components(componentCount) }
    guard body.count == 6 + 3 * componentCount else {
      throw .damaged("its frame header has not the length of its components")
    }
    components = (0..<componentCount).map { index in
      let part = body[(6 + 3 * index)...].prefix(3)
      let (id, sampling, table) = (part.first!, part.dropFirst().first!, part.last!)
      return Component(
        id: id, across: Int(sampling >> 4), down: Int(sampling & 15), quantisation: Int(table))
    }
    for component in components {
      guard (1...4).contains(component.across), (1...4).contains(component.down) else {
        throw .damaged("component \(component.id) has impossible sampling factors")
      }
      guard component.quantisation < 4 else {
        throw .damaged("component \(component.id) names an impossible quantisation table")
      }
    }
  }
}

/// The header of a scan (B.2.3).
struct JPEGScan: Sendable {
  struct Component: Sendable {
    let frame: JPEGFrame.Component
    let direct, alternating: Int
  }

  let components: [Component]
  /// The first coefficient of the band, and the last: Ss and Se.
  let first, last: Int
  /// Of successive approximation: bits known before and after this scan, Ah and Al.
  let high, low: Int

  /// - Parameter body: the segment without its length.
  init(_ body: [UInt8], of frame: JPEGFrame) throws(JPEGFault) {
    let count = Int(body.first ?? 0)
    guard (1...4).contains(count), body.count == 4 + 2 * count else {
      throw .damaged("its scan header has not the length of its components")
    }
    var found: [Component] = []
    for index in 0..<count {
      let (id, tables) = (body[1 + 2 * index], body[2 + 2 * index])
      let repeats = found.count { $0.frame.id == id }
      let named = frame.components.filter { $0.id == id }
      guard repeats < named.count else {
        throw .damaged("its scan names component \(id), which the frame has not, or twice")
      }
      found.append(
        Component(
          frame: named[repeats], direct: Int(tables >> 4), alternating: Int(tables & 15)))
    }
    components = found
    first = Int(body[1 + 2 * count])
    last = Int(body[2 + 2 * count])
    high = Int(body[3 + 2 * count] >> 4)
    low = Int(body[3 + 2 * count] & 15)
    // An MCU has at most ten blocks (B.2.3).
    if count > 1, found.map({ $0.frame.across * $0.frame.down }).reduce(0, +) > 10 {
      throw .damaged("its scan has more than ten blocks in a unit")
    }
    if frame.isProgressive { try checkProgression() }
  }

  /// G.1.1.1: direct current alone, or a band of one component. Of sequential scans the numbers are fixed,
  /// decoders do not read them, and some cameras get them wrong.
  private func checkProgression() throws(JPEGFault) {
    let isBand = first <= last && last < 64 && components.count == 1
    guard first == 0 ? last == 0 : isBand, low <= 13, high == 0 || high == low + 1 else {
      throw .damaged("its scan has impossible parameters")
    }
  }

  /// Whether it has codes of direct current; a refining scan of it has plain bits.
  func needsDirect(in frame: JPEGFrame) -> Bool {
    frame.isProgressive ? first == 0 && high == 0 : true
  }

  func needsAlternating(in frame: JPEGFrame) -> Bool { frame.isProgressive ? first > 0 : true }

  /// Units that a restart interval counts, and the blocks of each component in one of them (A.2).
  func units(in frame: JPEGFrame) -> (count: Int, blocks: [Int]) {
    let most = frame.components.reduce((across: 1, down: 1)) {
      (max($0.across, $1.across), max($0.down, $1.down))
    }
    func quotient(_ value: Int, _ divisor: Int) -> Int { (value + divisor - 1) / divisor }
    guard components.count == 1 else {
      let count =
        quotient(frame.width, 8 * most.across) * quotient(frame.height, 8 * most.down)
      return (count, components.map { $0.frame.across * $0.frame.down })
    }
    let one = components[0].frame
    let across = quotient(quotient(frame.width * one.across, most.across), 8)
    let down = quotient(quotient(frame.height * one.down, most.down), 8)
    return (across * down, [1])
  }
}
