import ImageCore
import ImageKernels

/// The mapping of the samples of an HDR picture to Display P3, which holds nearly all colours of such pictures. Gray
/// ones get the curve of sRGB.
struct ToneMapping: Sendable {
  let transfer: HDRTransfer
  private let mapping: ToneKernels.Mapping

  /// nil for samples that are no HDR. Primaries that the file leaves open are those of BT.2100.
  init?(_ colour: ColourCode) {
    guard let transfer = HDRTransfer(code: colour.transfer) else { return nil }
    let primaries = RGBPrimaries(code: colour.primaries) ?? .rec2020
    self.transfer = transfer
    mapping = ToneKernels.Mapping(
      transfer, matrix: primaries.matrix(to: .displayP3), luminance: primaries.luminance)
  }

  /// The ICC profile of mapped samples, empty for gray.
  func profile(isGray: Bool) -> [UInt8] { isGray ? [] : StandardProfile.displayP3.bytes }

  /// Maps rows in place, on as many workers as there are.
  func convert(
    _ count: Int, of layout: PictureLayout, at base: UnsafeMutableRawPointer, stride: Int, _ context: OperationContext
  ) {
    let rows = SharedRows(base: base, stride: stride)
    context.forRows(count, rowByteCount: layout.rowByteCount) { [mapping] y in
      ToneKernels.convert(
        rows.row(y), width: layout.width, bands: layout.bands, sampleBytes: layout.format.sample.byteCount, by: mapping)
    }
  }
}
