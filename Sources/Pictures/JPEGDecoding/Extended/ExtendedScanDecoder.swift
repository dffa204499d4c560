import JPEGTables

/// Decodes the blocks of one scan into planes, one MCU row at a time.
struct ExtendedScanDecoder {
  private let frame: ExtendedFrame
  private let scan: ExtendedScan
  private let restartInterval: Int
  private var blocks: BlockDecoder
  private var mcusToRestart: Int
  private var restarts: UInt8 = 0

  /// The number of MCU rows; in a scan of one component, the rows of its blocks.
  let rowCount: Int
  private let mcusAcross: Int

  init(_ headers: ExtendedHeaders, _ frame: ExtendedFrame, _ scan: ExtendedScan, _ bytes: MarkedBytes)
    throws(ExtendedFault)
  {
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

  /// Decodes the next MCU row.
  ///
  /// - Parameter row: the MCU row of the planes that gets the coefficients.
  mutating func decodeRow(_ row: Int, into planes: [CoefficientPlane]) throws(ExtendedFault) {
    for mcu in 0..<mcusAcross {
      if restartInterval > 0 {
        if mcusToRestart == 0 { try restart() }
        mcusToRestart -= 1
      }
      try decodeMCU(mcu, row, planes)
    }
  }

  /// Skips to the marker after the scan and returns its second byte.
  mutating func end() throws(ExtendedFault) -> UInt8 { try blocks.bits.end() }

  private mutating func restart() throws(ExtendedFault) {
    try blocks.bits.restart(restarts % 8)
    restarts = (restarts + 1) % 8
    mcusToRestart = restartInterval
    blocks.reset()
  }

  private mutating func decodeMCU(_ mcu: Int, _ row: Int, _ planes: [CoefficientPlane]) throws(ExtendedFault) {
    guard scan.parts.count > 1 else {
      let plane = planes[scan.parts[0].component]
      return try blocks.decode(0, plane, plane.block(mcu, row))
    }
    for (index, part) in scan.parts.enumerated() {
      let component = frame.components[part.component]
      let plane = planes[part.component]
      for y in 0..<component.verticalSampling {
        for x in 0..<component.horizontalSampling {
          try blocks.decode(
            index, plane,
            plane.block(
              mcu * component.horizontalSampling + x, row * component.verticalSampling + y))
        }
      }
    }
  }
}
