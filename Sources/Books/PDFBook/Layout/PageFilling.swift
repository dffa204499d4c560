import Platform

/// What a layout would rather not have: how far a column of pictures ends from a page's lower edge, and what
/// stretching them to it cuts off. The sum of it over all pages is least where they are filled alike, the last one
/// too.
struct PageFilling {
  /// The room's height.
  let height: Double
  /// Whether pictures are stretched to the lower edge.
  let stretches: Bool

  /// How far pictures are stretched or compressed at most: a third of them is cut off then.
  static let mostStretch = 1.5

  /// What the pictures of a column are stretched by; 1 where the page cannot be filled.
  ///
  /// - Parameters:
  ///   - pictures: the sum of their heights.
  ///   - extras: what captions, borders and gaps take.
  func stretch(_ pictures: Double, extras: Double) -> Double {
    guard stretches else { return 1 }
    let factor = (height - extras) / pictures
    return factor <= Self.mostStretch ? factor : 1
  }

  /// Nil where it does not fit on the page.
  func cost(_ pictures: Double, extras: Double) -> Double? {
    // A hundredth of a point: what adding up may be off by.
    let free = height - pictures - extras
    guard free >= -0.01 || stretches else { return nil }
    let factor = (height - extras) / pictures
    guard stretches, factor <= Self.mostStretch else {
      let share = free / height
      // A page that cannot be filled is worse than any that can.
      return share * share + (stretches ? 1 : 0)
    }
    guard factor >= 1 / Self.mostStretch else { return nil }
    return 4 * log(factor) * log(factor)
  }
}
