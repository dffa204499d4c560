/// The requirements that somebody has of a document beside what its writer meant, such as those of a test.
public struct Requirements: Sendable, Hashable {
  /// The number of pages there must be.
  public var pages: Int?
  /// The size of every finished page (its TrimBox where there is one), either way round, in points (1/72 inch);
  /// a point off is as good.
  public var size: PageSize?
  /// Texts that the document has, in this order. Spaces and hyphens do not count.
  public var texts: [String] = []
  /// Whether the report has the text of each page, which is no requirement but found in the same way.
  public var givesTexts = false
  /// Whether every font must be embedded, the 14 standard ones too.
  public var hasEmbeddedFonts = false
  /// Pixels per inch that every picture has at least.
  public var leastResolution: Double?
  /// Whether the document must carry digests of what its pages should show, as every book of imghost's does.
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
