import PictureTraits

/// The pages of a book, each with its pictures in their places.
///
/// Every picture that the book keeps is on exactly one page, or on two facing ones, in the order of the pictures.
/// Pictures do not overlap.
package struct BookDesign: Sendable, Hashable {
  package var pages: [DesignPage]
  /// The pictures that the book leaves out, in their order.
  package var leftOut: [LeftOutPicture]
  /// Remarks for the author of the script, one clause each.
  package var notes: [String]
  /// The faults of fixed pages, one clause each. If there are any, there are no pages.
  package var problems: [FixedPageProblem] = []

  /// The number of pages of paper.
  package var pageCount: Int { pages.reduce(0) { $0 + $1.pageCount } }
}

/// A page of a design, or two facing pages that share a picture.
package struct DesignPage: Sendable, Hashable {
  /// The name of its template.
  package var template: String
  /// The index of the page, or of the first of two, from 0.
  package var place: Int
  /// Whether it covers two facing pages. Its rectangles then refer to both, with the spine in the middle.
  package var isSpread: Bool
  /// Whether its template covers the whole page, and leaves no room at the edges for lines of text.
  package var isFull: Bool
  /// The pictures by their slots.
  package var slots: [DesignSlot]
  /// The template's place for the page's own text; nil for none.
  package var text: DesignRectangle?
  /// The index of the page among the fixed pages; nil for other pages.
  package var fixed: Int?
  /// The index of the section whose text is above the pictures of the page; nil for none.
  package var opens: Int?
  /// The reasons for this page, as short clauses in plain English.
  package var reasons: [String]

  package var pageCount: Int { isSpread ? 2 : 1 }
}

/// A picture in its place.
package struct DesignSlot: Sendable, Hashable {
  /// Its index in the list of pictures.
  package var picture: Int
  /// The area in which the picture is visible, from the upper left corner of the trimmed page, without the bleed.
  package var rectangle: DesignRectangle
  /// The part of the upright picture that `rectangle` shows.
  package var crop: UnitRectangle
  /// The share of the picture's attention in the visible part, from 0 to 1.
  package var kept: Double
  /// The place of the caption, in the same coordinates as `rectangle`; nil if it is below, above or on the picture.
  package var text: DesignRectangle?
}

/// The reason, as a clause, why a fixed page is impossible, with the page's index among the fixed pages.
package struct FixedPageProblem: Error, Sendable, Hashable {
  package let page: Int
  package let reason: String
}

/// A picture that a book leaves out.
package struct LeftOutPicture: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// A hint requests that the book leaves the picture out.
    case skipped
    /// Another picture, given by its index, is similar and better.
    case resembles(Int)
  }

  package var picture: Int
  package var reason: Reason
}

/// Figures of a whole design, for comparing it with another.
package struct DesignFigures: Sendable, Hashable {
  /// The share of the paper that pictures cover, from 0 to 1, without the bleed.
  package var covered: Double
  /// The share of a picture's attention that is visible, from 0 to 1: the mean of all pictures in `kept`, and the
  /// minimum in `leastKept`.
  package var kept: Double
  package var leastKept: Double

  package init(_ design: BookDesign, on paper: DesignPaper) {
    let slots = design.pages.flatMap(\.slots)
    covered =
      slots.reduce(0) { $0 + $1.rectangle.area } / (paper.width * paper.height * Double(max(1, design.pageCount)))
    kept = slots.isEmpty ? 1 : slots.reduce(0) { $0 + $1.kept } / Double(slots.count)
    leastKept = slots.reduce(1) { min($0, $1.kept) }
  }
}
