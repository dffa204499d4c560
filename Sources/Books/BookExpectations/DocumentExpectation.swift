/// What a document says about itself and how it opens: all that belongs to no single page.
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
    /// That it opens, from 1; 0 for something else than a page.
    public let page: Int
    public let title: String

    public init(depth: Int, page: Int, title: String) {
      (self.depth, self.page, self.title) = (depth, page, title)
    }
  }

  /// The Info dictionary without its Producer, which whatever rewrites a file may put there.
  public var info: [Entry] = []
  /// Of the catalogue, those of `catalogueKeys` that there are, in words.
  public var catalogue: [Entry] = []
  /// The version of PDF that the header and the catalogue state together; nil where nobody says, as in lists of
  /// version 6.
  public var version: String?
  /// Of what the XMP packet says, see `XMPForm`, or, where `knowsMetadataForm` does not hold or it cannot be read,
  /// of its bytes; nil where there is none.
  public var metadata: ShortDigest?
  /// From the top down.
  public var outline: [OutlineEntry] = []
  /// Those embedded, in the order of their first use; nil where nobody says, as in lists of version 3.
  public var fonts: [FontExpectation]? = []

  /// Whether the pages say what tags they have, and fonts stand for all of their entries: lists of version 5 do not.
  public var knowsTags = true

  /// Whether metadata are known by what they say: lists of version 6 have their bytes.
  public var knowsMetadataForm = true

  public init() {}

  /// Entries of the catalogue (PDF 32000-1:2008, 7.7.2) that decide what readers do and show.
  public static let catalogueKeys = [
    "OpenAction", "PageLayout", "PageMode", "ViewerPreferences", "PageLabels", "AA", "AcroForm",
    "Names", "Lang", "MarkInfo", "OutputIntents",
  ]
  /// Of `catalogueKeys`, those that lists of version 3 say nothing of.
  public static let newerKeys: Set = ["Lang", "MarkInfo"]
  /// Likewise of version 5.
  public static let newestKeys: Set = ["OutputIntents"]

  /// Where a document opens (12.3.2.2): `page 2, FitH`.
  ///
  /// - Parameters:
  ///   - kind: how large the page is shown, by the name that a destination has for it.
  ///   - numbers: that go with it, those left out.
  public static func opening(page: Int, kind: String, numbers: [Double] = []) -> String {
    "page \(page), " + ([kind] + numbers.map(Points.text)).joined(separator: " ")
  }

  /// What colours mean (14.11.5).
  ///
  /// - Parameters:
  ///   - entries: but the profile, as `TagSeal` has values.
  ///   - profile: of its bytes, unpacked.
  public static func outputIntent(
    _ entries: [(key: String, value: String)], profile: ShortDigest?
  ) -> String {
    TagSeal.dictionary(entries) + (profile.map { " \($0)" } ?? "")
  }

  /// A range of page labels (12.4.2) as the option `page_labels` has it: `20:D/1/A-`.
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
  /// As the file has it, percent-encoded.
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
