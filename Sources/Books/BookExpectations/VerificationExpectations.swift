import ImageCore

/// The expectations for a PDF that imghost wrote: the writer creates them, and `imghost-verify` reads them.
public struct VerificationExpectations: Sendable, Hashable {
  /// The expectations for the pages, in page order.
  public var pages: [PageExpectation]
  /// The expectations for the document as a whole; nil if there are none.
  public var document: DocumentExpectation?

  public init(pages: [PageExpectation] = [], document: DocumentExpectation? = nil) {
    self.pages = pages
    self.document = document
  }
}

/// The expectations for one page.
public struct PageExpectation: Sendable, Hashable {
  /// The width in points (1/72 inch).
  public let width: Double
  /// The height in points.
  public let height: Double
  /// The pictures in drawing order.
  public let pictures: [PictureExpectation]
  /// The texts in reading order.
  public let captions: [CaptionExpectation]
  public let links: [LinkExpectation]
  /// The TrimBox and the BleedBox: left, bottom, width and height of each, in points from the page's lower left corner;
  /// empty if both are missing.
  public let printBoxes: [Double]
  /// The digest of the page's uncompressed content stream; nil if unknown.
  public var content: ShortDigest?
  /// The digest of the page's tags, see `TagDigest`; nil if the page has no tags, or if the digest is unknown.
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

/// The expectations for one picture on a page.
public struct PictureExpectation: Sendable, Hashable {
  /// The place of the whole picture before clipping, including its orientation.
  public let matrix: AffineMatrix
  /// The width and height in stored pixels, before the orientation is applied.
  public let pixelWidth: Int
  public let pixelHeight: Int
  /// The digest of the stored stream and, if the picture has them, of its soft mask, ICC profile and palette.
  public let digest: ShortDigest
  /// The digest of the whole file from which the picture was made; nil if that file is the stored stream itself, or is
  /// unknown.
  public let source: ShortDigest?
  /// The fingerprint of the expected upright pixels; nil if it is unknown.
  public private(set) var fingerprint: PixelFingerprint?
  /// The alternative text of a tagged document; empty for none.
  public var alternative = ""
  /// The digests of further files from which the picture was made.
  public var otherSources: [ShortDigest] = []
  /// Whether a part of the picture does not come from a file.
  public var isDrawn = false
  /// The name, in messages, of the file from which the picture was made; empty if unknown. Books do not contain the
  /// name.
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

  /// Returns the expectation with another fingerprint of the expected pixels.
  public func with(fingerprint: PixelFingerprint?) -> PictureExpectation {
    var other = self
    other.fingerprint = fingerprint
    return other
  }
}

/// A text that a page must contain as characters, not only as pixels.
public struct CaptionExpectation: Sendable, Hashable {
  public let text: String
  /// The box around the text's lines, in points from the page's lower left corner.
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

// MARK: - Text

/// The reason why expectations cannot be read.
public enum ExpectationsError: Error, Sendable, Equatable {
  case notExpectations
  case line(Int)
  /// The last line, a digest of all previous lines, is missing or wrong.
  case changed
}

extension ExpectationsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notExpectations: "this is not a list of expectations written by imghost"
    case .line(let number): "line \(number) of the expectations cannot be understood"
    case .changed: "the expectations were changed after they were written"
    }
  }
}

/// Writes expectations as text, page by page, with one fact per line and lengths in points:
///
///     imghost-expectations 7
///     page WIDTH HEIGHT [CONTENT-DIGEST]
///     picture A B C D E F PIXELS-ACROSS PIXELS-DOWN DIGEST [SOURCE-DIGEST]
///     full ORIENTATION WIDTH HEIGHT PIXELS-ACROSS PIXELS-DOWN DIGEST [SOURCE-DIGEST]
///     native ORIENTATION DPI PIXELS-ACROSS PIXELS-DOWN DIGEST [SOURCE-DIGEST]
///     fingerprint HEXADECIMAL
///     sources DIGEST…
///     drawn
///     alternative TEXT
///     name TEXT
///     caption LEFT BOTTOM WIDTH HEIGHT TEXT
///     link LEFT BOTTOM WIDTH HEIGHT ADDRESS
///     boxes LEFT BOTTOM WIDTH HEIGHT LEFT BOTTOM WIDTH HEIGHT
///     tags DIGEST
///     document [METADATA-DIGEST]
///     version PDF-VERSION
///     info KEY TEXT
///     entry KEY TEXT
///     font DIGEST NAME
///     outline DEPTH PAGE TITLE
///     end DIGEST
///
/// `picture`, `caption`, `link`, `boxes` (TrimBox and BleedBox) and `tags` (see `TagDigest`) belong to the preceding
/// `page`. `fingerprint` (6,144 digits), `sources` (the digests of further source files), `drawn` (a part does not come
/// from a file), `alternative` and `name` (of the picture's file, never in a book) belong to the preceding `picture`,
/// and `version`, `info`, `entry`, `font` and `outline` to the `document`, which comes after all pages or not at all.
///
/// `full` is a `page` with a single `picture` that fills it, with the given EXIF orientation, and with the content `A B
/// C D E F cm/P Do`; `native` is the same for a page that has the size of its picture at `DPI` pixels per inch. In
/// texts, `\n` and `\\` stand for a line end and a backslash. Digests are the first 8 bytes of SHA-256; the last line's
/// digest covers all previous lines.
public struct ExpectationsText: Sendable {
  static let title = "imghost-expectations 7"
  private var hash = SHA256()
  private var isStarted = false
  private var known = KnownFullPage()

  public init() {}

  /// Returns the lines of the next pages, preceded by the title line in the first call.
  package mutating func lines(for pages: [PageExpectation]) -> UTF8Text {
    var text = start()
    // Most pages take one line of at most 64 bytes.
    text.bytes.reserveCapacity(text.count + pages.count * 64)
    for page in pages { append(page, to: &text) }
    hash.update(text.bytes)
    return text
  }

  private mutating func append(_ page: PageExpectation, to text: inout UTF8Text) {
    let full = known.page(of: page)
    if full == nil {
      text += "page \(Points.text(page.width)) \(Points.text(page.height))"
      if let content = page.content { text += " \(content.description)" }
      text.append("\n")
    }
    for picture in page.pictures {
      if let full {
        full.appendStart(across: picture.pixelWidth, down: picture.pixelHeight, to: &text)
      } else {
        let m = picture.matrix
        text += "picture \([m.a, m.b, m.c, m.d, m.e, m.f].map(Points.text).joined(separator: " "))"
      }
      text.append(" ")
      text.append(picture.pixelWidth)
      text.append(" ")
      text.append(picture.pixelHeight)
      text.append(" ")
      picture.digest.append(to: &text)
      if let source = picture.source {
        text.append(" ")
        source.append(to: &text)
      }
      text.append("\n")
      if let fingerprint = picture.fingerprint {
        text += "fingerprint \(Hexadecimal.text(fingerprint.cells))\n"
      }
      if !picture.otherSources.isEmpty {
        text += "sources \(picture.otherSources.map(\.description).joined(separator: " "))\n"
      }
      if picture.isDrawn { text += "drawn\n" }
      if !picture.alternative.isEmpty { text += "alternative \(Self.escaped(picture.alternative))\n" }
      if !picture.name.isEmpty { text += "name \(Self.escaped(picture.name))\n" }
    }
    for caption in page.captions {
      let box = [caption.left, caption.bottom, caption.width, caption.height]
      text += "caption \(box.map(Points.text).joined(separator: " ")) \(Self.escaped(caption.text))\n"
    }
    if !page.printBoxes.isEmpty { text += "boxes \(page.printBoxes.map(Points.text).joined(separator: " "))\n" }
    if let tags = page.tags { text += "tags \(tags.description)\n" }
    for link in page.links {
      let box = [link.left, link.bottom, link.width, link.height]
      text += "link \(box.map(Points.text).joined(separator: " ")) \(Self.escaped(link.address))\n"
    }
  }

  /// Returns the lines of the document, to be written after the lines of all pages.
  package mutating func lines(for document: DocumentExpectation) -> UTF8Text {
    var text: UTF8Text = "\(start())document\(document.metadata.map { " \($0)" } ?? "")\n"
    if let version = document.version { text += "version \(Self.escaped(version))\n" }
    for entry in document.info { text += "info \(entry.key) \(Self.escaped(entry.text))\n" }
    for entry in document.catalogue { text += "entry \(entry.key) \(Self.escaped(entry.text))\n" }
    for font in document.fonts { text += "font \(font.digest.description) \(Self.escaped(font.name))\n" }
    for entry in document.outline {
      text += "outline \(entry.depth) \(entry.page) \(Self.escaped(entry.title))\n"
    }
    hash.update(text.bytes)
    return text
  }

  /// Returns the last line. Called once.
  package mutating func end() -> UTF8Text {
    let text = start()
    hash.update(text.bytes)
    return "\(text)end \(ShortDigest(hash.finish()).description)\n"
  }

  private mutating func start() -> UTF8Text {
    defer { isStarted = true }
    return isStarted ? "" : "\(Self.title)\n"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\\": result += "\\\\"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension VerificationExpectations {
  /// The text form of all expectations.
  public var text: String {
    var writer = ExpectationsText()
    var text = writer.lines(for: pages)
    if let document { text += writer.lines(for: document) }
    return String("\(text)\(writer.end())" as UTF8Text)
  }

  /// Reads the text form.
  public init(text: String) throws(ExpectationsError) {
    var parser = ExpectationsParser()
    try parser.add(Array(text.utf8))
    self = try parser.finish()
  }
}
