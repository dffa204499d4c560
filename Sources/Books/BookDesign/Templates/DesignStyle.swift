import CEmbeddedFiles
import ImageCore

/// A family of templates with their margins, gaps, font sizes and colours. Distances are relative to the page.
package struct DesignStyle: Sendable, Hashable {
  /// Distances as shares of the shorter side of a page.
  package struct Margins: Sendable, Hashable {
    package var top, bottom, inner, outer: Double

    package init(top: Double, bottom: Double, inner: Double, outer: Double) {
      (self.top, self.bottom, self.inner, self.outer) = (top, bottom, inner, outer)
    }
  }

  package var name: String
  package var summary: String
  package var margins: Margins
  /// The space between pictures, as a share of the shorter side of a page.
  package var gap: Double
  /// The typical number of pictures on a page of the style.
  package var picturesPerPage: Double
  /// The font sizes on an A4 page; `TypeScale.scaled(toSide:)` returns those for other sizes.
  package var type: TypeScale
  package var look: DesignLook
  package var templates: [PageTemplate]

  package init(
    name: String, summary: String = "", margins: Margins = Margins(top: 0.06, bottom: 0.06, inner: 0.06, outer: 0.06),
    gap: Double = 0.02, picturesPerPage: Double = 2.5, type: TypeScale = TypeScale(),
    look: DesignLook = DesignLook(), templates: [PageTemplate]
  ) {
    self.name = name
    self.summary = summary
    self.margins = margins
    self.gap = gap
    self.picturesPerPage = picturesPerPage
    self.type = type
    self.look = look
    self.templates = templates
  }

  /// The largest number of pictures on a page.
  var mostPictures: Int { templates.map(\.slots.count).max() ?? 1 }
}

extension DesignStyle {
  /// The names of the styles that ship with imghost, the default first. Each has a file in `Styles`, which
  /// `CEmbeddedFiles` embeds.
  package static let names = ["album", "magazine", "minimal", "contact"]

  /// Returns the text of a style's file, in Lua.
  ///
  /// - Parameter name: one of `names`.
  package static func source(named name: String) -> [UInt8] {
    var count = 0
    guard let bytes = imghost_embedded_file(name + ".lua", &count) else { preconditionFailure("no style \(name)") }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}

/// The font sizes of a style and its baseline grid, in points: for an A4 page, or scaled to another page size.
package struct TypeScale: Sendable, Hashable {
  /// Titles of books and chapters.
  package var title: Double
  /// Headings of sections and of pages of text.
  package var heading: Double
  /// Captions, and lines at the edges of pages.
  package var caption: Double
  /// Running text.
  package var text: Double
  /// The distance between two lines of the baseline grid, which begins at a page's upper edge.
  package var baseline: Double

  package init(
    title: Double = 28, heading: Double = 18, caption: Double = 9, text: Double = 10, baseline: Double = 12
  ) {
    (self.title, self.heading, self.caption, self.text) = (title, heading, caption, text)
    self.baseline = baseline
  }

  /// The shorter side of A4.
  private static let side = 210 * 72 / 25.4

  /// Returns the sizes for a page of another size.
  ///
  /// Font sizes grow with the square root of the page's side, because small books are read at a shorter distance: A6
  /// has half the side of A4 and seven tenths of its font sizes.
  ///
  /// - Parameter side: the shorter side of the page in points.
  package func scaled(toSide side: Double) -> TypeScale {
    let factor = (side / Self.side).squareRoot()
    return TypeScale(
      title: title * factor, heading: heading * factor, caption: caption * factor, text: text * factor,
      baseline: baseline * factor)
  }
}

/// The appearance of a style's pictures and pages. Lengths are shares of the shorter side of a page.
package struct DesignLook: Sendable, Hashable {
  /// The background of pages.
  package enum Background: Sendable, Hashable {
    case colour(Colour)
    /// A muted tint from the colours of each page's pictures.
    case pictures
  }

  /// The radius of the corners of pictures.
  package var corners = 0.0
  /// The width of the border around each picture; 0 for none.
  package var border = 0.0
  package var borderColour: Colour?
  /// The lengths of shadows: how far they extend below pictures, and the width of their soft edge; empty for none.
  package var shadow: [Double] = []
  package var shadowColour: Colour?
  /// The background; nil for bare paper.
  package var background: Background?

  package init() {}
}
