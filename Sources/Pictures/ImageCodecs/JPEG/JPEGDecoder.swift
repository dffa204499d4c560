import ImageCore
import JPEGDecoding
import Platform

/// Rows of a JPEG.
///
/// `BaselineDecoder` decodes common kinds of files, up to the first damage. libjpeg decodes all other files, and the
/// rest of damaged ones. Both produce the same bytes, and libjpeg decides what is an error. The first read of a
/// progressive picture reads all scans, and keeps its coefficients in memory.
final class JPEGDecoder: RowSource {
  let layout: PictureLayout
  private let reader: JPEGReader
  /// The layout of the whole picture, shrunk.
  private let whole: PictureLayout
  /// The region of the shrunk picture to return.
  private let region: Region
  /// The decoder for common files; nil if libjpeg decodes.
  private var baseline: BaselineDecoder?
  /// The number of rows of the whole picture that libjpeg has decoded.
  private var libjpegRows = 0
  /// The number of rows returned so far.
  private var givenRows = 0
  /// The buffer for libjpeg's rows that are not returned directly.
  private var strip: PixelBuffer?

  private static let stripRows = 16

  /// - Parameters:
  ///   - shrink: 1, 2, 4 or 8: the factor by which the inverse DCT shrinks the picture.
  ///   - region: the region to return, in pixels of the shrunk picture; nil for the whole picture.
  ///   - workers: the workers that may help if there are restart markers.
  init(
    _ reader: JPEGReader, shrink: Int, region: Region? = nil, workers: DecodingWorkers? = nil,
    choice: JPEGDecoderChoice = .current
  ) throws(PictureError) {
    precondition([1, 2, 4, 8].contains(shrink), "a JPEG shrinks by 1, 2, 4 or 8")
    let size = try reader.scale(by: shrink)
    self.reader = reader
    let whole = reader.layout.with(width: size.width, height: size.height)
    self.whole = whole
    let region = region ?? Region(left: 0, top: 0, width: size.width, height: size.height)
    precondition(region.isInside(width: whole.width, height: whole.height))
    self.region = region
    layout = whole.with(width: region.width, height: region.height)
    guard choice == .own, let frame = reader.baselineFrame else { return }
    let (source, context) = (reader.source, reader.context)
    let isWhole = layout == whole
    baseline = BaselineDecoder(
      frame, shrink: shrink,
      part: isWhole ? nil : (region.left..<region.right, region.top..<region.bottom), workers: workers
    ) { offset, buffer in
      context.allowPreemption()
      // libjpeg will not be able to read these bytes either, and reports the error.
      return (try? source.read(at: offset, into: buffer)) ?? -1
    }
    if let baseline {
      precondition(
        baseline.width == layout.width && baseline.height == layout.height && baseline.bands == layout.bands,
        "both decoders make pictures of the same size")
    }
  }

  /// Whether libjpeg decodes the next row.
  var usesLibjpeg: Bool { baseline == nil }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    var done = 0
    if let baseline {
      done = baseline.read(count, into: destination, stride: stride)
      givenRows += done
      let isAtEnd = region.top + givenRows == whole.height
      if done == count, !isAtEnd || baseline.endsProperly { return }
      self.baseline = nil
    }
    // libjpeg first decodes the rows above the region and those already returned. If no rows are left, it also looks
    // for the end marker.
    try pass(region.top + givenRows - libjpegRows)
    try readLibjpeg(count - done, into: destination + done * stride, stride)
    givenRows += count - done
    if libjpegRows == whole.height, reader.lacksEnd { reader.noteMissingEnd() }
  }

  /// Makes libjpeg decode rows that are not requested or were already returned, and discards them.
  private func pass(_ count: Int) throws(PictureError) {
    var left = count
    while left > 0 {
      let part = min(Self.stripRows, left)
      _ = try nextStrip(part)
      left -= part
    }
  }

  private func readLibjpeg(
    _ count: Int, into destination: UnsafeMutableRawPointer, _ stride: Int
  ) throws(PictureError) {
    guard count > 0 else { return }
    guard region.width < whole.width else {
      try reader.read(count, into: destination, stride: stride)
      libjpegRows += count
      return
    }
    let left = region.left * layout.format.bytesPerPixel
    var done = 0
    while done < count {
      let part = min(Self.stripRows, count - done)
      let rows = try nextStrip(part)
      for row in 0..<part {
        (destination + (done + row) * stride).copyMemory(from: rows.row(row) + left, byteCount: layout.rowByteCount)
      }
      done += part
    }
  }

  /// Returns the next rows of the whole picture.
  private func nextStrip(_ count: Int) throws(PictureError) -> PixelBuffer {
    let rows = strip ?? PixelBuffer(whole.with(width: whole.width, height: Self.stripRows))
    strip = rows
    try reader.read(count, into: rows.base, stride: rows.stride)
    libjpegRows += count
    return rows
  }
}

/// The decoder for common kinds of JPEGs. Both decoders produce the same pixels.
public enum JPEGDecoderChoice: String, Sendable, CaseIterable {
  /// imghost's own `BaselineDecoder`.
  case own
  case libjpeg

  /// The decoder named by the environment variable `IMGHOST_JPEG`; by default, `own` if it is the faster one.
  public static let current: JPEGDecoderChoice = {
    if let text = getenv("IMGHOST_JPEG"), let choice = JPEGDecoderChoice(rawValue: String(cString: text)) {
      return choice
    }
    return BaselineDecoder.hasVectors ? .own : .libjpeg
  }()
}
