import ImageCore
import ImageKernels

/// Look-up tables with 256 or 65,536 entries, for operations in which each sample of the result depends on one sample.
///
/// `@unchecked Sendable`: the tables are written in `init` and then only read.
final class SampleTables: @unchecked Sendable {
  /// A function from a sample, 0 to 1, to a new sample. Results outside this range are clipped.
  typealias Curve = (Double) -> Double

  let entries: UnsafeMutableRawPointer

  /// Creates a table for each curve. The tables are stored one after another.
  init(_ sample: SampleType, _ curves: [Curve]) {
    let count = sample.maximum + 1
    let top = Double(sample.maximum)
    entries = .allocate(byteCount: count * curves.count * sample.byteCount, alignment: 64)
    for (table, curve) in curves.enumerated() {
      for value in 0..<count {
        let level = (max(0, min(1, curve(Double(value) / top))) * top).rounded()
        RowSamples.store(Int(level), entries, table * count + value, sample)
      }
    }
  }

  deinit { entries.deallocate() }

  /// Returns the rows of `upstream` with samples replaced through tables.
  ///
  /// - Parameters:
  ///   - colour: one curve for all colour bands, or one for each.
  ///   - alpha: the curve of the alpha band; nil to keep alpha unchanged.
  static func open(_ upstream: any RowSource, _ context: OperationContext, colour: [Curve], alpha: Curve? = nil)
    -> any RowSource
  {
    let format = upstream.layout.format
    let tables = SampleTables(format.sample, colour + (alpha.map { [$0] } ?? []))
    let count = format.sample.maximum + 1
    var offsets = (0..<format.model.bandCount).map { min($0, colour.count - 1) * count }
    if format.hasAlpha { offsets.append(alpha == nil ? -1 : colour.count * count) }
    return PointSource(upstream, context) { [offsets] row, width in
      PointKernels.lookUp(
        row, width: width, sampleBytes: format.sample.byteCount, tables: tables.entries, offsets: offsets)
    }
  }
}
