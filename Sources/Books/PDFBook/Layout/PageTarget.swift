/// The requested number of pages of a book whose layout is not `auto`, and the limits for dividing it among sections.
struct PageTarget {
  /// The requested number of pages, not counting a title page and other pages without pictures.
  let pages: Int
  let sections: [Range<Int>]
  var layout: BookLayout
  /// The minimum and maximum number of pages of each section, and the amount of its content, in any unit.
  var least: [Int]
  var most: [Int]
  var loads: [Double]

  /// The layout for each section, with the number of the section's pages.
  var layouts: [BookLayout] {
    PageShares.shares(of: pages, least: least, most: most, loads: loads).map { share in
      var part = layout
      part.sectionPages = share
      return part
    }
  }

  /// The maximum number of rows, or of columns, that is tried to reach the requested number of pages.
  static let mostLines = 20
}

extension BookLayout {
  /// Returns the layout for each section, with the number of the section's pages.
  ///
  /// - Parameter pages: the requested number of pages, not counting a title page and other pages without pictures.
  func targeted(_ pages: Int, _ pictures: [LayoutPicture], _ sections: [Range<Int>]) throws(PDFError) -> [BookLayout] {
    var target = PageTarget(
      pages: pages, sections: sections, layout: self, least: sections.map { _ in 1 }, most: sections.map(\.count),
      loads: sections.map { section in section.reduce(0) { $0 + pictures[$1].aspect } })
    try options.kind.adapt(&target, pictures)
    return target.layouts
  }
}
