/// A book with a requested number of pages, in a layout that is not designed.
struct PageTarget {
  /// The requested number, without a title page.
  let pages: Int
  let sections: [Range<Int>]
  var layout: BookLayout
  /// The fewest and the most pages of each section, and the share of the pages that it needs, in any unit.
  var least: [Int]
  var most: [Int]
  var loads: [Double]

  /// The layout for each section, with the number of its pages.
  var layouts: [BookLayout] {
    PageShares.shares(of: pages, least: least, most: most, loads: loads).map { share in
      var part = layout
      part.sectionPages = share
      return part
    }
  }

  /// The most rows and columns that a target chooses.
  static let mostLines = 20
}

extension BookLayout {
  /// Returns the layout for each section, with the number of its pages.
  ///
  /// - Parameter pages: the requested number, without a title page.
  func targeted(_ pages: Int, _ pictures: [LayoutPicture], _ sections: [Range<Int>]) throws(PDFError) -> [BookLayout] {
    var target = PageTarget(
      pages: pages, sections: sections, layout: self, least: sections.map { _ in 1 }, most: sections.map(\.count),
      loads: sections.map { section in section.reduce(0) { $0 + pictures[$1].aspect } })
    try options.kind.adapt(&target, pictures)
    return target.layouts
  }
}
