import Platform

/// Looks at a JPEG from its first scan on as its bytes pass, without decoding them: that all scans come to an end,
/// restart markers are there in their order and where they are announced, no scan and no interval between two of
/// them has fewer bytes than its blocks take at least, every component has a scan, progressive ones refine what was
/// there before, and the picture ends (ITU-T T.81, Annex B). What comes after its end is no part of it.
///
/// Finding markers costs a tenth of what the digest of the same bytes does; only decoding would find out what
/// else is wrong. Runs of zeros are no sign of damage: whatever a table's first code stands for, blocks may
/// be made of nothing else.
struct JPEGBodyCheck: Sendable {
  private enum State: Sendable {
    /// Looks for the next marker.
    case data
    /// Its code is next.
    case marker
    /// In a segment's two bytes of length.
    case length
    /// In its content.
    case segment
    case ended
  }

  /// What is open between a scan's header and the next marker.
  private struct Scan: Sendable {
    var byteCount = 0
    var restarts = 0
    /// Bytes before the last restart marker.
    var intervalStart = 0
    let wantedRestarts: Int
    /// Of a whole interval, and of the last.
    let leastByteCount: Int
    let leastLastByteCount: Int

    /// Whether what came since the last restart marker can be an interval.
    func isLongEnough(isLast: Bool) -> Bool {
      byteCount - intervalStart >= (isLast ? leastLastByteCount : leastByteCount)
    }
  }

  private let frame: JPEGFrame
  private var tables: JPEGTableState
  private var restartInterval: Int
  private var state = State.data
  private var scan: Scan?
  /// Bytes before the first scan's data that have not passed yet.
  private var skipped: Int
  /// The segment's marker, how much of it is still to come, and what is kept of it.
  private var code: UInt8 = 0
  private var left = 0
  /// The first byte of its length, once it has come.
  private var lengthStart: UInt8?
  private var segment: [UInt8] = []
  /// Components whose direct current has been coded, by their identifiers.
  private var coded: Set<UInt8> = []
  private var progression = JPEGProgression()

  /// - Parameters:
  ///   - tables: all that come before the first scan.
  ///   - start: where its data begins; bytes from the file's start.
  init(
    _ frame: JPEGFrame, _ tables: JPEGTableState, restartInterval: Int, firstScan: JPEGScan,
    at start: Int
  ) throws(JPEGFault) {
    self.frame = frame
    self.tables = tables
    self.restartInterval = restartInterval
    skipped = start
    try begin(firstScan)
  }

  /// The content of a DRI segment (B.2.4.4).
  static func restartInterval(_ body: [UInt8]) throws(JPEGFault) -> Int {
    guard body.count == 2 else { throw .damaged("a restart interval has not its length") }
    return Int(body[0]) << 8 | Int(body[1])
  }

  /// Takes the next bytes of the file, from its start on.
  mutating func add(_ bytes: UnsafeRawBufferPointer) throws(JPEGFault) {
    var place = min(skipped, bytes.count)
    skipped -= place
    while place < bytes.count {
      switch state {
      case .data: place = try passData(bytes, from: place)
      case .marker:
        try meet(bytes[place])
        place += 1
      case .length:
        try addLength(bytes[place])
        place += 1
      case .segment: place = try passSegment(bytes, from: place)
      case .ended: return
      }
    }
  }

  /// After the last byte.
  func finish() throws(JPEGFault) {
    if state != .ended { throw .truncated }
  }

  /// Goes to the next marker: behind the byte 255 with which it begins, or to the end.
  private mutating func passData(_ bytes: UnsafeRawBufferPointer, from start: Int)
    throws(JPEGFault) -> Int
  {
    let end = Self.nextMarker(in: bytes, from: start)
    if scan == nil, bytes[start..<end].contains(where: { $0 != 0 }) { throw betweenSegments }
    scan?.byteCount += end - start
    guard end < bytes.count else { return end }
    state = .marker
    return end + 1
  }

  /// The place of the first byte 255 from `start` on that is followed by something else than 0, or by nothing; the
  /// end where there is none (T.81, B.1.1.5).
  private static func nextMarker(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = bytes.baseAddress else { return bytes.count }
    var place = start
    while place < bytes.count, let found = memchr(base + place, 0xff, bytes.count - place) {
      place = UnsafeRawPointer(found) - base
      if place + 1 == bytes.count || bytes[place + 1] != 0 { return place }
      place += 2
    }
    return bytes.count
  }

  private var interruption: JPEGFault {
    .damaged("its data is interrupted by marker \(Self.text(code))")
  }

  /// Bytes where a marker should be. Behind the last scan of a sequential picture they are its data.
  private var betweenSegments: JPEGFault {
    let isComplete = frame.components.allSatisfy { coded.contains($0.id) }
    return isComplete && !frame.isProgressive ? interruption : .strayBytes
  }

  private static func text(_ code: UInt8) -> String {
    "FF" + (code < 16 ? "0" : "") + String(code, radix: 16, uppercase: true)
  }

  private mutating func meet(_ code: UInt8) throws(JPEGFault) {
    switch code {
    // A fill byte.
    case 0xff: return
    case 0x00:
      guard scan != nil else { throw betweenSegments }
      scan?.byteCount += 2
      state = .data
      return
    case 0xd0...0xd7:
      try restart(Int(code - 0xd0))
      state = .data
      return
    case 0x01...0xbf, 0xd8:
      self.code = code
      throw interruption
    default: break
    }
    try endScan()
    self.code = code
    if code == 0xd9 {
      guard frame.components.allSatisfy({ coded.contains($0.id) }) else {
        throw .damaged("it ends before all of its scans")
      }
      state = .ended
    } else {
      segment.removeAll(keepingCapacity: true)
      state = .length
    }
  }

  private mutating func restart(_ number: Int) throws(JPEGFault) {
    guard var scan, restartInterval > 0 else {
      throw .damaged("restart marker RST\(number) stands where none was announced")
    }
    // One at the end of a scan harms nobody; whether it is there the end tells.
    if scan.restarts < scan.wantedRestarts {
      guard number == scan.restarts % 8 else {
        throw .damaged("restart marker \(scan.restarts + 1) is missing")
      }
      guard scan.isLongEnough(isLast: false) else {
        throw .damaged("the data before restart marker \(scan.restarts + 1) ends too early")
      }
    } else if scan.restarts == scan.wantedRestarts {
      guard scan.isLongEnough(isLast: true) else {
        throw .damaged("the data of a scan ends too early")
      }
    } else {
      throw Self.tooManyRestarts
    }
    scan.restarts += 1
    scan.intervalStart = scan.byteCount
    self.scan = scan
  }

  private static let tooManyRestarts = JPEGFault.damaged(
    "there are more restart markers than its size asks for")

  private mutating func addLength(_ byte: UInt8) throws(JPEGFault) {
    guard let high = lengthStart else {
      lengthStart = byte
      return
    }
    lengthStart = nil
    left = Int(high) << 8 + Int(byte) - 2
    guard left >= 0 else { throw .damaged("segment \(Self.text(code)) has no length") }
    state = .segment
    if left == 0 { try endSegment() }
  }

  private mutating func passSegment(_ bytes: UnsafeRawBufferPointer, from start: Int)
    throws(JPEGFault) -> Int
  {
    let end = min(bytes.count, start + left)
    left -= end - start
    // Those that say something about scans.
    switch code {
    case 0xc4, 0xda, 0xdb, 0xdd: segment += bytes[start..<end]
    default: break
    }
    if left == 0 { try endSegment() }
    return end
  }

  private mutating func endSegment() throws(JPEGFault) {
    state = .data
    switch code {
    case 0xc4: try tables.addHuffman(segment)
    case 0xdb: try tables.addQuantisation(segment)
    case 0xdd: restartInterval = try Self.restartInterval(segment)
    case 0xda: try begin(JPEGScan(segment, of: frame))
    case 0xc8, 0xcc: break
    case 0xc0...0xcf: throw .damaged("it has two frame headers")
    default: break
    }
  }

  private mutating func begin(_ header: JPEGScan) throws(JPEGFault) {
    try tables.check(header, of: frame)
    let units = header.units(in: frame)
    let bits = zip(header.components, units.blocks).reduce(0) { bits, one in
      bits + one.1 * tables.leastBits(of: one.0, in: header, of: frame)
    }
    let restarts = restartInterval > 0 ? (units.count - 1) / restartInterval : 0
    scan = Scan(
      wantedRestarts: restarts, leastByteCount: (restartInterval * bits + 7) / 8,
      leastLastByteCount: ((units.count - restarts * restartInterval) * bits + 7) / 8)
    if frame.isProgressive { try progression.add(header) }
    if !frame.isProgressive || header.first == 0 && header.high == 0 {
      coded.formUnion(header.components.map(\.frame.id))
    }
  }

  private mutating func endScan() throws(JPEGFault) {
    guard let scan else { return }
    if scan.restarts > scan.wantedRestarts {
      guard scan.byteCount == scan.intervalStart else { throw Self.tooManyRestarts }
    } else {
      guard scan.restarts == scan.wantedRestarts, scan.isLongEnough(isLast: true) else {
        throw .damaged("the data of a scan ends too early")
      }
    }
    self.scan = nil
  }
}
