import ImageCore
import ImageKernels

/// Tables of every possible sample: how operations whose result depends on one sample are done, 256
/// entries or 65,536 each.
///
/// `@unchecked Sendable`: filled in `init`, only read afterwards.
final class SampleTables: @unchecked Sendable {
  /// A sample of 0 to 1 becomes another; results outside are cut off.
  typealias Curve = (Double) -> Double

  let entries: UnsafeMutableRawPointer
  private let sample: SampleType

  /// Makes one table a curve, one after another.
  init(_ sample: SampleType, _ curves: [Curve]) {
    self.sample = sample
    let count = sample.maximum + 1
    entries = .allocate(byteCount: count * curves.count * sample.byteCount, alignment: 64)
    for (index, curve) in curves.enumerated() {
      for value in 0..<count { set(index * count + value, curve(Double(value) / top)) }
    }
  }

  deinit { entries.deallocate() }

  private var top: Double { Double(sample.maximum) }

  private func set(_ index: Int, _ value: Double) {
    let level = Int((max(0, min(1, value)) * top).rounded())
    if sample == .u8 {
      entries.storeBytes(of: UInt8(level), toByteOffset: index, as: UInt8.self)
    } else {
      entries.storeBytes(of: UInt16(level), toByteOffset: index * 2, as: UInt16.self)
    }
  }

  /// Sends rows through tables, in place.
  ///
  /// - Parameters:
  ///   - colour: one curve for all colour bands, or one for each.
  ///   - alpha: the alpha band's; nil leaves it alone.
  static func open(
    _ upstream: any RowSource, _ context: OperationContext, colour: [Curve], alpha: Curve? = nil
  ) -> any RowSource {
    let format = upstream.layout.format
    let tables = SampleTables(format.sample, colour + (alpha.map { [$0] } ?? []))
    let count = format.sample.maximum + 1
    var offsets = (0..<format.model.bandCount).map { min($0, colour.count - 1) * count }
    if format.hasAlpha { offsets.append(alpha == nil ? -1 : colour.count * count) }
    return PointSource(upstream, context) { [offsets] row, width in
      PointKernels.lookUp(
        row, width: width, sampleBytes: format.sample.byteCount, tables: tables.entries,
        offsets: offsets)
    }
  }
}
