import ImageCore

/// The text of a page: a title, paragraphs, or both.
package struct PageText: Sendable, Hashable {
  /// The title; empty for none.
  package var title: String
  /// The paragraphs, separated by blank lines; empty for none. A single line end counts as a space.
  package var text: String
  /// The titles that lead to the page in the outline, the outermost first; empty for none.
  package var outline: [String]
  /// The vertical position between the margins, on a page with only text.
  package var position = TextPosition.middle
  /// The area above the pictures of the page, in points; nil on a page with only text.
  package var area: PageRectangle?

  package init(title: String = "", text: String = "", outline: [String] = [], area: PageRectangle? = nil) {
    (self.title, self.text, self.outline, self.area) = (title, text, outline, area)
  }

  /// The paragraphs, with line ends inside them replaced by spaces.
  var paragraphs: [String] {
    var found: [[Substring]] = [[]]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.isEmpty { found.append([]) } else { found[found.count - 1] += words }
    }
    return found.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
  }
}

extension Arguments {
  /// Whether the book has the layout `auto`.
  package var isDesigned: Bool { text("layout") == LayoutKind.auto.rawValue }

  /// The text of the title page: the value of the option, or else the book's title if the layout is `auto`; empty for
  /// none.
  package var titlePage: String {
    optionalText("title_page") ?? (isDesigned ? optionalText("title") ?? "" : "")
  }

  /// Whether a style determines the title page's font sizes.
  package var hasDesignedTitle: Bool {
    isDesigned && !given.contains { $0.name == "title_page_size" }
  }
}

/// The font sizes, in points, of texts on pages without pictures or above the pictures of a page.
package struct PageType: Sendable, Hashable {
  /// The size of a title without paragraphs, such as that of a chapter.
  package var title: Double
  /// The size of a title above paragraphs.
  package var heading: Double
  /// The size of paragraphs. The distance between their lines is `baseline` or a multiple of it.
  package var text: Double
  package var baseline: Double

  package init(title: Double, heading: Double, text: Double, baseline: Double) {
    (self.title, self.heading, self.text, self.baseline) = (title, heading, text, baseline)
  }

  /// Creates the sizes for books without a style. They grow with the square root of the page's shorter side.
  ///
  /// - Parameter size: the size of the page in points.
  package init(on size: PageSize) {
    let factor = (min(size.width, size.height) / LayoutOptions.defaultPaper.width).squareRoot()
    self.init(title: 28 * factor, heading: 18 * factor, text: 11 * factor, baseline: 15 * factor)
  }
}

/// A part of a book: pictures that begin a page, or a page of text.
package enum BookSegment: Sendable, Hashable {
  /// The range of the pictures in the list of all pictures.
  case pictures(Range<Int>)
  /// A text, with the colour of its page; nil for the book's colour.
  case text(PageText, background: Colour?)

  /// The range of the segment's pictures; nil for a text.
  var pictures: Range<Int>? { if case .pictures(let range) = self { range } else { nil } }

  package var isText: Bool { if case .text = self { true } else { false } }
}
