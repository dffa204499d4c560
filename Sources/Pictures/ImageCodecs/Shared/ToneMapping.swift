import ImageCore
import ImageKernels

/// Maps the samples of an HDR picture to Display P3, which contains nearly all colours of such pictures. Gray samples
/// are mapped to the curve of sRGB.
package struct ToneMapping: Sendable {
  private let transfer: HDRTransfer
  private let primaries: RGBPrimaries
  private let statedPeak: Double

  /// Creates the mapping; nil if the samples are not HDR. Unspecified and unsupported primaries are treated as those of
  /// BT.2100.
  package init?(_ colour: ColourCode) {
    guard let transfer = HDRTransfer(code: colour.transfer) else { return nil }
    self.transfer = transfer
    primaries = RGBPrimaries(code: colour.primaries) ?? .rec2020
    statedPeak = colour.peak
  }

  /// Returns the ICC profile of mapped samples; empty for gray.
  package func profile(isGray: Bool) -> [UInt8] { isGray ? [] : StandardProfile.displayP3.bytes }

  /// The description for `imghost info`: the transfer function, and the peak if the file states a usable one.
  package var description: String {
    let peak = transfer.peak(stated: statedPeak)
    return transfer.name + (peak == statedPeak.rounded() ? ", up to \(Int(peak)) cd/m²" : "")
  }

  /// Returns the mapping of rows. This function computes tables, which takes some milliseconds.
  package func rowMapping() -> RowMapping {
    RowMapping(
      kernel: ToneKernels.Mapping(
        transfer, matrix: primaries.matrix(to: .displayP3), luminance: primaries.luminance,
        peak: transfer.peak(stated: statedPeak)))
  }

  package struct RowMapping: Sendable {
    fileprivate let kernel: ToneKernels.Mapping

    /// Maps rows in place, on all available workers.
    package func convert(
      _ count: Int, of layout: PictureLayout, at base: UnsafeMutableRawPointer, stride: Int, _ context: OperationContext
    ) {
      let rows = SharedRows(base: base, stride: stride)
      let sampleBytes = layout.format.sample.byteCount
      context.forRows(count, rowByteCount: layout.rowByteCount) { [kernel] y in
        ToneKernels.convert(
          rows.row(y), width: layout.width, bands: layout.bands, sampleBytes: sampleBytes, by: kernel)
      }
    }
  }
}

/// Rows of an HDR picture, mapped to the standard dynamic range.
final class ToneMappedSource: RowSource {
  private let upstream: any RowSource
  private let mapping: ToneMapping.RowMapping
  private let context: OperationContext

  init(_ upstream: any RowSource, _ mapping: ToneMapping, _ context: OperationContext) {
    self.upstream = upstream
    self.mapping = mapping.rowMapping()
    self.context = context
  }

  var layout: PictureLayout { upstream.layout }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try upstream.read(count, into: destination, stride: stride)
    mapping.convert(count, of: layout, at: destination, stride: stride, context)
  }
}
