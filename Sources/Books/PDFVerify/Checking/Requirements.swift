/// What somebody wants of a document, beside what its writer meant: the expectations of a test.
public struct Requirements: Sendable, Hashable {
  /// How many pages there are.
  public var pages: Int?
  /// The size of every finished page (its TrimBox where there is one), either way round, in points (1/72 inch);
  /// a point off is as good.
  public var size: Size?
  /// Texts that the document has, in this order. Spaces and hyphens do not count.
  public var texts: [String] = []
  /// Whether every font must be embedded, the 14 standard ones too.
  public var hasEmbeddedFonts = false
  /// Pixels per inch that every picture has at least.
  public var leastResolution: Double?
  /// Whether the document must say itself what its pages should show, as every book of imghost's does.
  public var isSealed = false

  /// A size in points.
  public struct Size: Sendable, Hashable {
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }

    /// Whether a page is as large, either way round.
    func isMet(by other: Size) -> Bool {
      abs(other.width - width) <= 1 && abs(other.height - height) <= 1
        || abs(other.width - height) <= 1 && abs(other.height - width) <= 1
    }
  }

  public init(
    pages: Int? = nil, size: Size? = nil, texts: [String] = [], hasEmbeddedFonts: Bool = false,
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

/// Holds a document against what somebody wants of it.
struct RequirementCheck {
  let requirements: Requirements

  /// The document's faults.
  func check(_ pages: [PageChecker.Result]) -> [Fault] {
    var faults: [Fault] = []
    if let wanted = requirements.pages, wanted != pages.count {
      faults.append(.expectedPages(wanted, actual: pages.count))
    }
    return faults + missingTexts(pages.map(\.letters))
  }

  /// One page's faults.
  func check(_ result: inout PageChecker.Result) {
    let report = result.report
    if let size = requirements.size, let actual = result.finishedSize {
      if !size.isMet(by: actual) {
        result.faults.append(
          .expectedSize(
            width: size.width, height: size.height, actualWidth: actual.width,
            actualHeight: actual.height, unit: result.unit))
      }
    }
    guard let least = requirements.leastResolution else { return }
    for (index, place) in result.places.enumerated() {
      let picture = report.pictures[index]
      let across = Double(picture.width) * 72 / (place.a * place.a + place.b * place.b).squareRoot()
      let down = Double(picture.height) * 72 / (place.c * place.c + place.d * place.d).squareRoot()
      // Sides are rounded to whole pixels: half a pixel is no lack.
      if min(across, down) < least * 0.999 {
        result.faults.append(
          .resolution(index + 1, min(across, down), least: least, unit: result.unit))
      }
    }
  }

  /// Each text is looked for after the end of the one before.
  private func missingTexts(_ pages: [String]) -> [Fault] {
    var faults: [Fault] = []
    var page = 0
    var place = pages.first?.startIndex
    for text in requirements.texts {
      let wanted = PageText.letters(text.unicodeScalars)
      guard !wanted.isEmpty else { continue }
      var found: (page: Int, end: String.Index)?
      for candidate in page..<max(page, pages.count) {
        let start = candidate == page ? place! : pages[candidate].startIndex
        if let range = pages[candidate][start...].firstRange(of: wanted) {
          found = (candidate, range.upperBound)
          break
        }
      }
      if let found {
        (page, place) = (found.page, found.end)
      } else if let other = pages.firstIndex(where: {
        PageText.contains($0, wanted, inAnyOrder: PageText.mayChangeOrder(text))
      }) {
        // Letters that readers reorder have no place of their own.
        let isInOrder = other >= page && pages[other].firstRange(of: wanted) == nil
        if !isInOrder { faults.append(.requiredTextEarlier(text, page: other + 1)) }
      } else {
        faults.append(.requiredText(text))
      }
    }
    return faults
  }
}
