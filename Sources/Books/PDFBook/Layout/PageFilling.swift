import Platform

/// The cost of unfilled pages: the distance from the end of a column of pictures to the page's lower edge, and the
/// share that is cropped by stretching. The total of all pages is lowest if they are filled evenly.
struct PageFilling {
  /// The height of the content area.
  let height: Double
  /// Whether pictures are stretched so that columns end at the page's lower edge.
  let stretches: Bool

  /// The maximum factor by which pictures are stretched or compressed. At this factor, a third of each picture is cut
  /// off.
  static let maximumStretch = 1.5

  /// Returns the stretch factor for the pictures of a column; 1 if stretching is off, or would exceed the maximum.
  ///
  /// - Parameters:
  ///   - pictures: the sum of the pictures' heights.
  ///   - extras: the height of captions, borders and gaps.
  func stretch(_ pictures: Double, extras: Double) -> Double {
    guard stretches else { return 1 }
    let factor = (height - extras) / pictures
    return factor <= Self.maximumStretch ? factor : 1
  }

  /// Returns the cost of a column; nil if it does not fit on the page.
  func cost(_ pictures: Double, extras: Double) -> Double? {
    // A hundredth of a point allows for rounding.
    let free = height - pictures - extras
    guard free >= -0.01 || stretches else { return nil }
    let factor = (height - extras) / pictures
    guard stretches, factor <= Self.maximumStretch else {
      let share = free / height
      // A page that cannot be filled costs more than any page that can be filled.
      return share * share + (stretches ? 1 : 0)
    }
    guard factor >= 1 / Self.maximumStretch else { return nil }
    return 4 * log(factor) * log(factor)
  }
}
