/// Requirements of the caller, such as a test, in addition to the expectations of the document's writer.
public struct Requirements: Sendable, Hashable {
  /// The required number of pages.
  public var pages: Int?
  /// The required size of every finished page (its TrimBox if it has one), in points (1/72 inch), in either
  /// orientation, within one point.
  public var size: PageSize?
  /// Texts that the document must contain, in this order. Spaces and hyphens are ignored.
  public var texts: [String] = []
  /// Whether the report contains the text of each page. This is not a requirement, but the text is read as for `texts`.
  public var givesTexts = false
  /// Whether every font must be embedded, including the 14 standard ones.
  public var hasEmbeddedFonts = false
  /// The minimum resolution of every picture, in pixels per inch.
  public var leastResolution: Double?
  /// Whether the document must contain digests of what its pages should show, as every book by imghost does.
  public var isSealed = false

  public init(
    pages: Int? = nil, size: PageSize? = nil, texts: [String] = [], hasEmbeddedFonts: Bool = false,
    leastResolution: Double? = nil, isSealed: Bool = false
  ) {
    self.pages = pages
    self.size = size
    self.texts = texts
    self.hasEmbeddedFonts = hasEmbeddedFonts
    self.leastResolution = leastResolution
    self.isSealed = isSealed
  }
}
