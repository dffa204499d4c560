import ImageCore
import ImageKernels

/// The numbers that operations multiply by weights and add: encoded samples, or linear light.
enum LightMixing: String, CaseIterable, Sendable {
  /// The stored samples. This is fast and gives the same result as browsers, but fine bright detail becomes too dark.
  case encoded
  /// Linear light, which a lens also mixes. Samples are decoded with the sRGB curve, and encoded again at the end.
  case linear

  static let parameter = ParameterDescriptor(
    "light", .choice(allCases.map(\.rawValue)), default: .text(encoded.rawValue),
    help: "the numbers to mix: encoded samples, or linear light by the curve of sRGB")

  init(_ arguments: Arguments) {
    self = LightMixing(rawValue: arguments.text(Self.parameter.name)) ?? .encoded
  }

  /// Returns 8-bit rows converted to linear light in 16 bits.
  static func decode(_ rows: any RowSource, _ context: OperationContext) -> any RowSource {
    let format = rows.layout.format
    return ConvertingSource(rows, to: format.with(sample: .u16), context) { from, to, width in
      LightKernels.decode8(from: from, to: to, width: width, bands: format.bands, hasAlpha: format.hasAlpha)
    }
  }

  /// Returns rows of linear light in 16 bits, converted to 8-bit samples.
  static func encode(_ rows: any RowSource, _ context: OperationContext) -> any RowSource {
    let format = rows.layout.format
    return ConvertingSource(rows, to: format.with(sample: .u8), context) { from, to, width in
      LightKernels.encode8(from: from, to: to, width: width, bands: format.bands, hasAlpha: format.hasAlpha)
    }
  }

  /// Converts a row to floats, with colours multiplied by alpha. The first and the last pixel are repeated `margin`
  /// times beyond the ends of the row.
  func widen(
    _ row: UnsafeRawPointer, width: Int, format: PixelFormat, margin: Int, into floats: UnsafeMutablePointer<Float>
  ) {
    let bands = format.bands
    guard self == .linear else {
      return ConvolutionKernels.widen(
        row, width: width, bands: bands, sampleBytes: format.sample.byteCount, premultiplies: format.hasAlpha,
        margin: margin, into: floats)
    }
    let inner = floats + margin * bands
    LightKernels.widen(
      row, sampleBytes: format.sample.byteCount, count: width * bands, alphaBands: format.hasAlpha ? bands : 0,
      into: inner)
    ConvolutionKernels.extendEdges(inner, width: width, bands: bands, margin: margin)
  }

  /// Converts a row of floats to samples: divides colours by alpha, and rounds to nearest. The floats may be
  /// overwritten.
  func narrow(
    _ floats: UnsafeMutablePointer<Float>, width: Int, format: PixelFormat, into row: UnsafeMutableRawPointer
  ) {
    let bands = format.bands
    if self == .linear {
      LightKernels.encode(
        floats, sampleBytes: format.sample.byteCount, count: width * bands, alphaBands: format.hasAlpha ? bands : 0)
    }
    ConvolutionKernels.narrow(
      floats, width: width, bands: bands, sampleBytes: format.sample.byteCount, isPremultiplied: format.hasAlpha,
      into: row)
  }
}
