import ImageCore
import ImageKernels

/// Opens rows whose colours are changed in CIE L\*a\*b\*, in place.
enum LabSource {
  /// - Parameters:
  ///   - scale: the factor for L\*, which is from 0 to 100.
  ///   - shift: the number that is then added to L\*.
  ///   - chroma: the factor for the distance from gray.
  ///   - hue: the rotation of the hue in degrees, from red towards yellow.
  static func open(
    _ upstream: any RowSource, _ context: OperationContext, scale: Double, shift: Double, chroma: Double = 1,
    hue: Double = 0
  ) -> any RowSource {
    let format = upstream.layout.format
    if format.model == .gray {
      return SampleTables.open(
        upstream, context,
        colour: [{ Lab.gray(lightness: Lab.lightness(ofGray: $0) * scale + shift) }])
    }
    let (sine, cosine) = sinCos(degrees: hue)
    let change = LabTransform(scale: scale, shift: shift, cosine: cosine * chroma, sine: sine * chroma)
    return PointSource(upstream, context) { row, width in
      ColourKernels.transform(
        row, width: width, sampleBytes: format.sample.byteCount, hasAlpha: format.hasAlpha, by: change)
    }
  }
}
