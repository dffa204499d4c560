import ImageKernels
import JPEGTables

/// Decodes a sequential Huffman-coded 8-bit JPEG in one scan, gray or YCbCr. The result equals that of libjpeg-turbo
/// with the integer transform and the triangle filter.
///
/// It only decodes undamaged files of the usual kind, and stops at anything else. The rows until then are correct, so
/// libjpeg can continue from there. One worker uses a decoder at a time; other workers help it if there are restart
/// markers.
package final class BaselineDecoder {
  /// The width and height of the result in pixels.
  package var width: Int { window.columns.count }
  package var height: Int { window.rows.count }
  /// The number of bands: 1 for gray, 3 for RGB.
  package var bands: Int { geometry.components.count }

  private let geometry: FrameGeometry
  private let window: FrameWindow
  private let scan: any BandDecoder
  private let components: [ComponentRows]
  /// An upsampler for each worker that computes rows of pixels.
  private let upsamplers: [RowUpsampler]
  private let workers: DecodingWorkers?
  /// The MCU rows whose samples are in `components`.
  private var band = 0..<0
  /// The index of the next row to write.
  private var nextRow: Int
  /// The number of rows from the top of the picture that have been decoded and can be written.
  private var readyRows = 0
  private var hasFailed = false

  /// Whether there are SIMD kernels for this processor. The portable kernels are slow.
  package static var hasVectors: Bool { InstructionSet.current != .portable }

  /// The minimum size in bytes of rows whose upsampling is divided among workers.
  private static let worthSharing = 256 << 10

  /// Creates a decoder; nil for unusual files (see `FrameGeometry` and `BlockBatch.tables`).
  ///
  /// - Parameters:
  ///   - shrink: the reduction: 1, 2, 4 or 8.
  ///   - part: the columns and rows to decode, in pixels of the shrunk picture; nil for all. Decoding stops after the
  ///     last MCU row on which these rows depend.
  ///   - workers: the workers that may help; nil for none.
  ///   - read: fills a buffer from an offset of the file, and returns the number of bytes, 0 at the end, negative on
  ///     failure. Called on any of the workers, possibly concurrently.
  package init?(
    _ frame: BaselineFrame, shrink: Int, part: (columns: Range<Int>, rows: Range<Int>)? = nil,
    workers: DecodingWorkers? = nil, instructions: InstructionSet = .current,
    read: @escaping @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int
  ) {
    precondition([1, 2, 4, 8].contains(shrink), "a JPEG shrinks by 1, 2, 4 or 8")
    let kernels = JPEGKernels(instructions)
    guard let geometry = FrameGeometry(frame, shrink: shrink) else { return nil }
    self.geometry = geometry
    let window = part.map { FrameWindow(geometry, columns: $0.columns, rows: $0.rows) } ?? FrameWindow(geometry)
    self.window = window
    nextRow = window.rows.lowerBound
    let plan = workers.flatMap {
      BandPlan(geometry, mcuRows: window.endMCURow, restartInterval: frame.restartInterval, workers: $0)
    }
    self.workers = plan == nil ? nil : workers
    let skips = part != nil || plan?.passesOver == true
    guard let tables = BlockBatch.tables(frame, geometry, skips: skips) else { return nil }
    let components = geometry.components.map {
      ComponentRows($0, mcusAcross: geometry.mcusAcross, mcuRows: plan?.rowsPerBand ?? 1)
    }
    self.components = components
    let setup = ScanSetup(
      frame: frame, geometry: geometry, window: window, tables: tables, components: components, kernels: kernels)
    if let plan, let workers {
      scan = SharedScanDecoder(frame, geometry, plan: plan, mcuRows: window.endMCURow, workers: workers, read: read) {
        ScanDecoder(setup, pieceByteCount: 16 << 10, read: read)
      }
    } else {
      scan = ScanDecoder(setup, pieceByteCount: 64 << 10, read: read)
    }
    upsamplers = (0..<(plan == nil ? 1 : workers!.count)).map { _ in
      RowUpsampler(geometry, window, components, kernels)
    }
  }

  /// Decodes the next `count` rows into `rows`, `stride` bytes apart.
  ///
  /// - Returns: the number of decoded rows. If it is less than `count`, the decoder cannot continue and must not be
  ///   called again. After the last row, `endsProperly` tells whether the file ends correctly.
  package func read(_ count: Int, into rows: UnsafeMutableRawPointer, stride: Int) -> Int {
    var done = 0
    while done < count {
      while nextRow >= readyRows { guard decodeBand() else { return done } }
      let part = min(count - done, readyRows - nextRow)
      write(part, to: rows + done * stride, stride)
      nextRow += part
      done += part
    }
    return done
  }

  /// Whether the end of image marker follows the scan. Valid after the last row of the picture.
  package private(set) var endsProperly = false

  /// Upsamples rows of the band, and writes their pixels.
  private func write(_ count: Int, to rows: UnsafeMutableRawPointer, _ stride: Int) {
    let first = nextRow - band.lowerBound * geometry.rowsPerMCU
    guard let workers, count * width * bands >= Self.worthSharing else {
      for index in 0..<count {
        upsamplers[0].write(first + index, mcuRow: band.lowerBound, to: rows + index * stride)
      }
      return
    }
    // `nonisolated(unsafe)` is safe here: each index has its own upsampler and rows, and `parallelFor` returns after
    // all workers.
    nonisolated(unsafe) let (decoder, rows) = (self, rows)
    let parts = min(upsamplers.count, count)
    workers.parallelFor(parts) { part in
      for index in part * count / parts..<(part + 1) * count / parts {
        decoder.upsamplers[part].write(first + index, mcuRow: decoder.band.lowerBound, to: rows + index * stride)
      }
    }
  }

  /// Decodes the next band, and updates `readyRows`. Returns false if that is not possible.
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
    // Except at the bottom of the picture, the last pixel row of a band may need chrominance of the next band.
    let held = geometry.needsRowBelow ? 1 : 0
    readyRows = isLast ? geometry.height : next.upperBound * geometry.rowsPerMCU - held
    if isLast { endsProperly = scan.endsImage() }
    return true
  }
}
