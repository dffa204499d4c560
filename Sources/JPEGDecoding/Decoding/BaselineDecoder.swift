import ImageKernels
import JPEGTables

/// Decodes a sequential Huffman-coded JPEG of 8 bits in one scan, gray or YCbCr, to the bytes that
/// libjpeg-turbo makes of it with its integer transform and triangle filter.
///
/// It knows the undamaged usual file and nothing else: at the first thing that is not so it stops, and what
/// it has given until then is right, so that libjpeg can go on from there. Belongs to one worker at a time.
public final class BaselineDecoder {
  /// In pixels, of the result.
  public var width: Int { window.columns.count }
  public var height: Int { window.rows.count }
  /// 1, gray, or 3, RGB.
  public var bands: Int { geometry.components.count }

  private let geometry: FrameGeometry
  private let window: FrameWindow
  private let kernels: JPEGKernels
  private let restartInterval: Int
  private let input: EntropyBytes
  private let batch: BlockBatch
  private let components: [ComponentRows]
  private let upsampler: RowUpsampler
  /// The row of MCUs that is in `components`; -1 before the first.
  private var mcuRow = -1
  private var hasStarted = false
  private var mcusToRestart = 0
  private var restarts = 0
  /// The next row to give, from the first of the picture on.
  private var nextRow: Int
  /// Rows that can be given, from the first of the picture on.
  private var readyRows = 0
  private var hasFailed = false

  /// Whether there are kernels with vectors for this processor; the plain ones are slow.
  public static var hasVectors: Bool { InstructionSet.current != .portable }

  /// Nil for what is not usual: see `FrameGeometry`.
  ///
  /// - Parameters:
  ///   - shrink: 1, 2, 4 or 8.
  ///   - part: pixels of the shrunk picture, inside it; nil for all. Rows below it are not read.
  ///   - read: reads at most so many bytes at an offset of the file: their number, 0 at its end, negative on
  ///     failure.
  public init?(
    _ frame: BaselineFrame, shrink: Int, part: (columns: Range<Int>, rows: Range<Int>)? = nil,
    instructions: InstructionSet = .current,
    read: @escaping (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int
  ) {
    precondition([1, 2, 4, 8].contains(shrink), "a JPEG shrinks by 1, 2, 4 or 8")
    kernels = JPEGKernels(instructions)
    guard let geometry = FrameGeometry(frame, shrink: shrink) else { return nil }
    self.geometry = geometry
    window =
      part.map { FrameWindow(geometry, columns: $0.columns, rows: $0.rows) }
      ?? FrameWindow(geometry)
    nextRow = window.rows.lowerBound
    input = EntropyBytes(at: frame.dataOffset, read: read)
    components = geometry.components.map { ComponentRows($0, mcusAcross: geometry.mcusAcross) }
    guard
      let batch = BlockBatch(
        frame, geometry, to: components, kernels: kernels, bytes: input.base, skips: part != nil)
    else { return nil }
    self.batch = batch
    restartInterval = frame.restartInterval
    upsampler = RowUpsampler(geometry, window, components, kernels)
  }

  /// Decodes the next `count` rows into `rows`, `stride` bytes apart.
  ///
  /// - Returns: how many it gave. Fewer than `count` means that it cannot go on, and is not to be called
  ///   again. So does an answer of `count` with the last rows, when `endsProperly` is false.
  public func read(_ count: Int, into rows: UnsafeMutableRawPointer, stride: Int) -> Int {
    var done = 0
    while done < count {
      while nextRow >= readyRows {
        guard decodeMCURow() else { return done }
      }
      let part = min(count - done, readyRows - nextRow)
      for index in 0..<part {
        upsampler.write(
          nextRow + index - mcuRow * geometry.rowsPerMCU, mcuRow: mcuRow,
          to: rows + (done + index) * stride)
      }
      nextRow += part
      done += part
    }
    return done
  }

  /// After the last row of the picture: whether the end of image marker follows the scan.
  public private(set) var endsProperly = false

  /// Decodes a row of MCUs, which makes more rows ready.
  private func decodeMCURow() -> Bool {
    guard !hasFailed, mcuRow + 1 < geometry.mcusDown else { return false }
    if mcuRow >= 0 { upsampler.keepContext() }
    guard decodeMCUs() else {
      hasFailed = true
      return false
    }
    mcuRow += 1
    let isLast = mcuRow + 1 == geometry.mcusDown
    // The last row of all but the last MCUs waits for the chrominance below.
    let held = upsampler.needsRowBelow ? 1 : 0
    readyRows = isLast ? geometry.height : (mcuRow + 1) * geometry.rowsPerMCU - held
    if isLast { endsProperly = input.endsImage(&batch.state) }
    return true
  }

  private func decodeMCUs() -> Bool {
    var mcu = 0
    while mcu < geometry.mcusAcross {
      if mcusToRestart == 0, !startSegment() { return false }
      let (isNeeded, end) = stretch(at: mcu)
      batch.skips = !isNeeded
      let count = min(batch.capacity, end - mcu, mcusToRestart)
      var done = 0
      while done < count {
        let decoded = batch.decode(done, count - done)
        guard decoded >= 0 else { return false }
        done += decoded
        if done < count, !input.more(&batch.state) { return false }
      }
      if isNeeded { batch.transform(count, at: mcu) }
      mcu += count
      mcusToRestart -= count
    }
    return input.isWithin(batch.state)
  }

  /// Whether samples of an MCU of the next row are needed, and where that changes.
  private func stretch(at mcu: Int) -> (isNeeded: Bool, end: Int) {
    let needed = window.mcuColumns
    if mcuRow + 1 < window.firstMCURow || mcu >= needed.upperBound {
      return (false, geometry.mcusAcross)
    }
    return mcu < needed.lowerBound ? (false, needed.lowerBound) : (true, needed.upperBound)
  }

  /// Begins the scan, or what follows a restart marker (T.81, F.2.2.4 and E.2.4).
  private func startSegment() -> Bool {
    if !hasStarted {
      hasStarted = true
    } else {
      guard input.marker(after: &batch.state) == 0xd0 + UInt8(restarts % 8) else { return false }
      restarts += 1
    }
    batch.resetPredictions()
    mcusToRestart = restartInterval > 0 ? restartInterval : Int.max
    return input.startSegment(&batch.state)
  }
}
