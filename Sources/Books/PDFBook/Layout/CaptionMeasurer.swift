import TextShaping

/// Measures captions while pages with several pictures are planned.
///
/// `@unchecked Sendable`: the measurer may move between threads, but only the thread that plans pages uses it.
package final class CaptionMeasurer: @unchecked Sendable {
  /// The maximum number of lines of a caption.
  let maximumLines: Int
  private let captions: [String]
  private let style: TextStyle
  private let layouter: TextLayouter

  /// - Parameters:
  ///   - captions: the captions of all pictures, in order.
  ///   - style: their style, with the maximum number of lines.
  package init(_ captions: [String], style: TextStyle, with layouter: TextLayouter) {
    maximumLines = style.maximumLines ?? .max
    self.captions = captions
    self.style = style
    self.layouter = layouter
  }

  /// Returns a measurer for all captions after the first `count`.
  func dropping(_ count: Int) -> CaptionMeasurer {
    CaptionMeasurer(Array(captions.dropFirst(count)), style: style, with: layouter)
  }

  /// Returns the number of lines of a picture's caption, up to `lines`, and the distance from the first
  /// baseline to the last.
  func measure(_ picture: Int, width: Double, lines: Int) throws(PDFError) -> (lines: Int, height: Double) {
    var style = style
    style.maximumLines = lines
    style.overflow = .ellipsis
    let found = try layouter.block(captions[picture], style: style, width: width).lines
    guard let first = found.first, let last = found.last else { return (1, 0) }
    return (found.count, last.baseline - first.baseline)
  }
}

extension CaptionMeasurer: Hashable {
  package static func == (left: CaptionMeasurer, right: CaptionMeasurer) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The space for captions of pictures that lie side by side.
struct CaptionSpace {
  /// The height of the strip below or above the pictures in points; 0 for none.
  var strip = 0.0
  /// The maximum number of lines of each caption.
  var lines = 1
}

extension BookLayout {
  /// Returns the space for the captions of a row: for as many lines as the longest caption takes, but no more than fit.
  ///
  /// - Parameters:
  ///   - row: pictures with captions, and the areas above or below which the captions lie.
  ///   - most: the maximum height of the strip. The strip always has room for at least one line.
  ///   - size: the size of the page.
  func captionSpace(
    _ row: [(picture: Int, area: PageRectangle)], most: Double, on size: PageSize
  ) throws(PDFError) -> CaptionSpace {
    guard !row.isEmpty else { return CaptionSpace() }
    var space = CaptionSpace(strip: captionStrip)
    guard let measurer, setup.captions.position != .over else { return space }
    var lines = measurer.maximumLines
    while lines > 1 {
      var longest = (lines: 1, height: 0.0)
      for (picture, area) in row {
        let width = captionWidth(beside: area, on: size)
        let one = try measurer.measure(picture, width: width, lines: lines)
        longest = (max(longest.lines, one.lines), max(longest.height, one.height))
      }
      if captionStrip + longest.height <= most {
        space.strip += longest.height
        space.lines = longest.lines
        return space
      }
      lines = min(lines, longest.lines) - 1
    }
    return space
  }

  /// Returns the maximum number of lines of a caption on its picture. The caption covers at most the lower half of the
  /// picture.
  func captionLines(_ picture: Int, on seen: PageRectangle, width: Double) throws(PDFError) -> Int {
    guard let measurer else { return 1 }
    var lines = measurer.maximumLines
    while lines > 1 {
      let one = try measurer.measure(picture, width: width, lines: lines)
      if one.height + coveredHeight <= seen.height / 2 { return one.lines }
      lines = min(lines, one.lines) - 1
    }
    return 1
  }
}
