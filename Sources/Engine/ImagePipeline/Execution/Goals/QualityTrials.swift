import ImageCore

/// A picture in memory that is encoded at one quality after another. Used from any thread.
struct QualityTrials: Sendable {
  /// The file of one quality.
  struct Trial: Sendable {
    let quality: Int
    let byteCount: Int
    /// The file, or only its beginning if it is larger than allowed.
    let bytes: EncodedBytes
    /// The similarity of the file's pixels to the picture; nil if not requested.
    let similarity: Double?
  }

  let frame: PixelBuffer
  let format: SaveFormat
  let metadata: PictureMetadata
  /// The context of a single worker.
  let context: OperationContext

  /// The number of rows that are encoded or compared between two checks for more urgent work.
  private static let stripHeight = 64

  /// Encodes the picture like a plain `save` at that quality.
  ///
  /// - Parameter limit: the number of bytes of the file to keep; nil to keep all, and to compare the decoded pixels.
  func run(_ quality: Int, limit: Int?) throws(PictureError) -> Trial {
    let layout = frame.layout
    let sink = try encode { () throws(PictureError) in
      let sink = LimitedSink(limit: limit ?? .max)
      let encoder = try format.codec.makeEncoder(
        to: sink, layout: layout, metadata: metadata,
        arguments: QualityGoal.arguments(format.arguments, quality: quality), context: context)
      return (encoder, sink)
    } _: { (encoder) throws(PictureError) in
      for top in Swift.stride(from: 0, to: layout.height, by: Self.stripHeight) {
        try context.checkCancellation()
        try encoder.write(min(Self.stripHeight, layout.height - top), from: frame.row(top), stride: frame.stride)
      }
      try encoder.finish()
    }
    return Trial(
      quality: quality, byteCount: sink.byteCount, bytes: sink.kept.bytes,
      similarity: limit == nil ? try similarity(of: sink.kept.bytes) : nil)
  }

  /// Decodes a file, and compares its pixels with the picture's.
  private func similarity(of bytes: EncodedBytes) throws(PictureError) -> Double {
    let file: InputFile
    do throws(FileError) { file = try InputFile(bytes, label: "the encoded picture") } catch { throw .file(error) }
    let header = try format.codec.readHeader(file)
    let source = try format.codec.makeDecoder(file, header: header, options: DecodeOptions(), context: context)
    let (layout, decoded) = (frame.layout, source.layout)
    guard (decoded.width, decoded.height) == (layout.width, layout.height) else {
      throw .codec(.cannotEncode("the encoded file has \(decoded.width)x\(decoded.height) pixels"))
    }
    let comparison = StructuralSimilarity(layout, decoded, background: format.background)
    let strip = PixelBuffer(decoded.with(width: decoded.width, height: min(Self.stripHeight, decoded.height)))
    for top in Swift.stride(from: 0, to: layout.height, by: Self.stripHeight) {
      try context.checkCancellation()
      let count = min(Self.stripHeight, layout.height - top)
      try source.read(count, into: strip.base, stride: strip.stride)
      for y in 0..<count { comparison.add(frame.row(top + y), strip.row(y)) }
    }
    return comparison.mean
  }

  /// Predicts the memory in bytes that one trial takes in addition to the picture.
  static func byteCount(_ goal: QualityGoal, _ format: SaveFormat, _ layout: PictureLayout) -> Int {
    let encoder = format.codec.encoderByteCount(for: layout, arguments: format.arguments, parallelism: 1)
    guard goal.similarity != nil else { return encoder + min(goal.maximumByteCount ?? .max, layout.byteCount) }
    // The file, and a decoder with a whole frame of 16-bit samples, as for a progressive JPEG.
    return encoder + layout.byteCount / 2 + 2 * layout.byteCount + StructuralSimilarity.byteCount(width: layout.width)
  }
}

/// Counts a file's bytes, and keeps them up to a limit.
private final class LimitedSink: ByteSink {
  let kept: PooledSink
  private(set) var byteCount = 0
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
    kept = PooledSink(reserving: min(limit, 256 << 10))
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    let room = limit - min(limit, byteCount)
    byteCount += bytes.count
    if room > 0 { try kept.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(room))) }
  }
}
