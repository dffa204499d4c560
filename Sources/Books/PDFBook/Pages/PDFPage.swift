import BookExpectations
import ImageCore

/// The content of one page, with its links and the outline entries that open it.
package struct PDFPage: Sendable, Hashable {
  package var size: PageSize
  /// The colour painted over the whole page first; nil for the bare paper. Alpha is ignored.
  package var background: Colour?
  /// Shapes drawn behind and in front of the pictures.
  package var under: [PageShape] = []
  package var over: [PageShape] = []
  /// The trim box and bleed box; nil if the page is not trimmed.
  package var boxes: PrintBoxes?
  package var placements: [Placement]
  package var captions: [Caption]
  /// Texts drawn after everything else except the deferred texts.
  package var texts: [PlacedText] = []
  /// The content stream from `PDFWriter.reserveTexts`, for texts that are unknown until the book is complete; nil for
  /// none.
  package var deferredTexts: DeferredTexts?
  /// The background colours behind the deferred texts.
  package var deferredBackgrounds: [Colour] = []
  package var links: [PageLink] = []
  /// The paths in the document's outline that open this page, each beginning with the outermost title.
  package var outlines: [[String]] = []

  package init(size: PageSize, background: Colour? = nil, placements: [Placement] = [], captions: [Caption] = []) {
    self.size = size
    self.background = background
    self.placements = placements
    self.captions = captions
  }
}

extension PDFPage {
  /// Shows another picture in place of the page's first one.
  package mutating func show(_ picture: PictureReference, _ sources: PictureSources) {
    placements[0].picture = picture
    placements[0].sources = sources
  }

  /// Returns the page for a document with these settings. A page for print gets boxes if it has none, because they are
  /// required for print (ISO 15930-7:2010).
  package func prepared(for settings: DocumentSettings) -> PDFPage {
    guard settings.conformance?.isForPrint == true, boxes == nil else { return self }
    var page = self
    page.boxes = PrintBoxes(whole: size)
    return page
  }
}

extension PDFPage {
  /// Splits a text at ` > ` into the titles of an outline path, and drops blank titles.
  package static func outlinePath(_ text: String) -> [String] { Outline.path(text) }

  /// Returns why a text cannot be an outline path; nil if it can.
  package static func problem(withOutline text: String) -> String? { Outline.problem(with: text) }
}

extension PDFPage {
  /// Returns the data that `imghost-verify` needs to check this page.
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

// MARK: - Content

/// The properties that determine the content of a page that shows one whole picture and nothing else.
struct PlainPlace: Equatable {
  let rectangle: PageRectangle
  let orientation: Orientation
  /// The size of the page's unit in points.
  let unit: Double
}

extension PDFPage {
  /// Returns the page's content stream without `texts` and the deferred texts (PDF 32000-1:2008, 7.8.2). Pictures have
  /// the resource names P, P1, P2, …, and the caption font has the name F.
  ///
  /// - Parameters:
  ///   - isTerse: whether a single picture is drawn without saving and restoring the graphics state.
  ///   - marks: receives the meanings of the marked content.
  func content(isTerse: Bool, marks: inout MarkedContent) throws(PDFError) -> UTF8Text {
    let unit = size.userUnit
    var behind = ""
    if let background {
      let page = PDFNumber.text([size.width / unit, size.height / unit])
      behind += "\(Self.fill(background))0 0 \(page) re f\n"
    }
    for shape in under { behind += shape.content(unit: unit) }
    var text = UTF8Text(capacity: 128)
    text += marks.mark(UTF8Text(behind), as: MarkedContent.Artifact.layout)
    let isAlone =
      isTerse && placements.count == 1 && over.isEmpty && captions.isEmpty
      && texts.isEmpty && deferredTexts == nil
    for (index, placement) in placements.enumerated() {
      var drawing = UTF8Text(capacity: 64)
      if !isAlone { drawing.append("q ") }
      placement.draw(Self.pictureName(index), unit: unit, in: &drawing)
      if !isAlone { drawing.append(" Q\n") }
      text += marks.mark(drawing, as: MarkedContent.Meaning.figure(index))
    }
    if !over.isEmpty {
      text += marks.mark(UTF8Text(over.map { $0.content(unit: unit) }.joined()), as: MarkedContent.Artifact.layout)
    }
    for caption in captions {
      text += marks.mark(
        UTF8Text(try caption.content(unit: unit)),
        as: caption.placement.map { MarkedContent.Meaning.caption($0) } ?? .paragraph)
    }
    return text
  }

  /// The place of the page's only picture; nil unless the page shows one whole picture and nothing else.
  var plainPlace: PlainPlace? {
    guard placements.count == 1, background == nil, under.isEmpty, over.isEmpty, captions.isEmpty, texts.isEmpty,
      deferredTexts == nil, placements[0].clip == nil, placements[0].outline == nil
    else { return nil }
    return PlainPlace(
      rectangle: placements[0].rectangle, orientation: placements[0].orientation, unit: size.userUnit)
  }

  /// Returns the resource name of a picture. Nearly every page has one picture, so the first has the shortest name.
  static func pictureName(_ index: Int) -> String { index == 0 ? "P" : "P\(index)" }

  /// Returns the operator that sets the fill colour.
  static func fill(_ colour: Colour) -> String { set(colour, gray: "g", rgb: "rg") }

  /// Returns the operator that sets the stroke colour.
  static func stroke(_ colour: Colour) -> String { set(colour, gray: "G", rgb: "RG") }

  private static func set(_ colour: Colour, gray: String, rgb: String) -> String {
    if colour.red == colour.green && colour.green == colour.blue {
      return "\(PDFNumber.text(colour.red)) \(gray) "
    }
    return "\(PDFNumber.text([colour.red, colour.green, colour.blue])) \(rgb) "
  }
}

// MARK: - Object

extension PDFPage {
  /// The lowest version of PDF that supports everything on the page.
  var version: PDFVersion {
    let pictures = placements.reduce(PDFVersion.v14) { max($0, $1.picture.version) }
    return size.userUnit > 1 ? max(.v16, pictures) : pictures
  }

  /// The graphics states of everything that is painted with a constant opacity below 1.
  private var graphicsStates: Set<GraphicsState> {
    // Most pages contain nothing that could be transparent.
    if under.isEmpty, over.isEmpty, texts.isEmpty, deferredBackgrounds.isEmpty { return [] }
    let backgrounds = texts.compactMap(\.background) + deferredBackgrounds
    return Set(
      (under + over).compactMap(\.graphicsState)
        + backgrounds.filter { $0.alpha < 1 }.map { GraphicsState($0) })
  }

  /// Whether the content is long enough for compression to pay off.
  var isLong: Bool { (under + over).contains(where: \.isLong) }

  /// Whether shapes or text backgrounds on the page are partly transparent.
  var isTranslucent: Bool { !graphicsStates.isEmpty || !masks.isEmpty }

  /// The soft masks that the page's shapes use.
  var masks: Set<VeilMask> { over.isEmpty ? [] : Set(over.compactMap(\.mask)) }

  /// Appends the page dictionary (PDF 32000-1:2008, 7.7.3.3).
  ///
  /// - Parameters:
  ///   - content: the object of the content stream. Viewers append the content stream of deferred texts to it.
  ///   - fonts: the font resources, as a dictionary or a reference to one; nil for none.
  ///   - masks: the soft masks by the names of their graphics states, with the objects of their forms.
  func appendDictionary(
    parent: Int, content: Int, fonts: String?, masks: [(name: String, object: Int)] = [], tags: StructureTree.PageTags?,
    to text: inout UTF8Text
  ) {
    let unit = size.userUnit
    // The dictionary is appended piece by piece, for speed: a book may have a million pages.
    text.append("<</Type/Page/Parent ")
    text.append(parent)
    text.append(" 0 R/MediaBox[0 0 ")
    PDFNumber.append(size.width, size.height, unit: unit, to: &text)
    text.append("]")
    if unit > 1 { text += "/UserUnit \(PDFNumber.text(unit))" }
    if let boxes { text.append(string: boxes.entries(unit: unit)) }
    text.append("/Resources<<")
    if !placements.isEmpty {
      text.append("/XObject<<")
      for (index, placement) in placements.enumerated() {
        text.append("/")
        text.append(string: Self.pictureName(index))
        text.append(" ")
        text.append(placement.picture.object)
        text.append(" 0 R")
      }
      text.append(">>")
    }
    if let fonts { text += "/Font\(fonts)" }
    let states = graphicsStates
    if !states.isEmpty || !masks.isEmpty {
      let soft = masks.map { "/\($0.name)<</SMask<</S/Luminosity/G \($0.object) 0 R>>>>" }
      text += "/ExtGState<<\((states.sorted().map(\.resource) + soft).joined())>>"
    }
    text.append(">>/Contents")
    if let deferredTexts {
      text += "[\(content) 0 R \(deferredTexts.object) 0 R]"
    } else {
      text.append(" ")
      text.append(content)
      text.append(" 0 R")
    }
    if !links.isEmpty { text += "/Annots[\(annotations(unit: unit, tags: tags))]" }
    if let tags { text.append(string: tags.entries) }
    text.append(">>")
  }

  /// Returns the page's annotations. In a tagged book, each is an indirect object, because the structure tree refers to
  /// it.
  private func annotations(unit: Double, tags: StructureTree.PageTags?) -> String {
    tags.map { $0.annotations.map { "\($0) 0 R" }.joined(separator: " ") }
      ?? links.map { $0.dictionary(unit: unit) }.joined()
  }
}
