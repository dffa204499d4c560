import Platform

/// Checks the scans of a JPEG while its bytes are read, without decoding them (ITU-T T.81, Annex B).
///
/// Finds scans that do not end, missing or unexpected restart markers, scans and restart intervals that are too short
/// for their blocks, components without a scan, progressive scans in the wrong order, and a missing end. Bytes after
/// the end of the image are ignored.
///
/// Finding markers takes a tenth of the time of hashing the same bytes, and only decoding would find more faults. Runs
/// of zeros do not prove damage, because the all-zero code of a Huffman table can have any meaning.
struct JPEGBodyCheck: Sendable {
  private enum State: Sendable {
    /// Before the next marker: in entropy-coded data, or between segments.
    case data
    /// After the byte 255 of a marker, before its code.
    case marker
    /// In the two bytes of a segment's length.
    case length
    /// In a segment's content.
    case segment
    case ended
  }

  /// The state between a scan's header and the marker that ends its data.
  private struct Scan: Sendable {
    var byteCount = 0
    var restarts = 0
    /// The number of bytes in the scan before its last restart marker.
    var intervalStart = 0
    let expectedRestarts: Int
    /// The minimum number of bytes of a whole restart interval, and of the last interval.
    let minimumByteCount: Int
    let minimumLastByteCount: Int

    /// Returns whether the bytes since the last restart marker can contain a whole interval.
    func isLongEnough(isLast: Bool) -> Bool {
      byteCount - intervalStart >= (isLast ? minimumLastByteCount : minimumByteCount)
    }
  }

  private let frame: JPEGFrame
  private var tables: JPEGTableSet
  private var restartInterval: Int
  private var state = State.data
  private var scan: Scan?
  /// The number of bytes to skip before the first scan's data.
  private var skipped: Int
  /// The marker of the current segment, and the number of its bytes still to be read.
  private var code: UInt8 = 0
  private var left = 0
  /// The first byte of the segment's length, if it has been read.
  private var lengthStart: UInt8?
  private var segment: [UInt8] = []
  /// The identifiers of components whose DC coefficients have been coded.
  private var coded: Set<UInt8> = []
  private var progression = JPEGProgression()

  /// - Parameters:
  ///   - tables: the tables before the first scan.
  ///   - start: the offset of the first scan's data from the file's start, in bytes.
  init(_ frame: JPEGFrame, _ tables: JPEGTableSet, restartInterval: Int, firstScan: JPEGScan, at start: Int)
    throws(JPEGFault)
  {
    self.frame = frame
    self.tables = tables
    self.restartInterval = restartInterval
    skipped = start
    try begin(firstScan)
  }

  /// Parses the content of a DRI segment (B.2.4.4).
  static func restartInterval(_ body: [UInt8]) throws(JPEGFault) -> Int {
    guard body.count == 2 else { throw .damaged("wrong length of the restart interval") }
    return Int(body[0]) << 8 | Int(body[1])
  }

  /// Checks the next bytes of the file.
  mutating func add(_ bytes: UnsafeRawBufferPointer) throws(JPEGFault) {
    var place = min(skipped, bytes.count)
    skipped -= place
    while place < bytes.count {
      switch state {
      case .data: place = try passData(bytes, from: place)
      case .marker:
        try handleMarker(bytes[place])
        place += 1
      case .length:
        try addLength(bytes[place])
        place += 1
      case .segment: place = try passSegment(bytes, from: place)
      case .ended: return
      }
    }
  }

  /// Throws if the image has not ended. Called after the last byte.
  func finish() throws(JPEGFault) { if state != .ended { throw .truncated } }

  /// Skips data up to the next marker. Returns the position after the marker's byte 255, or the end if there is no
  /// marker.
  private mutating func passData(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(JPEGFault) -> Int {
    let end = Self.nextMarker(in: bytes, from: start)
    if scan == nil, bytes[start..<end].contains(where: { $0 != 0 }) { throw betweenSegments }
    scan?.byteCount += end - start
    guard end < bytes.count else { return end }
    state = .marker
    return end + 1
  }

  /// Returns the index of the first byte 255 from `start` on that is not followed by 0, or that is the last byte; the
  /// end if there is none (T.81, B.1.1.5).
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

  private var interruption: JPEGFault { .damaged("unexpected marker \(Self.text(code)) in the image data") }

  /// The fault for bytes at a place where a marker must be. After the last scan of a sequential JPEG, they are assumed
  /// to be the rest of that scan, which an unexpected marker has interrupted.
  private var betweenSegments: JPEGFault {
    let isComplete = frame.components.allSatisfy { coded.contains($0.id) }
    return isComplete && !frame.isProgressive ? interruption : .strayBytes
  }

  private static func text(_ code: UInt8) -> String {
    "FF" + (code < 16 ? "0" : "") + String(code, radix: 16, uppercase: true)
  }

  private mutating func handleMarker(_ code: UInt8) throws(JPEGFault) {
    switch code {
    // A fill byte before the marker's code.
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
        throw .damaged("the image ends before its last scan")
      }
      state = .ended
    } else {
      segment.removeAll(keepingCapacity: true)
      state = .length
    }
  }

  private mutating func restart(_ number: Int) throws(JPEGFault) {
    guard var scan, restartInterval > 0 else { throw .damaged("unexpected restart marker RST\(number)") }
    // A restart marker at the end of a scan is harmless; `endScan` checks that nothing follows it.
    if scan.restarts < scan.expectedRestarts {
      guard number == scan.restarts % 8 else { throw .damaged("missing restart marker \(scan.restarts + 1)") }
      guard scan.isLongEnough(isLast: false) else {
        throw .damaged("data missing before restart marker \(scan.restarts + 1)")
      }
    } else if scan.restarts == scan.expectedRestarts {
      guard scan.isLongEnough(isLast: true) else { throw .damaged("data missing at the end of a scan") }
    } else {
      throw Self.tooManyRestarts
    }
    scan.restarts += 1
    scan.intervalStart = scan.byteCount
    self.scan = scan
  }

  private static let tooManyRestarts = JPEGFault.damaged(
    "too many restart markers")

  private mutating func addLength(_ byte: UInt8) throws(JPEGFault) {
    guard let high = lengthStart else {
      lengthStart = byte
      return
    }
    lengthStart = nil
    left = Int(high) << 8 + Int(byte) - 2
    guard left >= 0 else { throw .damaged("invalid length of segment \(Self.text(code))") }
    state = .segment
    if left == 0 { try endSegment() }
  }

  private mutating func passSegment(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(JPEGFault) -> Int {
    let end = min(bytes.count, start + left)
    left -= end - start
    // Only these segments affect scans.
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
    case 0xc0...0xcf: throw .damaged("two frame headers")
    default: break
    }
  }

  private mutating func begin(_ header: JPEGScan) throws(JPEGFault) {
    try tables.check(header, of: frame)
    let units = header.units(in: frame)
    let bits = zip(header.components, units.blocks).reduce(0) { bits, one in
      bits + one.1 * tables.minimumBits(of: one.0, in: header, of: frame)
    }
    let restarts = restartInterval > 0 ? (units.count - 1) / restartInterval : 0
    scan = Scan(
      expectedRestarts: restarts, minimumByteCount: (restartInterval * bits + 7) / 8,
      minimumLastByteCount: ((units.count - restarts * restartInterval) * bits + 7) / 8)
    if frame.isProgressive { try progression.add(header) }
    if !frame.isProgressive || header.first == 0 && header.high == 0 {
      coded.formUnion(header.components.map(\.frame.id))
    }
  }

  private mutating func endScan() throws(JPEGFault) {
    guard let scan else { return }
    if scan.restarts > scan.expectedRestarts {
      guard scan.byteCount == scan.intervalStart else { throw Self.tooManyRestarts }
    } else {
      guard scan.restarts == scan.expectedRestarts, scan.isLongEnough(isLast: true) else {
        throw .damaged("data missing at the end of a scan")
      }
    }
    self.scan = nil
  }
}

/// The progress of a progressive JPEG: how far its scans have refined each coefficient (ITU-T T.81, G.1.1.1).
struct JPEGProgression: Sendable {
  /// The lowest bit known so far of each coefficient, by component identifier; nil for none.
  private var known: [UInt8: [UInt8?]] = [:]

  /// Adds the next scan. AC bands must follow the DC coefficients, and a refinement scan must continue at the next
  /// lower bit.
  mutating func add(_ scan: JPEGScan) throws(JPEGFault) {
    let band = scan.first...scan.last
    for component in scan.components {
      let bits = known[component.frame.id] ?? Self.nothing
      guard scan.first == 0 || bits[0] != nil, band.allSatisfy({ Int(bits[$0] ?? 0) == scan.high }) else {
        throw .damaged("scans in the wrong order")
      }
    }
    for component in scan.components {
      for place in band { known[component.frame.id, default: Self.nothing][place] = UInt8(scan.low) }
    }
  }

  private static let nothing = [UInt8?](repeating: nil, count: 64)
}
