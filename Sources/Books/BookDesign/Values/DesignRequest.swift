import PictureTraits

/// Everything on which a design depends.
package struct DesignRequest: Sendable, Hashable {
  /// The pictures in the order of the book.
  package var pictures: [DesignPicture]
  /// The hints for each picture; an empty list means none.
  package var hints: [DesignHint]
  /// The ranges of pictures that each begin a page, in order and without gaps; empty if all form one section.
  package var sections: [Range<Int>]
  /// The pages that a script declares, in the order of their pictures.
  package var fixed: [FixedPage] = []
  /// The height of the text above the first pictures of each section, in points; empty for none.
  package var openers: [Double] = []
  package var style: DesignStyle
  package var paper: DesignPaper
  /// The number of pages of the design; nil to choose the best-looking number.
  package var pageCount: Int?
  /// The pages of the book outside the design, such as a title page, which count in messages.
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
