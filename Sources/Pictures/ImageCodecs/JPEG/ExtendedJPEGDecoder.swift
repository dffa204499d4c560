import CShims
import ImageCore
import JPEGDecoding
import Platform

/// Rows of a JPEG of 12 bits, as 16 bits. libjpeg has read its header, `ExtendedDecoder` decodes it.
final class ExtendedJPEGDecoder: RowSource {
  let layout: PictureLayout
  private let decoder: ExtendedDecoder
  private let reader: JPEGReader
  private var row = 0

  init(_ reader: JPEGReader) throws(PictureError) {
    layout = reader.layout
    self.reader = reader
    let (source, context) = (reader.source, reader.context)
    let end = reader.acceptsDamage ? source.byteCount : try Self.endOfData(source)
    do throws(ExtendedFault) {
      decoder = try ExtendedDecoder(reader.colours, acceptsDamage: reader.acceptsDamage) {
        offset, buffer in
        context.allowPreemption()
        if context.isCancelled { return -1 }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, max(0, end - offset))])
        return (try? source.read(at: offset, into: room)) ?? -1
      }
    } catch {
      throw PictureError(error, path: reader.source.path)
    }
    guard decoder.width == layout.width, decoder.height == layout.height else { throw .codec(.changed) }
  }

  /// The offset of the zeros at the end, which are no data. One behind 255 is (T.81, B.1.1.5).
  private static func endOfData(_ source: ByteSource) throws(PictureError) -> Int {
    let end = try source.endWithoutZeros()
    return try source.bytes(at: max(0, end - 1), upTo: 1) == [0xff] ? end + 1 : end
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    do throws(ExtendedFault) {
      try decoder.read(count, into: destination, stride: stride)
    } catch {
      if error == .unreadable, reader.context.isCancelled { throw .cancelled }
      throw PictureError(error, path: reader.source.path)
    }
    row += count
    if row == layout.height, decoder.lacksEnd { reader.noteMissingEnd() }
  }
}

extension JPEGReader {
  fileprivate var colours: ExtendedColours {
    switch info.colour {
    case SHIM_JPEG_GRAY: .gray
    case SHIM_JPEG_RGB: .rgb
    case SHIM_JPEG_YCC: .ycc
    case SHIM_JPEG_CMYK: .cmyk
    default: .ycck
    }
  }
}

extension PictureError {
  fileprivate init(_ fault: ExtendedFault, path: String) {
    switch fault {
    case .truncated: self = .codec(.truncated)
    case .damaged(let words): self = .codec(.damaged(words))
    case .unsupported(let feature): self = .codec(.unsupported(feature))
    case .unreadable: self = .file(FileError(.read, path: path, code: EIO))
    }
  }
}
