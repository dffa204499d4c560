import ImageCore

/// The expectations of a PDF that imghost wrote: the writer makes them, `imghost-verify` reads them.
public struct VerificationExpectations: Sendable, Hashable {
  /// In page order.
  public var pages: [PageExpectation]
  /// Nil if the list says nothing about the document.
  public var document: DocumentExpectation?

  public init(pages: [PageExpectation] = [], document: DocumentExpectation? = nil) {
    self.pages = pages
    self.document = document
  }
}

/// The expectations of one page.
public struct PageExpectation: Sendable, Hashable {
  /// Points (1/72 inch) across.
  public let width: Double
  /// Points down.
  public let height: Double
  /// In drawing order.
  public let pictures: [PictureExpectation]
  /// In reading order.
  public let captions: [CaptionExpectation]
  public let links: [LinkExpectation]
  /// The TrimBox and the BleedBox: left, bottom, width and height of each, in points from the page's lower left
  /// corner; empty if there is neither.
  public let printBoxes: [Double]
  /// The digest of the page's content stream, unpacked; nil if the list does not say.
  public var content: ShortDigest?
  /// The digest of the page's tags, see `TagDigest`; nil if it has none, or the list does not say.
  public var tags: ShortDigest?

  public init(
    width: Double, height: Double, pictures: [PictureExpectation],
    captions: [CaptionExpectation] = [], links: [LinkExpectation] = [],
    printBoxes: [Double] = []
  ) {
    self.width = Points.rounded(width)
    self.height = Points.rounded(height)
    self.pictures = pictures
    self.captions = captions
    self.links = links
    self.printBoxes = printBoxes.map(Points.rounded)
  }
}

/// The expectations of one picture on a page.
public struct PictureExpectation: Sendable, Hashable {
  /// The place of the whole picture, before any clipping, and how it is turned.
  public let matrix: AffineMatrix
  /// Stored pixels, before they are turned.
  public let pixelWidth: Int
  public let pixelHeight: Int
  /// The digest of the stored stream. With a soft mask or an ICC profile it is the digest of the three digests.
  public let digest: ShortDigest
  /// The digest of the whole file that the picture was made of; nil if that is the stream itself or unknown.
  public let source: ShortDigest?
  /// The pixels that were meant, upright; nil if they were never decoded.
  public let fingerprint: PixelFingerprint?
  /// The alternative text of a tagged document; empty for none.
  public var alternative = ""
  /// The digests of further files that it was made of.
  public var otherSources: [ShortDigest] = []
  /// Whether a part of it comes from no file.
  public var isDrawn = false
  /// The name in messages of the file that it was made of; empty if unknown. Books do not keep it.
  public var name = ""

  public init(
    matrix: AffineMatrix, pixelWidth: Int, pixelHeight: Int, digest: ShortDigest,
    source: ShortDigest? = nil, fingerprint: PixelFingerprint? = nil
  ) {
    self.matrix = matrix.rounded
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.digest = digest
    self.source = source
    self.fingerprint = fingerprint
  }

  /// Returns the expectation with the pixels that were meant.
  public func with(fingerprint: PixelFingerprint?) -> PictureExpectation {
    var other = PictureExpectation(
      matrix: matrix, pixelWidth: pixelWidth, pixelHeight: pixelHeight, digest: digest, source: source,
      fingerprint: fingerprint)
    other.alternative = alternative
    (other.otherSources, other.isDrawn, other.name) = (otherSources, isDrawn, name)
    return other
  }
}

/// A text that a page must have, as real text.
public struct CaptionExpectation: Sendable, Hashable {
  public let text: String
  /// The box of its lines, in points from the page's lower left corner.
  public let left: Double
  public let bottom: Double
  public let width: Double
  public let height: Double

  public init(_ text: String, left: Double, bottom: Double, width: Double, height: Double) {
    self.text = text
    self.left = Points.rounded(left)
    self.bottom = Points.rounded(bottom)
    self.width = Points.rounded(width)
    self.height = Points.rounded(height)
  }
}
