import ImageCore
import JPEGDecoding

/// Rows of a JPEG.
///
/// The usual file is decoded by `BaselineDecoder`, any other by libjpeg, and so is what is left of a file
/// from the first damage on: both make the same bytes, and libjpeg has the last word on errors. All scans
/// of a progressive picture are read, and its coefficients held, from the first read on.
final class JPEGDecoder: RowSource {
  let layout: PictureLayout
  private let reader: JPEGReader
  /// Nil when libjpeg decodes.
  private var baseline: BaselineDecoder?
  private var nextRow = 0

  /// - Parameter shrink: 1, 2, 4 or 8: a scaled inverse DCT, for which all coefficients are read but only
  ///   the pixels that remain computed.
  init(_ reader: JPEGReader, shrink: Int, choice: JPEGDecoderChoice = .current)
    throws(PictureError)
  {
    precondition([1, 2, 4, 8].contains(shrink), "a JPEG shrinks by 1, 2, 4 or 8")
    let size = try reader.scale(by: shrink)
    self.reader = reader
    self.layout = reader.layout.with(width: size.width, height: size.height)
    guard choice == .own, let frame = reader.baselineFrame else { return }
    let source = reader.source
    baseline = BaselineDecoder(frame, shrink: shrink) { offset, buffer in
      // What cannot be read here libjpeg will not be able to read either, and say so.
      (try? source.read(at: offset, into: buffer)) ?? -1
    }
    if let baseline {
      precondition(
        baseline.width == layout.width && baseline.height == layout.height
          && baseline.bands == layout.bands, "both decoders make pictures of the same size")
    }
  }

  /// Whether what is read next is libjpeg's.
  var usesLibjpeg: Bool { baseline == nil }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    guard let baseline else {
      return try reader.read(count, into: destination, stride: stride)
    }
    let done = baseline.read(count, into: destination, stride: stride)
    nextRow += done
    if done == count, nextRow < layout.height || baseline.endsProperly { return }
    self.baseline = nil
    // After the last row libjpeg also looks for the end of the image.
    try skip(nextRow)
    if done < count {
      try reader.read(count - done, into: destination + done * stride, stride: stride)
    }
  }

  /// Lets libjpeg decode the rows that have been given.
  private func skip(_ count: Int) throws(PictureError) {
    let strip = 16
    let rows = UnsafeMutableRawPointer.allocate(
      byteCount: strip * layout.rowByteCount, alignment: 64)
    defer { rows.deallocate() }
    var row = 0
    while row < count {
      let part = min(strip, count - row)
      try reader.read(part, into: rows, stride: layout.rowByteCount)
      row += part
    }
  }
}
