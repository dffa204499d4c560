import ImageCore
import PictureTraits

/// The pages of a book, each with its pictures in their places.
///
/// Every picture that is not left out is on exactly one page, or across two facing pages. From page to page, pictures
/// stay in order. Pictures do not overlap.
package struct BookDesign: Sendable, Hashable {
  package var pages: [DesignPage]
  /// The pictures that are left out, in their order.
  package var leftOut: [LeftOutPicture]
  /// Remarks for the author of the script, one clause each.
  package var notes: [String]
  /// The faults of fixed pages, one clause each. If there are any, there are no pages.
  package var problems: [FixedPageProblem] = []
  package var figures = DesignFigures()

  /// The number of pages in the design, where two facing pages count as two.
  package var pageCount: Int { pages.reduce(0) { $0 + $1.pageCount } }
}

/// A page of a design, or two facing pages that are designed as one.
///
/// Places are shares of the page, or of both facing pages together, with the spine in the middle.
package struct DesignPage: Sendable, Hashable {
  /// The name of the page's template.
  package var template: String
  /// The page's index, from 0; for two facing pages, the index of the first.
  package var place: Int
  package var isSpread: Bool
  package var slots: [DesignSlot]
  /// The place of the page's own text next to its pictures; nil for none.
  package var text: UnitRectangle?
  /// The colour of the page; nil for the colour of the book.
  package var background: Colour?
  /// The index of the page among the fixed pages; nil for other pages.
  package var fixed: Int?
  /// The index of the section whose opening text is above the pictures of the page; nil for none.
  package var opens: Int?
  /// The reasons for this page, as short clauses in plain English.
  package var reasons: [String]

  package init(template: String, place: Int, isSpread: Bool = false, slots: [DesignSlot] = [], reasons: [String] = []) {
    (self.template, self.place, self.isSpread) = (template, place, isSpread)
    (self.slots, self.reasons) = (slots, reasons)
  }

  package var pageCount: Int { isSpread ? 2 : 1 }
}

/// A picture in its place.
package struct DesignSlot: Sendable, Hashable {
  /// The index in the list of pictures.
  package var picture: Int
  /// The visible area of the picture, without the bleed.
  package var area: UnitRectangle
  /// The part of the upright picture that `area` shows.
  package var crop: UnitRectangle
  /// The share of the picture's attention in the visible part, from 0 to 1.
  package var kept: Double
  /// The place of the caption; nil if it is below, above or on the picture.
  package var text: UnitRectangle?

  package init(picture: Int, area: UnitRectangle, crop: UnitRectangle, kept: Double, text: UnitRectangle? = nil) {
    (self.picture, self.area, self.crop, self.kept, self.text) = (picture, area, crop, kept, text)
  }
}

/// The reason, as a clause, why a fixed page is impossible, with the page's index among the fixed pages.
package struct FixedPageProblem: Error, Sendable, Hashable {
  package let page: Int
  package let reason: String
}

/// A picture that a book leaves out.
package struct LeftOutPicture: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// A hint asks to leave out the picture.
    case skipped
    /// A similar picture, given by its index, is in the book instead.
    case resembles(Int)
  }

  package var picture: Int
  package var reason: Reason
}

/// Statistics of a whole design, for comparing it with another design.
package struct DesignFigures: Sendable, Hashable {
  /// The share of the paper that pictures cover, from 0 to 1, without the bleed.
  package private(set) var covered = 0.0
  /// The visible share of the pictures' attention, from 0 to 1: `kept` is the mean of all pictures, `leastKept` the
  /// minimum.
  package private(set) var kept = 1.0
  package private(set) var leastKept = 1.0

  init() {}

  /// - Parameter places: the places of the pictures on all pages.
  init(_ places: [PageFitting.Place], onPages pageCount: Int, of paper: DesignPaper) {
    covered =
      places.reduce(0) { $0 + $1.rectangle.area } / (paper.width * paper.height * Double(max(1, pageCount)))
    kept = places.isEmpty ? 1 : places.reduce(0) { $0 + $1.kept } / Double(places.count)
    leastKept = places.reduce(1) { min($0, $1.kept) }
  }
}
