import BookExpectations
import ImageCore

/// A picture that is in the book already: what `PDFWriter.add(_:)` gives.
public struct PictureReference: Sendable, Hashable {
  /// The number of its object in the file.
  let object: Int
  /// Stored pixels across and down.
  public let width: Int
  public let height: Int
  /// Of the stored stream's bytes.
  public let digest: SHA256Digest
  /// Of all that is stored of it: the stream's digest or, with a soft mask or profile, that of the three.
  /// What `imghost-verify` will look for.
  let seal: SHA256Digest
  /// Features that need a later version of PDF than 1.4.
  let version: PDFVersion
}

/// One page: what is on it, from back to front.
public struct PDFPage: Sendable, Hashable {
  public var size: PageSize
  /// Painted over the whole page first; nil leaves the paper. Alpha is not used.
  public var background: Colour?
  /// Drawn below the pictures, and above them.
  public var under: [PageShape] = []
  public var over: [PageShape] = []
  /// Nil where the page is all that is printed.
  public var boxes: PrintBoxes?
  public var placements: [Placement]
  public var captions: [Caption]
  /// Drawn after everything else.
  public var texts: [PlacedText] = []
  /// What `PDFWriter.reserveTexts` gave, for texts that are known only when the book is complete.
  public var laterTexts: LaterTexts?
  /// What lies behind those.
  public var laterLabels: [Colour] = []
  public var links: [PageLink] = []
  /// Titles in the document's outline that open this page, each path outermost first.
  public var outlines: [[String]] = []

  public init(
    size: PageSize, background: Colour? = nil, placements: [Placement] = [],
    captions: [Caption] = []
  ) {
    self.size = size
    self.background = background
    self.placements = placements
    self.captions = captions
  }
}

extension PDFPage {
  /// The titles of a text in which ` > ` parts them, blank ones left out.
  public static func outlinePath(_ text: String) -> [String] { Outline.path(text) }

  /// Why a text cannot be such titles; nil where it can.
  public static func problem(withOutline text: String) -> String? { Outline.problem(with: text) }
}

/// A picture on a page.
public struct Placement: Sendable, Hashable {
  public var picture: PictureReference
  /// The rectangle of the whole picture as seen, before clipping; points.
  public var rectangle: PageRectangle
  /// How the stored picture is turned to stand upright.
  public var orientation: Orientation
  /// What of it may be seen; nil for all.
  public var clip: PageRectangle?
  /// For whoever verifies the book against a folder of sources.
  public var sources = PictureSources()
  /// What a tagged book says instead of the picture; empty for nothing.
  public var alternative = ""
  public var share = PictureShare.whole

  public init(
    _ picture: PictureReference, in rectangle: PageRectangle,
    orientation: Orientation = .upright, clip: PageRectangle? = nil
  ) {
    self.picture = picture
    self.rectangle = rectangle
    self.orientation = orientation
    self.clip = clip
  }
}

/// How much of a picture a page shows.
public enum PictureShare: Sendable, Hashable {
  case whole
  /// It goes on over the fold, on the next page.
  case first
  /// It began on the page before.
  case second
}

/// One line of text in Helvetica.
public struct Caption: Sendable, Hashable {
  public var text: String
  /// Where its middle stands; points.
  public var centre: Double
  /// Height of the baseline; points from the page's lower edge.
  public var baseline: Double
  /// Points.
  public var fontSize: Double
  public var colour: Colour
  /// The place among the page's of the picture that it belongs to; nil for none.
  public var placement: Int?

  /// Points: what can still be read.
  public static let smallestSize = 4.0

  public init(
    _ text: String, centre: Double, baseline: Double, fontSize: Double = 10, colour: Colour = .black
  ) {
    self.text = text
    self.centre = centre
    self.baseline = baseline
    self.fontSize = fontSize
    self.colour = colour
  }
}

extension PDFPage {
  /// What `imghost-verify` must find on this page.
  ///
  /// - Parameters:
  ///   - fingerprints: of the pixels meant, upright, one a placement; nil where unknown.
  ///   - names: of the files, one a placement; empty where unknown.
  public func expectation(fingerprints: [PixelFingerprint?] = [], names: [String] = [])
    -> PageExpectation
  {
    let pictures = placements.enumerated().map { index, placement in
      var picture = PictureExpectation(
        matrix: placement.matrix,
        pixelWidth: placement.picture.width, pixelHeight: placement.picture.height,
        digest: ShortDigest(placement.picture.seal),
        source: placement.sources.first.map { ShortDigest($0) },
        fingerprint: index < fingerprints.count ? fingerprints[index] : nil)
      picture.alternative = placement.alternative
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

extension PDFPage {
  /// As it is in a book without tags.
  var withoutAlternatives: PDFPage {
    var page = self
    for index in placements.indices { page.placements[index].alternative = "" }
    return page
  }
}

extension Caption {
  /// The text and the line it takes: from Helvetica's descender to its ascender.
  var expectation: CaptionExpectation {
    let width = (try? WinAnsi.bytes(text)).map { Helvetica.width($0, size: fontSize) } ?? 0
    return CaptionExpectation(
      text, left: centre - width / 2, bottom: baseline - fontSize * 0.207, width: width,
      height: fontSize * 0.925)
  }
}
