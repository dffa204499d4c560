import ImageCore

/// The scale and the samples for comparing the visible part of a picture with the stored pixels if that part is only a
/// few pixels wide or high. The picture is magnified so that every stored pixel covers several rendered samples.
/// Samples at the edges of the visible part are ignored.
///
/// Both directions are magnified at least five times. From a magnification of four on, poppler repeats pixels instead
/// of interpolating (`CairoOutputDev::getFilterForSurface`), but not reliably if only one direction is magnified so
/// much.
struct MagnifiedComparison {
  /// The number of samples per pixel of the picture.
  let across: Int
  let down: Int
  /// The samples to render, counted from the picture's upper left corner.
  let columns: Range<Int>
  let rows: Range<Int>
  /// The samples that are fully visible.
  let seenColumns: Range<Int>
  let seenRows: Range<Int>

  /// The minimum number of visible pixels, across and down, for a comparison of whole pixels without magnification.
  static let fewPixels = 16.0
  /// The minimum number of samples across and down the visible part, including one sample at each edge.
  private static let samples = 16.0
  /// The maximum number of samples across or down the whole picture. Beyond it, positions lose precision in cairo's
  /// fixed-point numbers.
  private static let mostSamples = 1_000_000

  /// - Parameters:
  ///   - x: the visible columns of the picture, in its pixels.
  /// - Returns: nil if the visible part is too small at any scale.
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
    // Coordinates are rounded, so the edges are inexact, and a sample next to an edge may be blended with the
    // background.
    let start = Int((first + 0.02).rounded(.up))
    let end = Int((last - 0.02).rounded(.down))
    guard start < end else { return nil }
    return (all, max(all.lowerBound, start)..<min(all.upperBound, end))
  }

  /// Tiles that are rendered one after another, so that a long picture needs little memory.
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
