/// Decodes a JPEG of 12 bits, Huffman-coded, sequential or progressive (T.81, the extended processes), to rows
/// of 16 bits.
///
/// Its samples equal those of libjpeg-turbo with 12 bits, the integer transform and the triangle filter. It is plain
/// and not fast. A sequential picture in one scan is decoded row by row. For others it keeps all coefficients, at 2
/// bytes a sample. Belongs to one worker at a time.
public final class ExtendedDecoder {
  /// Pixels across and down.
  public let width: Int
  public let height: Int
  private let colours: ExtendedColours
  private let bytes: MarkedBytes
  private let frame: ExtendedFrame
  private var headers: ExtendedHeaders
  private let firstScan: ExtendedScan
  private var planes: [CoefficientPlane] = []
  private var samples: [WideSamples] = []
  /// The only scan, while it is decoded row by row.
  private var scanDecoder: ExtendedScanDecoder?
  private var mcuRows = 0
  private var nextRow = 0

  /// Reads up to the first scan.
  ///
  /// - Parameters:
  ///   - colours: the meaning of the components.
  ///   - acceptsDamage: whether to go on if data is damaged or missing.
  ///   - read: fills a buffer from an offset of the file and returns the number of bytes, 0 at the end, negative on
  ///     failure.
  public init(
    _ colours: ExtendedColours, acceptsDamage: Bool,
    read: @escaping @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int
  ) throws(ExtendedFault) {
    bytes = MarkedBytes(acceptsDamage: acceptsDamage, read: read)
    headers = ExtendedHeaders(bytes)
    guard let scan = try headers.nextScan(), let frame = headers.frame, frame.components.count == colours.componentCount
    else { throw .damaged("Invalid JPEG file structure: missing SOS marker") }
    firstScan = scan
    self.frame = frame
    self.colours = colours
    width = frame.width
    height = frame.height
  }

  /// Decodes the next rows: samples of 16 bits, gray or RGB.
  ///
  /// - Parameters:
  ///   - count: the number of rows, no more than are left.
  ///   - rows: the destination, `stride` bytes apart.
  public func read(_ count: Int, into rows: UnsafeMutableRawPointer, stride: Int) throws(ExtendedFault) {
    precondition(nextRow + count <= height, "read past the last row")
    if samples.isEmpty { try start() }
    for index in 0..<count {
      let needed = min(nextRow / frame.rowsPerMCU + 2, frame.mcusDown)
      while mcuRows < needed { try makeSamples() }
      let pixels = WideColours.pixels(samples.map { $0.pixels(nextRow, width: width) }, colours, count: width)
      pixels.withUnsafeBytes {
        (rows + index * stride).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
      }
      nextRow += 1
    }
  }

  /// Whether the file ended without an end marker. Every pixel was there, or reading would have failed.
  public var lacksEnd: Bool { bytes.hasEnded && !bytes.acceptsDamage }

  /// Begins a single scan, or decodes all scans if there are several.
  private func start() throws(ExtendedFault) {
    bytes.mayEnd = true
    let isWhole = frame.isProgressive || firstScan.parts.count < frame.components.count
    planes = frame.components.map {
      CoefficientPlane(blocksAcross: $0.blocksAcross, blocksDown: isWhole ? $0.blocksDown : $0.verticalSampling)
    }
    var steps: [[UInt16]?] = Array(repeating: nil, count: frame.components.count)
    try takeSteps(of: firstScan, &steps)
    if isWhole {
      try decodeScans(&steps)
    } else {
      scanDecoder = try ExtendedScanDecoder(headers, frame, firstScan, bytes)
    }
    samples = zip(frame.components, steps).map { component, steps in
      // A component without a scan stays at mid-gray.
      WideSamples(component, steps: steps ?? Array(repeating: 1, count: 64))
    }
  }

  private func decodeScans(_ steps: inout [[UInt16]?]) throws(ExtendedFault) {
    var scan = firstScan
    var count = 0
    let blocks = planes.reduce(0) { $0 + $1.values.count / 64 }
    // The bits that are still to come of each coefficient.
    var missing = planes.map { _ in [Int](repeating: 16, count: 64) }
    while true {
      count += 1
      // The limits of `jpeg_decode.c`: a scan of a few bytes visits every block.
      guard count <= 500, count <= 64 || count * blocks <= 1_000_000_000 else {
        throw .unsupported("a progressive JPEG with that many scans")
      }
      var scanDecoder = try ExtendedScanDecoder(headers, frame, scan, bytes)
      for row in 0..<scanDecoder.rowCount { try scanDecoder.decodeRow(row, into: planes) }
      for part in scan.parts {
        for index in frame.isProgressive ? scan.spectralSelection : 0...63 {
          missing[part.component][index] = frame.isProgressive ? scan.approximationLow : 0
        }
      }
      guard let next = try headers.nextScan(scanDecoder.end()) else {
        if bytes.hasEnded, missing.contains(where: { $0.contains { $0 > 0 } }) { try bytes.note(.truncated) }
        return
      }
      scan = next
      try takeSteps(of: scan, &steps)
    }
  }

  /// Takes the quantisation tables of a scan's components, unless an earlier scan has set them.
  private func takeSteps(of scan: ExtendedScan, _ steps: inout [[UInt16]?]) throws(ExtendedFault) {
    for part in scan.parts where steps[part.component] == nil {
      let number = frame.components[part.component].table
      guard number < 4, let table = headers.steps[number] else {
        throw .damaged("Quantization table 0x0\(number) was not defined")
      }
      steps[part.component] = table
    }
  }

  /// Makes the samples of the next MCU row.
  private func makeSamples() throws(ExtendedFault) {
    let row = mcuRows
    if scanDecoder != nil {
      for plane in planes { plane.clear() }
      try scanDecoder!.decodeRow(0, into: planes)
      if row + 1 == frame.mcusDown { try checkEnd() }
    }
    for (index, plane) in planes.enumerated() {
      samples[index].transform(row, plane, at: scanDecoder == nil ? row : 0)
    }
    mcuRows += 1
  }

  /// Checks that the end of the image follows a single scan.
  private func checkEnd() throws(ExtendedFault) {
    guard try headers.nextScan(scanDecoder!.end()) != nil else { return }
    try bytes.note(.damaged("Didn't expect more than one scan"))
  }
}
