import BookExpectations
import ImageCore

/// The settings of a whole document.
package struct DocumentSettings: Sendable, Hashable {
  package var info: DocumentInfo
  package var view = DocumentView()
  /// The page labels, by ascending first page.
  package var labels: [PageLabel] = []
  /// Whether the file has compressed object streams and a compressed cross-reference stream (PDF 1.5). This halves the
  /// size of a page, not counting its picture.
  package var isCompact = false
  /// Whether pages that differ only in their pictures share a content stream. Otherwise, each page can be edited on its
  /// own.
  package var sharesContents = false
  /// The version that the file declares; nil for the lowest version that supports its content.
  package var version: PDFVersion?
  /// The standard that the file complies with; nil for none.
  package var conformance: Conformance?
  /// The printing condition of a file for print: `OutputIntent.standard`, or the path of a printer's profile.
  package var printer = OutputIntent.standard
  /// Whether the book is a tagged PDF, with a structure for screen readers (PDF 32000-1:2008, 14.8).
  package var isTagged = false
  /// The language of the texts as a BCP 47 tag; empty if unknown.
  package var language = ""

  package init(info: DocumentInfo = DocumentInfo()) { self.info = info }

  /// The PDF/X statement; nil for files that are not for print.
  var printStatement: PrintStatement? {
    conformance?.printVersion.map { PrintStatement(version: $0, info: info) }
  }

  /// Returns the output intent, reading the profile's file if necessary; nil without a standard.
  package func outputIntent() throws(OutputIntentFault) -> OutputIntent? {
    guard let conformance else { return nil }
    return conformance.isForPrint ? try OutputIntent(named: printer, isInk: conformance.isInk) : .srgb
  }

  /// Returns problems with settings that refer to a page after the last one.
  package func problems(withPageCount count: Int) -> [OptionProblem] {
    let pages = "the book has \(count) page\(count == 1 ? "" : "s")"
    var problems: [OptionProblem] = []
    if view.firstPage > count { problems.add("viewer_page", "is \(view.firstPage), but \(pages)") }
    if let label = labels.last, label.firstPage > count {
      problems.add("page_labels", "begins a range on page \(label.firstPage), but \(pages)")
    }
    return problems
  }
}

// MARK: - Expectation

extension DocumentSettings {
  /// Returns the data that `imghost-verify` needs to check everything outside the pages.
  ///
  /// - Parameters:
  ///   - metadata: the digest of the XMP packet's content; nil without a packet.
  ///   - fonts: the expectations of the embedded fonts.
  ///   - hasFirstPage: whether the page that viewers should open first exists.
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

// MARK: - Checking

/// Checks of pages and pictures against the declared standard and version. The checks need only the options and the
/// pictures' headers.
extension DocumentSettings {
  /// Whether the document declares a standard or version that a picture or page could violate.
  package var promises: Bool { conformance != nil || version != nil }

  /// Returns why a picture cannot be in the document; nil if it can. The picture's bytes and opacity may still be
  /// unknown.
  package func problem(with picture: PDFPicture) -> String? {
    if let conformance, let reason = conformance.problem(with: picture) {
      return "cannot be in a \(conformance.name) file: \(reason)"
    }
    guard let version, version < picture.version else { return nil }
    return "needs PDF \(picture.version.text), and 'pdf_version' is \(version.text); leave it out"
  }

  /// Throws if a page cannot be in the document. The page's pictures must have been checked before.
  ///
  /// - Parameter number: the page's number, from 1.
  package func check(_ page: PDFPage, number: Int) throws(PDFError) {
    if let conformance, let reason = conformance.problem(with: page) {
      throw .conformance(conformance.name, page: number, reason: reason)
    }
    if let version, version < page.version { throw .version(wanted: version.text, needed: page.version.text) }
  }
}

extension PDFPicture {
  /// Creates a picture without data, for `DocumentSettings.problem(with:)`.
  package init(withoutData compression: Compression, colourSpace: ColourSpace, bits: Int, iccProfile: [UInt8]) {
    self.init(
      data: .bytes([]), compression: compression,
      format: Format(width: 1, height: 1, colourSpace: colourSpace, bits: bits),
      iccProfile: iccProfile)
  }
}
