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
    return PageShares.shares(of: pages, least: target.least, most: target.most, loads: target.loads).map { share in
      var part = target.layout
      part.sectionPages = share
      return part
    }
  }
}

/// Distributes the requested number of pages over the sections of a book.
enum PageShares {
  /// Returns the number of pages of each section. The total is the requested number, or the nearest possible one.
  ///
  /// Each section first gets its minimum number of pages. Each further page goes to the section with the fullest pages,
  /// or to the first of several such sections.
  ///
  /// - Parameters:
  ///   - least: the minimum number of pages of each section, at least 1.
  ///   - most: the maximum number of pages of each section: the number of its pictures, or twice that number if a
  ///     picture may take two pages.
  ///   - loads: the amount of content of each section, in any unit.
  static func shares(of pages: Int, least: [Int], most: [Int], loads: [Double]) -> [Int] {
    var shares = least
    for _ in 0..<max(0, pages - least.reduce(0, +)) {
      var fullest: Int?
      for section in shares.indices where shares[section] < most[section] {
        let load = loads[section] / Double(shares[section])
        if fullest.map({ load > loads[$0] / Double(shares[$0]) }) ?? true { fullest = section }
      }
      guard let fullest else { break }
      shares[fullest] += 1
    }
    return shares
  }

  /// Divides a number of pictures among pages as evenly as possible, and returns the parts, with the larger ones first.
  static func evenly(_ pictures: Int, over pages: Int) -> [Int] {
    (0..<pages).map { pictures / pages + ($0 < pictures % pages ? 1 : 0) }
  }
}
