/// The expectations of a document as a whole: what it says about itself, and how it opens.
public struct DocumentExpectation: Sendable, Hashable {
  /// An entry of a dictionary as text.
  public struct Entry: Sendable, Hashable {
    public let key: String
    public let text: String

    public init(_ key: String, _ text: String) { (self.key, self.text) = (key, text) }
  }

  /// An entry of the outline.
  public struct OutlineEntry: Sendable, Hashable {
    /// 0 for the outermost.
    public let depth: Int
    /// The page that it opens, from 1; 0 if it opens something else.
    public let page: Int
    public let title: String

    public init(depth: Int, page: Int, title: String) {
      (self.depth, self.page, self.title) = (depth, page, title)
    }
  }

  /// The Info dictionary without its Producer, which every program that rewrites a file may set.
  public var info: [Entry] = []
  /// The catalogue's entries among `catalogueKeys`, in words.
  public var catalogue: [Entry] = []
  /// The version of PDF that the header and the catalogue state; nil if the list does not say.
  public var version: String?
  /// The digest of the XMP packet's meaning, see `XMPForm`. If it cannot be read, the
  /// digest of its bytes. Nil if there is no packet.
  public var metadata: ShortDigest?
  /// The outline from the top down.
  public var outline: [OutlineEntry] = []
  /// The embedded fonts in the order of their first use.
  public var fonts: [FontExpectation] = []

  public init() {}

  /// Entries of the catalogue (PDF 32000-1:2008, 7.7.2) that decide what readers do and show.
  public static let catalogueKeys = [
    "OpenAction", "PageLayout", "PageMode", "ViewerPreferences", "PageLabels", "AA", "AcroForm",
    "Names", "Lang", "MarkInfo", "OutputIntents",
  ]

  /// Returns the words for the place where a document opens (12.3.2.2): `page 2, FitH`.
  ///
  /// - Parameters:
  ///   - kind: the destination's name for the size at which the page is shown.
  ///   - numbers: the destination's numbers.
  public static func opening(page: Int, kind: String, numbers: [Double] = []) -> String {
    "page \(page), " + ([kind] + numbers.map(Points.text)).joined(separator: " ")
  }

  /// Returns the words for an output intent (14.11.5).
  ///
  /// - Parameters:
  ///   - entries: all entries but the profile, in the form of `TagDigest`.
  ///   - profile: the digest of the profile's unpacked bytes.
  public static func outputIntent(_ entries: [(key: String, value: String)], profile: ShortDigest?) -> String {
    TagDigest.dictionary(entries) + (profile.map { " \($0)" } ?? "")
  }

  /// Returns a range of page labels (12.4.2) as the option `page_labels` has it: `20:D/1/A-`.
  ///
  /// - Parameters:
  ///   - page: the first, from 1.
  ///   - style: one letter; empty for no number.
  public static func label(page: Int, style: String, start: Int, prefix: String) -> String {
    let tail = start == 1 && prefix.isEmpty ? "" : "/\(start)"
    return "\(page):\(style)\(tail)" + (prefix.isEmpty ? "" : "/\(prefix)")
  }
}

/// An area of a page that opens an address.
public struct LinkExpectation: Sendable, Hashable {
  /// The address as the file has it, percent-encoded.
  public let address: String
  /// Points from the page's lower left corner.
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
