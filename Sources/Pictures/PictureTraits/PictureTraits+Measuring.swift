import ImageCore
import ImageOperations

extension PictureTraits {
  /// The longest side, in pixels, of the version that is measured. Larger pictures are reduced to it first, so that the
  /// results do not depend on the size of a file.
  package static let side = 384
  /// Counts changes of the methods: measurements by another version are not comparable.
  package static let version = 2

  /// Measures a small version of a picture: upright, in sRGB, gray or RGB of any depth, at most `side` pixels long.
  /// Transparent parts count as white, the colour of paper.
  ///
  /// - Throws: errors of the source, and `PictureError.cancelled`.
  package static func measure(_ source: any RowSource, _ context: OperationContext) throws(PictureError) -> PictureTraits
  {
    let frame = try opaque(try source.readAll(context))
    let small = ReducedPicture(frame, longestSide: 96)
    let levels = Levels(small.luma)
    return PictureTraits(
      sharpness: Sharpness.measure(LumaPlane(frame)), exposure: levels.exposure, contrast: levels.contrast,
      attention: AttentionMap(try AttentionCell.cells(of: frame, context)),
      colours: DominantColours.colours(in: small.picture, count: 5).map(\.colour),
      horizon: Horizon(small.luma, width: small.picture.width)?.height,
      fingerprint: PerceptualHash.hash(small.picture))
  }

  /// The same picture as RGB of 8 bits over white.
  private static func opaque(_ frame: PixelBuffer) throws(PictureError) -> PixelBuffer {
    let layout = frame.layout
    let conversion = FormatConversion(from: layout.format, to: .rgb8, background: .white)
    guard !conversion.isIdentity else { return frame }
    let result = PixelBuffer(layout.with(format: .rgb8))
    for y in 0..<layout.height { conversion.convert(frame.row(y), to: result.row(y), width: layout.width) }
    return result
  }
}
