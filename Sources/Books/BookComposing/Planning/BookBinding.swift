import ImageCore
import PDFBook

/// The facts about which a cover and the book inside it must agree. Lengths are in points.
final class BookBinding: Sendable {
  /// The number of pages of the book; for a cover, the number of pages inside, which determines the width of the spine.
  /// Nil if not stated.
  let pages: Int?
  /// The different sizes of the book's pages, at most 16, beginning with that of the first page; for a cover, the size
  /// of its front.
  let sizes: [PageSize]
  /// Whether each page takes the orientation of its picture, so that the cover may have either orientation.
  let turns: Bool
  /// The thickness of a sheet; nil if the options do not state it.
  let sheetThickness: Double?
  /// The reading direction; nil if the options do not state it.
  let readingDirection: String?
  let isCover: Bool
  /// Options that a cover of the book inherits.
  let options: [(name: String, value: ParameterValue)]

  init(
    pages: Int?, sizes: [PageSize], turns: Bool = false, sheetThickness: Double? = nil, readingDirection: String? = nil,
    isCover: Bool, options: [(name: String, value: ParameterValue)] = []
  ) {
    (self.pages, self.sizes, self.turns) = (pages, sizes, turns)
    (self.sheetThickness, self.readingDirection) = (sheetThickness, readingDirection)
    self.isCover = isCover
    self.options = options
  }

  /// Returns whether a cover's front is as large as one of the pages or, if `turns`, as a page turned by 90°.
  func hasPages(asLargeAs cover: BookBinding) -> Bool { hasPages { cover.sizes[0].isNear($0) } }

  func fits(_ cover: BookBinding) -> Bool { hasPages { cover.sizes[0].isFront(of: $0) } }

  private func hasPages(_ isWanted: (PageSize) -> Bool) -> Bool {
    sizes.contains {
      isWanted($0) || turns && isWanted(PageSize(width: $0.height, height: $0.width))
    }
  }

  /// Returns the conflicts between the options of a cover and those of its book, one clause for each.
  ///
  /// - Parameter path: the path of the book.
  func contradictions(of cover: BookBinding, path: String) -> [String] {
    var found: [String] = []
    if let pages = cover.pages, let own = self.pages, pages != own {
      found.append("'cover_pages' is \(pages), but '\(path)' of this script has \(Self.count(own))")
    }
    if !fits(cover) {
      found.append(
        "'paper' makes a front of \(Self.text(cover.sizes[0])), but the pages of '\(path)' have "
          + Self.text(sizes[0]))
    }
    if let asked = cover.sheetThickness, let own = sheetThickness, abs(asked - own) > 0.001 {
      found.append("'paper_thickness' is \(Self.millimetres(asked)) mm, but '\(path)' has \(Self.millimetres(own)) mm")
    }
    if let asked = cover.readingDirection, let own = readingDirection, asked != own {
      found.append("'reading_direction' is '\(asked)', but '\(path)' has '\(own)'")
    }
    return found
  }

  static func count(_ pages: Int) -> String { pages == 1 ? "1 page" : "\(pages) pages" }

  static func text(_ size: PageSize) -> String { "\(millimetres(size.width)) x \(millimetres(size.height)) mm" }

  /// Returns a length in millimetres, rounded to hundredths.
  private static func millimetres(_ points: Double) -> String {
    ParameterValue.text((points * 25.4 / 72 * 100).rounded() / 100)
  }
}

extension PageSize {
  /// Returns whether both sides differ by less than half a point, the precision of lengths that were written as text.
  func isNear(_ other: PageSize) -> Bool { abs(width - other.width) < 0.5 && abs(height - other.height) < 0.5 }

  /// Returns whether a cover with this front fits around pages of the given size. The boards of a cover may extend
  /// beyond the pages; bookbinders call this overhang 'squares'.
  func isFront(of page: PageSize) -> Bool {
    let overhang = -0.5...Self.mostOverhang
    return overhang.contains(width - page.width) && overhang.contains(height - page.height)
  }

  /// The maximum overhang of a cover beyond its pages, in points: 10 mm, twice the squares of a thick book.
  private static let mostOverhang = 10 * 72 / 25.4
}
