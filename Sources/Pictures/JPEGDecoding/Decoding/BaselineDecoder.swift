import ImageKernels
import JPEGTables

/// Decodes a sequential Huffman-coded JPEG of 8 bits in one scan, gray or YCbCr, to the bytes that
/// libjpeg-turbo makes of it with its integer transform and triangle filter.
///
/// It knows the undamaged usual file and nothing else: at the first thing that is not so it stops, and what
/// it has given until then is right, so that libjpeg can go on from there. Belongs to one worker at a time;
/// where there are restart markers, others may help.
public final class BaselineDecoder {
  /// In pixels, of the result.
  public var width: Int { window.columns.count }
  public var height: Int { window.rows.count }
  /// 1, gray, or 3, RGB.
  public var bands: Int { geometry.components.count }

  private let geometry: FrameGeometry
  private let window: FrameWindow
  private let scan: any BandDecoder
  private let components: [ComponentRows]
  /// One, or one for each part of the rows that workers make together.
  private let upsamplers: [RowUpsampler]
  private let workers: DecodingWorkers?
  /// The rows of MCUs that are in `components`.
  private var band = 0..<0
  /// The next row to give, from the first of the picture on.
  private var nextRow: Int
  /// Rows that can be given, from the first of the picture on.
  private var readyRows = 0
  private var hasFailed = false

  /// Whether there are kernels with vectors for this processor; the plain ones are slow.
  public static var hasVectors: Bool { InstructionSet.current != .portable }

  /// Bytes of rows below which it does not pay to let others make some.
  private static let worthSharing = 256 << 10

  /// Nil for what is not usual: see `FrameGeometry`.
  ///
  /// - Parameters:
  ///   - shrink: 1, 2, 4 or 8.
  ///   - part: pixels of the shrunk picture, inside it; nil for all. Rows below it are not read.
  ///   - workers: that may help; nil for none.
  ///   - read: reads at most so many bytes at an offset of the file: their number, 0 at its end, negative on
  ///     failure. Called by any of the workers, several at once.
  public init?(
    _ frame: BaselineFrame, shrink: Int, part: (columns: Range<Int>, rows: Range<Int>)? = nil,
    workers: DecodingWorkers? = nil, instructions: InstructionSet = .current,
    read: @escaping @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int
  ) {
    precondition([1, 2, 4, 8].contains(shrink), "a JPEG shrinks by 1, 2, 4 or 8")
    let kernels = JPEGKernels(instructions)
    guard let geometry = FrameGeometry(frame, shrink: shrink) else { return nil }
    self.geometry = geometry
    let window =
      part.map { FrameWindow(geometry, columns: $0.columns, rows: $0.rows) }
      ?? FrameWindow(geometry)
    self.window = window
    nextRow = window.rows.lowerBound
    let plan = workers.flatMap {
      BandPlan(
        geometry, mcuRows: window.endMCURow, restartInterval: frame.restartInterval, workers: $0)
    }
    self.workers = plan == nil ? nil : workers
    let skips = part != nil || plan?.passesOver == true
    guard let tables = BlockBatch.tables(frame, geometry, skips: skips) else { return nil }
    let components = geometry.components.map {
      ComponentRows($0, mcusAcross: geometry.mcusAcross, mcuRows: plan?.rowsPerBand ?? 1)
    }
    self.components = components
    func decoder(_ pieceByteCount: Int) -> ScanDecoder {
      ScanDecoder(
        frame, geometry, window, tables: tables, to: components, kernels: kernels,
        pieceByteCount: pieceByteCount, read: read)
    }
    if let plan, let workers {
      scan = SharedScanDecoder(
        frame, geometry, plan: plan, mcuRows: window.endMCURow, workers: workers, read: read
      ) { decoder(16 << 10) }
    } else {
      scan = decoder(64 << 10)
    }
    upsamplers = (0..<(plan == nil ? 1 : workers!.count)).map { _ in
      RowUpsampler(geometry, window, components, kernels)
    }
  }

  /// Decodes the next `count` rows into `rows`, `stride` bytes apart.
  ///
  /// - Returns: how many it gave. Fewer than `count` means that it cannot go on, and is not to be called
  ///   again. So does an answer of `count` with the last rows, when `endsProperly` is false.
  public func read(_ count: Int, into rows: UnsafeMutableRawPointer, stride: Int) -> Int {
    var done = 0
    while done < count {
      while nextRow >= readyRows {
        guard decodeBand() else { return done }
      }
      let part = min(count - done, readyRows - nextRow)
      write(part, to: rows + done * stride, stride)
      nextRow += part
      done += part
    }
    return done
  }

  /// After the last row of the picture: whether the end of image marker follows the scan.
  public private(set) var endsProperly = false

  /// Makes rows of pixels of the band.
  private func write(_ count: Int, to rows: UnsafeMutableRawPointer, _ stride: Int) {
    let first = nextRow - band.lowerBound * geometry.rowsPerMCU
    guard let workers, count * width * bands >= Self.worthSharing else {
      for index in 0..<count {
        upsamplers[0].write(first + index, mcuRow: band.lowerBound, to: rows + index * stride)
      }
      return
    }
    // Each index has an upsampler and rows of its own; all have returned before this goes on.
    nonisolated(unsafe) let (decoder, rows) = (self, rows)
    let parts = min(upsamplers.count, count)
    workers.parallelFor(parts) { part in
      for index in part * count / parts..<(part + 1) * count / parts {
        decoder.upsamplers[part].write(
          first + index, mcuRow: decoder.band.lowerBound, to: rows + index * stride)
      }
    }
  }

  /// Decodes the next rows of MCUs, which makes more rows ready.
  private func decodeBand() -> Bool {
    guard !hasFailed, band.upperBound < window.endMCURow else { return false }
    if !band.isEmpty { upsamplers[0].keepContext(of: band.count) }
    let first = band.upperBound
    let next = first..<min(first + scan.rowsPerBand, window.endMCURow)
    guard scan.decode(next) else {
      hasFailed = true
      return false
    }
    band = next
    let isLast = next.upperBound == geometry.mcusDown
    // The last row of all but the last MCUs waits for the chrominance below.
    let held = geometry.needsRowBelow ? 1 : 0
    readyRows = isLast ? geometry.height : next.upperBound * geometry.rowsPerMCU - held
    if isLast { endsProperly = scan.endsImage() }
    return true
  }
}
