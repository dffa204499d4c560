import ImageCore

/// The expectations for a document as a whole: its declared properties, how it opens, its outline and its fonts.
public struct DocumentExpectation: Sendable, Hashable {
  /// An entry of a dictionary, both key and value as text.
  public struct Entry: Sendable, Hashable {
    public let key: String
    public let text: String

    public init(_ key: String, _ text: String) { (self.key, self.text) = (key, text) }
  }

  /// An entry of the outline.
  public struct OutlineEntry: Sendable, Hashable {
    /// The depth, 0 for the outermost level.
    public let depth: Int
    /// The number of the page that the entry opens, from 1; 0 if it opens something else.
    public let page: Int
    public let title: String

    public init(depth: Int, page: Int, title: String) {
      (self.depth, self.page, self.title) = (depth, page, title)
    }
  }

  /// The Info dictionary. Expectations omit Producer, Creator and ModDate, which any program that rewrites a file may
  /// change.
  public var info: [Entry] = []
  /// The entries of the catalogue whose keys are in `catalogueKeys`.
  public var catalogue: [Entry] = []
  /// The version of PDF that the header and the catalogue state; nil if the expectations do not state it.
  public var version: String?
  /// The digest of the XMP packet's meaning, see `XMPForm`, or of its bytes if the packet cannot be parsed; nil without
  /// a packet.
  public var metadata: ShortDigest?
  /// The outline in depth-first order.
  public var outline: [OutlineEntry] = []
  /// The embedded fonts in the order of their first use.
  public var fonts: [FontExpectation] = []

  public init() {}

  /// The keys of the catalogue's entries (PDF 32000-1:2008, 7.7.2) that determine what readers do and show.
  public static let catalogueKeys = [
    "OpenAction", "PageLayout", "PageMode", "ViewerPreferences", "PageLabels", "AA", "AcroForm",
    "Names", "Lang", "MarkInfo", "OutputIntents",
  ]

  /// Returns the text that describes where a document opens (12.3.2.2), such as `page 2, FitH`.
  ///
  /// - Parameters:
  ///   - kind: the name of the destination's type, which determines the zoom.
  ///   - numbers: the destination's numbers.
  public static func opening(page: Int, kind: String, numbers: [Double] = []) -> String {
    "page \(page), " + ([kind] + numbers.map(Points.text)).joined(separator: " ")
  }

  /// Returns the text for an output intent (14.11.5).
  ///
  /// - Parameters:
  ///   - entries: all entries except the profile, in the form of `TagDigest`.
  ///   - profile: the digest of the profile's uncompressed bytes.
  public static func outputIntent(_ entries: [(key: String, value: String)], profile: ShortDigest?) -> String {
    TagDigest.dictionary(entries) + (profile.map { " \($0)" } ?? "")
  }

  /// Returns a range of page labels (12.4.2) in the notation of the option `page_labels`: `20:D/1/A-`.
  ///
  /// - Parameters:
  ///   - page: the first page, from 1.
  ///   - style: the letter of the numbering style; empty for labels without a number.
  public static func label(page: Int, style: String, start: Int, prefix: String) -> String {
    let tail = start == 1 && prefix.isEmpty ? "" : "/\(start)"
    return "\(page):\(style)\(tail)" + (prefix.isEmpty ? "" : "/\(prefix)")
  }
}

/// An area of a page that opens an address.
public struct LinkExpectation: Sendable, Hashable {
  /// The percent-encoded address, as in the file.
  public let address: String
  /// The area in points from the page's lower left corner.
  public let left: Double
  public let bottom: Double
  public let width: Double
  public let height: Double

  public init(_ address: String, left: Double, bottom: Double, width: Double, height: Double) {
    self.address = address
    self.left = Points.rounded(left)
    self.bottom = Points.rounded(bottom)
    self.width = Points.rounded(width)
    self.height = Points.rounded(height)
  }
}

/// An embedded font, with a digest of everything that affects how its text is shown and read.
public struct FontExpectation: Sendable, Hashable {
  /// The name without the subset tag.
  public let name: String
  public let digest: ShortDigest

  public init(_ name: String, digest: ShortDigest) { (self.name, self.digest) = (name, digest) }

  /// Creates the expectation for a composite font (PDF 32000-1:2008, 9.7). Object numbers and compression are ignored.
  ///
  /// - Parameters:
  ///   - program: the uncompressed font file.
  ///   - glyphMap: the uncompressed CIDToGIDMap; empty for none.
  ///   - widths: the default width, then the words of the list of widths (W): brackets, and numbers formatted by
  ///     `width(_:)`.
  ///   - toUnicode: the uncompressed map to characters.
  ///   - entries: all other entries of the font's three dictionaries and of the font file's dictionary, in the form of
  ///     `TagDigest`.
  ///   - codeSet: the uncompressed CIDSet.
  public init(
    _ name: String, program: [UInt8], glyphMap: [UInt8], widths: [String], toUnicode: [UInt8], entries: String = "",
    codeSet: [UInt8] = []
  ) {
    var hash = SHA256()
    let widths = Array(widths.joined(separator: " ").utf8)
    for part in [program, glyphMap, widths, toUnicode, Array(entries.utf8), codeSet] {
      hash.update(SHA256.digest(of: part).bytes)
    }
    self.init(name, digest: ShortDigest(hash.finish()))
  }

  /// Formats a width for the parameter `widths`.
  public static func width(_ number: Double) -> String { Points.text(number) }
}
