import ImageCore

/// What a PDF that imghost wrote must show: made by the writer's side, read by `imghost-verify`.
public struct VerificationExpectations: Sendable, Hashable {
  /// In page order.
  public var pages: [PageExpectation]
  /// Nil where nobody says.
  public var document: DocumentExpectation?

  public init(pages: [PageExpectation] = [], document: DocumentExpectation? = nil) {
    self.pages = pages
    self.document = document
  }
}

/// What one page must be.
public struct PageExpectation: Sendable, Hashable {
  /// Points (1/72 inch) across.
  public let width: Double
  /// Points down.
  public let height: Double
  /// In drawing order.
  public let pictures: [PictureExpectation]
  /// In reading order.
  public let captions: [CaptionExpectation]
  /// Nil where nobody says.
  public let links: [LinkExpectation]?
  /// The TrimBox and the BleedBox: left, bottom, width and height of each, in points from the page's lower left
  /// corner; empty where there is neither.
  public let printBoxes: [Double]
  /// Of the page's content stream, unpacked; nil where nobody says.
  public var content: ShortDigest?
  /// Of the page's tags, see `TagSeal`; nil where it has none, or nobody says.
  public var tags: ShortDigest?

  public init(
    width: Double, height: Double, pictures: [PictureExpectation],
    captions: [CaptionExpectation] = [], links: [LinkExpectation]? = [],
    printBoxes: [Double] = [], content: ShortDigest? = nil, tags: ShortDigest? = nil
  ) {
    self.width = Points.rounded(width)
    self.height = Points.rounded(height)
    self.pictures = pictures
    self.captions = captions
    self.links = links
    self.printBoxes = printBoxes.map(Points.rounded)
    self.content = content
    self.tags = tags
  }
}

/// What one picture on a page must be.
public struct PictureExpectation: Sendable, Hashable {
  /// Where the whole picture lies, before any clipping, and how it is turned.
  public let matrix: AffineMatrix
  /// Stored pixels, before they are turned.
  public let pixelWidth: Int
  public let pixelHeight: Int
  /// Of what is stored: the stream's own digest or, where it has a soft mask or an ICC profile, the digest
  /// of the three digests.
  public let digest: ShortDigest
  /// Of the whole file that the picture was made of; nil where that is the stream itself or unknown.
  public let source: ShortDigest?
  /// The pixels that were meant, upright; nil where they were never decoded.
  public let fingerprint: PixelFingerprint?
  /// What a tagged document says instead of the picture; empty where it says nothing.
  public var alternative = ""
  /// Of further files that it was made of.
  public var otherSources: [ShortDigest] = []
  /// Whether a part of it was made of no file.
  public var isDrawn = false
  /// The file that it was made of, as messages call it; empty where nobody says. Books do not keep it.
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

  /// A picture upright, or turned by right angles, in a rectangle: points from the page's lower left corner.
  public init(
    left: Double, bottom: Double, width: Double, height: Double, pixelWidth: Int, pixelHeight: Int,
    orientation: Orientation = .upright, digest: SHA256Digest, fingerprint: PixelFingerprint? = nil
  ) {
    self.init(
      matrix: AffineMatrix(
        orientation, left: left, bottom: bottom, width: width, height: height),
      pixelWidth: pixelWidth, pixelHeight: pixelHeight, digest: ShortDigest(digest),
      fingerprint: fingerprint)
  }

  /// The same with the pixels that were meant.
  public func with(fingerprint: PixelFingerprint?) -> PictureExpectation {
    var other = PictureExpectation(
      matrix: matrix, pixelWidth: pixelWidth, pixelHeight: pixelHeight, digest: digest,
      source: source, fingerprint: fingerprint)
    other.alternative = alternative
    (other.otherSources, other.isDrawn, other.name) = (otherSources, isDrawn, name)
    return other
  }
}

/// A text that a page must have, as real text.
public struct CaptionExpectation: Sendable, Hashable {
  public let text: String
  /// What its lines cover: points from the page's lower left corner.
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
