import ImageCore
import ImagePipeline
import PDFBook

/// Pages in files of other formats, stored in a form that a PDF can also contain.
extension BookFormat {
  /// Returns the stored form of a page for the book.
  ///
  /// - Parameter jpeg: reads the header of a JPEG.
  /// - Throws: `CodecError` if a PDF cannot contain it, so that the page must be encoded.
  static func take(
    _ page: StoredPage, named path: String, _ header: PictureHeader, jpeg: any PictureCodec
  ) throws(PictureError) -> EncodedPicture.Content {
    let picture: (PDFPicture, SHA256Digest) = try PictureError.known { () throws in
      if page.form == .fax {
        guard page.width == header.layout.width, page.height == header.layout.height else {
          throw PictureError.codec(.changed)
        }
        let picture = try PDFPicture(
          fax: page.bytes, width: page.width, height: page.height, isInverted: page.isInverted,
          iccProfile: header.metadata.iccProfile)
        return (picture, try picture.checkedDigest())
      }
      let file = try InputFile(page.bytes, label: path)
      let own = try jpeg.readHeader(file)
      if let reason = reasonToEncode(own) { throw PictureError.codec(.refused(reason)) }
      let layout = own.layout
      guard layout.width == header.layout.width, layout.height == header.layout.height,
        page.form == .jpeg || own.metadata.orientation == header.metadata.orientation
      else { throw PictureError.codec(.refused("its JPEG has another size or is turned otherwise")) }
      let picture =
        try page.form == .original
        ? PDFPicture(whole: file, own)
        : PDFPicture(jpegFile: file, iccProfile: header.metadata.iccProfile)
      // `checkedDigest` reads the data through `file`, which has exactly the bytes that the book stores.
      return (picture.holding(page.bytes), try picture.checkedDigest())
    }
    return .taken(picture.0, header.metadata.orientation, picture.1)
  }
}
