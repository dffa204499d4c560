import CShims
import ImageCore
import JPEGDecoding
import Platform

/// Rows of a JPEG of 12 bits, as 16 bits. libjpeg has read its header, `ExtendedDecoder` decodes it.
final class ExtendedJPEGDecoder: RowSource {
  let layout: PictureLayout
  private let decoder: ExtendedDecoder
  private let path: String
  private let context: OperationContext

  init(_ reader: JPEGReader) throws(PictureError) {
    layout = reader.layout
    path = reader.source.path
    let (source, context) = (reader.source, reader.context)
    self.context = context
    do throws(ExtendedFault) {
      decoder = try ExtendedDecoder(reader.colours, acceptsDamage: reader.acceptsDamage) {
        offset, buffer in
        context.allowPreemption()
        return context.isCancelled ? -1 : (try? source.read(at: offset, into: buffer)) ?? -1
      }
    } catch {
      throw PictureError(error, path: path)
    }
    guard decoder.width == layout.width, decoder.height == layout.height else { throw .codec(.changed) }
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    do throws(ExtendedFault) {
      try decoder.read(count, into: destination, stride: stride)
    } catch {
      if error == .unreadable, context.isCancelled { throw .cancelled }
      throw PictureError(error, path: path)
    }
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
