import BookExpectations
import ImageCore

/// The content of one page, from back to front.
package struct PDFPage: Sendable, Hashable {
  package var size: PageSize
  /// The colour painted over the whole page first; nil for the bare paper. Alpha is ignored.
  package var background: Colour?
  /// Shapes drawn below and above the pictures.
  package var under: [PageShape] = []
  package var over: [PageShape] = []
  /// The trim box and bleed box; nil if the whole page is printed.
  package var boxes: PrintBoxes?
  package var placements: [Placement]
  package var captions: [Caption]
  /// Texts drawn after everything else.
  package var texts: [PlacedText] = []
  /// The content stream from `PDFWriter.reserveTexts`, for texts that are known only when the book is complete.
  package var deferredTexts: DeferredTexts?
  /// The background colours behind the deferred texts.
  package var deferredBackgrounds: [Colour] = []
  package var links: [PageLink] = []
  /// Paths in the document's outline that open this page, each from the outermost title.
  package var outlines: [[String]] = []

  package init(size: PageSize, background: Colour? = nil, placements: [Placement] = [], captions: [Caption] = []) {
    self.size = size
    self.background = background
    self.placements = placements
    self.captions = captions
  }
}

extension PDFPage {
  /// Shows another picture in the place of the page's only one.
  package mutating func show(_ picture: PictureReference, _ sources: PictureSources) {
    placements[0].picture = picture
    placements[0].sources = sources
  }

  /// Returns the page as a document with these settings has it: a file for print says where each page is cut
  /// (ISO 15930-7:2010).
  package func prepared(for settings: DocumentSettings) -> PDFPage {
    guard settings.conformance?.isForPrint == true, boxes == nil else { return self }
    var page = self
    page.boxes = PrintBoxes(whole: size)
    return page
  }
}

extension PDFPage {
  /// Splits a text at ` > ` into the titles of an outline path, without blank ones.
  package static func outlinePath(_ text: String) -> [String] { Outline.path(text) }

  /// Returns why a text cannot be an outline path; nil if it can.
  package static func problem(withOutline text: String) -> String? { Outline.problem(with: text) }
}

extension PDFPage {
  /// Returns the expectation of this page, which `imghost-verify` checks.
  ///
  /// - Parameters:
  ///   - fingerprints: the fingerprint of each placement's upright pixels; nil if unknown.
  ///   - names: the file name of each placement; empty if unknown.
  ///   - hasAlternatives: whether the document has alternative texts.
  package func expectation(
    fingerprints: [PixelFingerprint?] = [], names: [String] = [], hasAlternatives: Bool = true
  ) -> PageExpectation {
    let pictures = placements.enumerated().map { index, placement in
      var picture = PictureExpectation(
        matrix: placement.matrix,
        pixelWidth: placement.picture.width, pixelHeight: placement.picture.height,
        digest: ShortDigest(placement.picture.combinedDigest),
        source: placement.sources.first.map { ShortDigest($0) },
        fingerprint: index < fingerprints.count ? fingerprints[index] : nil)
      if hasAlternatives { picture.alternative = placement.alternative }
      picture.otherSources = placement.sources.others.map { ShortDigest($0) }
      picture.isDrawn = placement.sources.isDrawn
      picture.name = index < names.count ? names[index] : ""
      return picture
    }
    return PageExpectation(
      width: size.width, height: size.height, pictures: pictures,
      captions: captions.map(\.expectation) + texts.compactMap(\.expectation),
      links: links.map(\.expectation), printBoxes: boxes?.expectation ?? [])
  }
}
