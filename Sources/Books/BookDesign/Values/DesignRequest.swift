import PictureTraits

/// The input for a design.
package struct DesignRequest: Sendable, Hashable {
  /// The pictures in the order of the book.
  package var pictures: [DesignPicture]
  /// The hints for each picture; an empty list means none.
  package var hints: [DesignHint]
  /// The sections as ranges of pictures, in order and without gaps; empty if there is only one. Each section starts a
  /// new page.
  package var sections: [Range<Int>]
  /// The pages that the design must not change, such as those that a script declares, in the order of their pictures.
  package var fixed: [DeclaredPage] = []
  /// The height of the text above the pictures of each fixed page, with the space below it, in points. The height is 0
  /// if the script or a template has a place for the text; an empty list means that no page has such a text.
  package var textHeights: [Double] = []
  /// The height of the text above the first pictures of each section, in points; empty for none.
  package var openers: [Double] = []
  package var style: DesignStyle
  package var paper: DesignPaper
  /// The number of pages of the design; nil to choose the best-looking number.
  package var pageCount: Int?
  /// The number of pages of the book outside the design, such as a title page. Page counts in messages include them.
  package var otherPages = 0
  /// Whether pictures that resemble a better neighbour are left out.
  package var leavesOutDuplicates: Bool

  package init(
    pictures: [DesignPicture], hints: [DesignHint] = [], sections: [Range<Int>] = [], style: DesignStyle,
    paper: DesignPaper, pageCount: Int? = nil, leavesOutDuplicates: Bool = true
  ) {
    precondition(hints.isEmpty || hints.count == pictures.count, "each picture has a hint, or none has")
    self.pictures = pictures
    self.hints = hints
    self.sections = sections
    self.style = style
    self.paper = paper
    self.pageCount = pageCount
    self.leavesOutDuplicates = leavesOutDuplicates
  }

  func hint(of picture: Int) -> DesignHint { hints.isEmpty ? DesignHint() : hints[picture] }
}

/// The facts about a picture that a design uses.
package struct DesignPicture: Sendable, Hashable {
  /// The size of the upright picture in pixels.
  package var width: Int
  package var height: Int
  /// The time when the picture was taken, in seconds of any clock that all pictures share; nil if unknown.
  package var time: Double?
  /// The traits of the picture's content; nil if they are unknown, as for a damaged picture.
  package var traits: PictureTraits?
  /// Whether the picture has a caption.
  package var hasCaption: Bool

  package init(width: Int, height: Int, time: Double? = nil, traits: PictureTraits? = nil, hasCaption: Bool = false) {
    self.width = width
    self.height = height
    self.time = time
    self.traits = traits
    self.hasCaption = hasCaption
  }
}

/// The facts about a book's pages that a design depends on, such as sizes and the side of the first page. Lengths are
/// in points.
package struct DesignPaper: Sendable, Hashable {
  /// The distances of the content area from a page's edges.
  package struct Margins: Sendable, Hashable {
    package var top, bottom: Double
    /// The margin at the spine, and the margin at the opposite edge.
    package var inner, outer: Double

    package init(top: Double, bottom: Double, inner: Double, outer: Double) {
      (self.top, self.bottom, self.inner, self.outer) = (top, bottom, inner, outer)
    }
  }

  /// The size of the trimmed page.
  package var width: Double
  package var height: Double
  package var margins: Margins
  /// The space between pictures.
  package var gap: Double
  /// The height of the strip below or above each picture on a page with captions; 0 if captions are on the pictures.
  package var captionStrip: Double
  /// Whether captions are above their pictures.
  package var captionsAreAbove: Bool
  /// Whether the first page of a section has a heading at its edge, which no picture may cover.
  package var sectionsHaveHeadings = false
  /// The number of pages before the first one of the design, such as a title page.
  package var pagesBefore: Int
  /// Whether the first page of the book is a right-hand page.
  package var startsRight: Bool
  /// Whether the right one of two facing pages comes first.
  package var isRightToLeft: Bool

  package init(
    width: Double, height: Double, margins: Margins, gap: Double, captionStrip: Double = 0,
    captionsAreAbove: Bool = false, pagesBefore: Int = 0, startsRight: Bool = true,
    isRightToLeft: Bool = false
  ) {
    (self.width, self.height, self.margins, self.gap) = (width, height, margins, gap)
    (self.captionStrip, self.captionsAreAbove) = (captionStrip, captionsAreAbove)
    (self.pagesBefore, self.startsRight, self.isRightToLeft) = (pagesBefore, startsRight, isRightToLeft)
  }

  /// The size of the content area of a page. A design needs at least 20 points in each direction.
  package var contentWidth: Double { width - margins.inner - margins.outer }
  var contentHeight: Double { height - margins.top - margins.bottom }

  /// Returns whether a page is a right-hand page.
  ///
  /// - Parameter page: its index in the design, from 0.
  func isOnRight(_ page: Int) -> Bool { ((page + pagesBefore) % 2 == 0) == startsRight }

  /// Returns whether a page is the first of two facing ones.
  func isFirstOfTwo(_ page: Int) -> Bool { isOnRight(page) == isRightToLeft }

  /// Returns the distance of the content area from the left edge of a page.
  package func leftMargin(of page: Int) -> Double { isOnRight(page) ? margins.inner : margins.outer }
}
