import ImageCore
import PDFBook

extension BookPage {
  /// Returns the picture as a document stores it, the digest of its stream if that is known, and how it is turned.
  ///
  /// - Throws: `PictureError`, or a fault of the file's format.
  func stored() throws -> (PDFPicture, SHA256Digest?, Orientation) {
    switch content {
    case .encoded(let bytes, let digest):
      return (try PDFPicture(jpeg: bytes, iccProfile: metadata.iccProfile), digest, .upright)
    case .compressed(let picture): return (picture, nil, .upright)
    case .file(let path, let version, let header, let digest):
      let file: InputFile
      do throws(FileError) { file = try InputFile(path: path) } catch { throw PictureError.file(error) }
      guard file.version == version else {
        throw PictureError.operation(.unsuitable("the file was changed while the book was written; write it again"))
      }
      return (try PDFPicture(whole: file, header), digest, header.metadata.orientation)
    case .taken(let picture, let orientation, let digest): return (picture, digest, orientation)
    }
  }
}
