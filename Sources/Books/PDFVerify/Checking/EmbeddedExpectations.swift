import BookExpectations
import ImageCore

/// What a document written by imghost says its pages should show: page-piece data of the catalogue
/// (PDF 32000-1:2008, 14.5).
enum EmbeddedExpectations {
  /// A line a page and a picture: 256 MB are a million pages.
  private static let maximumBytes = 256 << 20

  /// Returns whether a document without any says that imghost made it, which writes them into every one.
  ///
  /// Programs that rewrite a file may add to the producer's name, or change only Info or only XMP.
  static func areLost(_ file: PDFFile, _ packet: XMPForm?) -> Bool {
    let info = file.resolve(file.trailer["Info"]).dictionary ?? [:]
    var names = [packet?.properties["http://ns.adobe.com/pdf/1.3/Producer"] ?? ""]
    if case .string(let bytes) = file.resolve(info["Producer"]) {
      names.append(TextString.text(bytes))
    }
    return names.contains { $0.contains("imghost") }
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
