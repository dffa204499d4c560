/// Memory that one worker needs while it resamples 16-bit samples without alpha.
final class WideScratch {
  /// Samples that the vertical pass makes of each row before it turns to the next: their source, some 20 rows,
  /// fits the first-level cache.
  static let block = 128

  /// Samples of a row after the vertical pass, a multiple of 128.
  let flatCount: Int
  /// Addresses of rows of `flatCount` floats, and finite ones that the last pixels' padded taps reach.
  let flat: UnsafeMutablePointer<UnsafeRawPointer>
  /// What the horizontal pass reads: `flat`, or of gray a row of interleaved floats.
  let rows: UnsafeMutablePointer<UnsafeRawPointer>
  /// Where the horizontal pass writes.
  let outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// A target row that nobody reads.
  let spare: UnsafeMutableRawPointer
  /// Addresses of source rows: `most` for each two target rows.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  let most: Int
  private let memory: UnsafeMutableRawPointer

  init(_ plan: ResamplePlan) {
    let (bands, columns) = (plan.pixels.bands, plan.columns.count)
    let count = WidePlan.rows(bands)
    let padding = WidePlan.paddedTaps(plan.horizontal, bands) * bands
    flatCount = (columns * bands + 127) & ~127
    // Rows are weighed two by two, from an even one to an odd one.
    most = plan.mostSourceRows(of: 2) + 2
    let flatSize = ((flatCount + padding) * 4 + 64 + 63) & ~63
    let interleavedSize = bands == 1 ? flatSize * 4 : 0
    let spareSize = plan.geometry.targetWidth * plan.pixels.bytesPerPixel
    let size = count * flatSize + interleavedSize + spareSize
    memory = .allocate(byteCount: size, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)

    flat = .allocate(capacity: count)
    for row in 0..<count {
      flat.advanced(by: row).initialize(to: UnsafeRawPointer(memory + row * flatSize))
    }
    rows = .allocate(capacity: count)
    let interleaved = memory + count * flatSize
    if bands == 1 {
      rows.initialize(repeating: UnsafeRawPointer(interleaved), count: count)
    } else {
      rows.initialize(from: flat, count: count)
    }
    spare = interleaved + interleavedSize
    outputs = .allocate(capacity: count)
    outputs.initialize(repeating: spare, count: count)
    sources = .allocate(capacity: count * most)
    sources.initialize(repeating: UnsafeRawPointer(memory), count: count * most)
  }

  deinit {
    flat.deallocate()
    rows.deallocate()
    outputs.deallocate()
    sources.deallocate()
    memory.deallocate()
  }
}
