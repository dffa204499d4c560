import ImageCore

/// What a document written by imghost says its pages should show: page-piece data of the catalogue
/// (PDF 32000-1:2008, 14.5).
enum EmbeddedExpectations {
  /// A line a page and a picture: 256 MB are a million pages.
  private static let maximumBytes = 256 << 20

  /// Of a document that has none: whether imghost made it, which writes them into every one.
  static func areLost(_ file: PDFFile) -> Bool {
    let info = file.resolve(file.trailer["Info"]).dictionary ?? [:]
    return file.resolve(info["Producer"]) == .string(Array("imghost".utf8))
  }

  /// Nil where the document has none.
  static func read(_ file: PDFFile) throws(Fault) -> VerificationExpectations? {
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    let pieces = file.resolve(catalogue["PieceInfo"]).dictionary ?? [:]
    guard let own = file.resolve(pieces["imghost"]).dictionary else { return nil }
    guard let number = own["Private"]?.reference, let object = file.object(number),
      object.stream != nil, let bytes = file.decoded(object, limit: maximumBytes)
    else { throw .expectations("what imghost wrote about its pages is missing or damaged") }
    do throws(ExpectationsError) {
      return try VerificationExpectations(text: String(decoding: bytes, as: UTF8.self))
    } catch .notExpectations {
      throw .expectations("what imghost wrote about its pages is of a version unknown here")
    } catch {
      throw .expectations("what imghost wrote about its pages was changed")
    }
  }
}
