import BookExpectations
import ImageCore

/// The expectations inside a document that imghost wrote, stored as page-piece data of the catalogue (PDF 32000-1:2008,
/// 14.5), and merged with the caller's.
struct EmbeddedExpectations {
  private(set) var merged: VerificationExpectations?
  private(set) var fault: Fault?

  /// - Parameters:
  ///   - given: the caller's expectations. They take precedence; declarations and digests of content and tags that they
  ///     lack come from the document.
  ///   - areRequired: whether a document without expectations is a fault.
  init(
    _ file: PDFFile, given: VerificationExpectations?, _ packet: XMPForm?, areRequired: Bool
  ) {
    merged = given
    let embedded: VerificationExpectations?
    do {
      embedded = try Self.read(file)
    } catch {
      fault = error
      return
    }
    if embedded == nil, Self.areLost(file, packet) {
      fault = .expectations(.lost)
    } else if given == nil, embedded == nil {
      fault = .expectations(.notFound(areRequired: areRequired))
    }
    guard let embedded else { return }
    merged = given.map { Self.merge($0, embedded) } ?? embedded
  }

  private static func merge(
    _ given: VerificationExpectations, _ embedded: VerificationExpectations
  ) -> VerificationExpectations {
    var merged = given
    merged.document = merged.document ?? embedded.document
    for (index, page) in zip(merged.pages.indices, embedded.pages)
    where merged.pages[index].pictures.map(\.digest) == page.pictures.map(\.digest) {
      merged.pages[index].content = merged.pages[index].content ?? page.content
      merged.pages[index].tags = merged.pages[index].tags ?? page.tags
    }
    return merged
  }

  /// The maximum size of the expectations. They have one line per page and one per picture, so that 256 MB suffice for
  /// a million pages.
  private static let maximumBytes = 256 << 20

  /// Returns whether a document lacks expectations although it claims to be made by imghost, which writes them into
  /// every document.
  ///
  /// Programs that rewrite a file may extend the producer's name, or change only Info or only XMP.
  private static func areLost(_ file: PDFFile, _ packet: XMPForm?) -> Bool {
    let info = file.resolve(file.trailer["Info"]).dictionary ?? [:]
    var names = [packet?.properties["http://ns.adobe.com/pdf/1.3/Producer"] ?? ""]
    if case .string(let bytes) = file.resolve(info["Producer"]) { names.append(TextString.text(bytes)) }
    return names.contains { $0.contains("imghost") }
  }

  /// Returns the expectations in the document; nil if it has none.
  private static func read(_ file: PDFFile) throws(Fault) -> VerificationExpectations? {
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    let pieces = file.resolve(catalogue["PieceInfo"]).dictionary ?? [:]
    guard let own = file.resolve(pieces["imghost"]).dictionary else { return nil }
    guard let number = own["Private"]?.reference, let object = file.object(number),
      object.stream != nil, let bytes = file.decoded(object, limit: maximumBytes)
    else { throw .expectations(.damaged) }
    do throws(ExpectationsError) {
      return try VerificationExpectations(text: String(decoding: bytes, as: UTF8.self))
    } catch .notExpectations {
      throw .expectations(.unknownVersion)
    } catch {
      throw .expectations(.changed)
    }
  }
}
