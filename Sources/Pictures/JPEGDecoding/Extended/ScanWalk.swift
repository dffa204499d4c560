import JPEGTables

/// Decodes the blocks of one scan into planes, a row of MCUs at a time.
struct ScanWalk {
  private let frame: ExtendedFrame
  private let scan: ExtendedScan
  private let restartInterval: Int
  private var blocks: BlockDecoder
  private var mcusToRestart: Int
  private var restarts: UInt8 = 0

  /// Rows of MCUs: of a scan of one component, of its blocks.
  let rowCount: Int
  private let mcusAcross: Int

  init(
    _ headers: ExtendedHeaders, _ frame: ExtendedFrame, _ scan: ExtendedScan, _ bytes: MarkedBytes
  ) throws(ExtendedFault) {
    self.frame = frame
    self.scan = scan
    restartInterval = headers.restartInterval
    mcusToRestart = restartInterval
    blocks = try BlockDecoder(headers, frame, scan, bytes)
    if scan.parts.count == 1 {
      let component = frame.components[scan.parts[0].component]
      mcusAcross = component.ownBlocksAcross
      rowCount = component.ownBlocksDown
    } else {
      mcusAcross = frame.mcusAcross
      rowCount = frame.mcusDown
    }
  }

  /// Decodes the next row of MCUs.
  ///
  /// - Parameter row: of the planes, where it goes, in rows of MCUs.
  mutating func decodeRow(_ row: Int, into planes: [CoefficientPlane]) throws(ExtendedFault) {
    for mcu in 0..<mcusAcross {
      if restartInterval > 0 {
        if mcusToRestart == 0 { try restart() }
        mcusToRestart -= 1
      }
      try decodeMCU(mcu, row, planes)
    }
  }

  /// The second byte of the marker after the scan.
  mutating func end() throws(ExtendedFault) -> UInt8 { try blocks.bits.end() }

  private mutating func restart() throws(ExtendedFault) {
    try blocks.bits.restart(restarts % 8)
    restarts = (restarts + 1) % 8
    mcusToRestart = restartInterval
    blocks.reset()
  }

  private mutating func decodeMCU(_ mcu: Int, _ row: Int, _ planes: [CoefficientPlane])
    throws(ExtendedFault)
  {
    guard scan.parts.count > 1 else {
      let plane = planes[scan.parts[0].component]
      return try blocks.decode(0, plane, plane.block(mcu, row))
    }
    for (index, part) in scan.parts.enumerated() {
      let component = frame.components[part.component]
      let plane = planes[part.component]
      for y in 0..<component.down {
        for x in 0..<component.across {
          try blocks.decode(
            index, plane,
            plane.block(mcu * component.across + x, row * component.down + y))
        }
      }
    }
  }
}
