import ImageCore

/// Compares what can be seen of a picture of few pixels, or of few that are seen, with what is stored: rendered so
/// large that every pixel is several samples, those at the edges left out.
///
/// From four times its size on, poppler repeats a picture's pixels instead of mixing them
/// (`CairoOutputDev::getFilterForSurface`); where only one direction is so large, it does not always.
struct MagnifiedComparison {
  /// Samples that a stored pixel takes.
  let across: Int
  let down: Int
  /// The samples that are rendered, counted from the picture's upper left corner.
  let columns: Range<Int>
  let rows: Range<Int>
  /// Those of them that lie wholly in what can be seen.
  let seenColumns: Range<Int>
  let seenRows: Range<Int>

  /// From so many visible pixels on, whole ones tell enough.
  static let fewPixels = 16.0
  /// Samples that what can be seen takes at least, one at each edge included.
  private static let samples = 16.0
  /// Beyond these, positions lose their meaning in cairo's fixed-point numbers.
  private static let mostSamples = 1_000_000

  /// - Parameters:
  ///   - x: what can be seen of the picture, in its pixels.
  /// - Returns: nil where that is too little to be seen at any scale.
  init?(_ picture: (width: Int, height: Int), x: ClosedRange<Double>, y: ClosedRange<Double>) {
    guard let across = Self.factor(x, picture.width), let down = Self.factor(y, picture.height),
      let columns = Self.range(x, across, picture.width), let rows = Self.range(y, down, picture.height)
    else { return nil }
    (self.across, self.down) = (across, down)
    (self.columns, seenColumns) = columns
    (self.rows, seenRows) = rows
  }

  private static func factor(_ seen: ClosedRange<Double>, _ count: Int) -> Int? {
    let extent = seen.upperBound - seen.lowerBound
    let factor = max(5, (samples / max(extent, 1e-9)).rounded(.up))
    return factor * Double(count) <= Double(mostSamples) ? Int(factor) : nil
  }

  private static func range(_ seen: ClosedRange<Double>, _ factor: Int, _ count: Int)
    -> (all: Range<Int>, whole: Range<Int>)?
  {
    let (first, last) = (seen.lowerBound * Double(factor), seen.upperBound * Double(factor))
    let all = max(0, Int(first.rounded(.down)))..<min(count * factor, Int(last.rounded(.up)))
    // Edges are rounded as coordinates are; the sample beside one may be mixed with what lies behind.
    let start = Int((first + 0.02).rounded(.up))
    let end = Int((last - 0.02).rounded(.down))
    guard start < end else { return nil }
    return (all, max(all.lowerBound, start)..<min(all.upperBound, end))
  }

  /// Pieces that are rendered one after the other, so that a long picture needs little memory.
  var tiles: [(columns: Range<Int>, rows: Range<Int>)] {
    func pieces(_ range: Range<Int>) -> [Range<Int>] {
      stride(from: range.lowerBound, to: range.upperBound, by: Self.tileSide).map {
        $0..<min(range.upperBound, $0 + Self.tileSide)
      }
    }
    return pieces(rows).flatMap { rows in pieces(columns).map { ($0, rows) } }
  }
  private static let tileSide = 4_096
}
