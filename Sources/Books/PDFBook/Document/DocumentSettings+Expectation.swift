import BookExpectations
import ImageCore

extension DocumentSettings {
  /// Returns the expectation of everything outside the pages, which `imghost-verify` checks.
  ///
  /// - Parameters:
  ///   - metadata: the digest of the XMP packet's content; nil without one.
  ///   - fonts: the expectations of the embedded fonts.
  ///   - hasFirstPage: whether the book has the page that viewers open first.
  func expectation(
    _ outline: Outline, metadata: ShortDigest?, fonts: [FontExpectation], hasFirstPage: Bool, intent: OutputIntent?
  ) -> DocumentExpectation {
    var document = DocumentExpectation()
    document.info = info.namedEntries.map { .init($0, $1) }
    if let time = info.creationTime {
      document.info.append(.init("CreationDate", String(PDFString.date(time).dropFirst().dropLast())))
    }
    document.info += (printStatement?.statements ?? []).map { .init($0.0, $0.1) }
    document.catalogue = view.expectation(hasFirstPage: hasFirstPage)
    if !labels.isEmpty {
      document.catalogue.append(.init("PageLabels", labels.map(\.expectation).joined(separator: " ")))
    }
    if !language.isEmpty { document.catalogue.append(.init("Lang", language)) }
    if isTagged { document.catalogue.append(.init("MarkInfo", "Marked true")) }
    if let intent { document.catalogue.append(.init("OutputIntents", intent.expectation)) }
    document.fonts = fonts
    document.metadata = metadata
    document.outline = outline.expectation
    return document
  }
}
