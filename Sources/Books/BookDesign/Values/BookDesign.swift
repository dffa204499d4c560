import PictureTraits

/// The pages of a book, each with its pictures in their places.
///
/// Every picture that the book keeps lies on exactly one page, or on two facing ones, in the order of the pictures.
/// Pictures do not overlap.
public struct BookDesign: Sendable, Hashable {
  public var pages: [DesignPage]
  /// The pictures that the book leaves out, in their order.
  public var leftOut: [LeftOutPicture]
  /// Remarks for the person who made the script, a clause each.
  public var notes: [String]
  /// The faults of fixed pages, a clause each. There are no pages then.
  public var problems: [FixedPageProblem] = []

  /// The number of pages of paper.
  public var pageCount: Int { pages.reduce(0) { $0 + $1.pageCount } }
}

/// A page of a design, or two facing pages that share a picture.
public struct DesignPage: Sendable, Hashable {
  /// The name of its template.
  public var template: String
  /// The place of the page, or of the first of two, counted from 0.
  public var place: Int
  /// Whether it covers two facing pages. Its rectangles then lie on both, with the spine in their middle.
  public var isSpread: Bool
  /// Whether its template divides the whole page, and leaves no room at the edges for lines of text.
  public var isFull: Bool
  /// The pictures by their slots.
  public var slots: [DesignSlot]
  /// The place that the template has for the page's own text; nil for none.
  public var text: DesignRectangle?
  /// Its place among the fixed pages; nil for another page.
  public var fixed: Int?
  /// The section whose text stands above its pictures; nil for none.
  public var opens: Int?
  /// The considerations that led to this page, short clauses in plain English.
  public var reasons: [String]

  public var pageCount: Int { isSpread ? 2 : 1 }
}

/// A picture in its place.
public struct DesignSlot: Sendable, Hashable {
  /// Its place in the list of pictures.
  public var picture: Int
  /// The visible part, from the upper left corner of the trimmed page. At an edge of the page it ends there; the bleed
  /// is not included.
  public var rectangle: DesignRectangle
  /// The part of the upright picture that is shown there.
  public var crop: UnitRectangle
  /// The share of what draws the eye that the part has, from 0 to 1.
  public var kept: Double
  /// The place of the caption, measured like `rectangle`; nil for below or above the picture, or on it.
  public var text: DesignRectangle?
}

/// Why a fixed page cannot be: its place among the fixed pages, and a clause.
public struct FixedPageProblem: Error, Sendable, Hashable {
  public let page: Int
  public let reason: String
}

/// A picture that a book leaves out.
public struct LeftOutPicture: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// A hint says so.
    case skipped
    /// Another picture shows the same, and is better.
    case resembles(Int)
  }

  public var picture: Int
  public var reason: Reason
}
