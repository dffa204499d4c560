/// Tells how many lines captions take, while pages of several pictures are planned.
///
/// `@unchecked Sendable`: it may be handed from one thread to another, but only the one that plans calls it.
public final class CaptionRuler: @unchecked Sendable {
  /// The most lines that a caption may have.
  let mostLines: Int
  private let captions: [String]
  private let style: TextStyle
  private let layouter: TextLayouter

  /// - Parameters:
  ///   - captions: of all pictures, in their order.
  ///   - style: theirs, with the most lines that one may have.
  public init(_ captions: [String], style: TextStyle, with layouter: TextLayouter) {
    mostLines = style.maximumLines ?? .max
    self.captions = captions
    self.style = style
    self.layouter = layouter
  }

  /// The lines that a picture's caption takes of so many at most, and from the first one's baseline to the last one's.
  func measure(_ picture: Int, width: Double, lines: Int) throws(PDFError) -> (
    lines: Int, height: Double
  ) {
    var style = style
    style.maximumLines = lines
    style.overflow = .ellipsis
    let found = try layouter.block(captions[picture], style: style, width: width).lines
    guard let first = found.first, let last = found.last else { return (1, 0) }
    return (found.count, last.baseline - first.baseline)
  }
}

extension CaptionRuler: Hashable {
  public static func == (left: CaptionRuler, right: CaptionRuler) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What captions side by side take of their pictures' room.
struct CaptionRoom {
  /// Of a strip beside the pictures; points, 0 for none.
  var strip = 0.0
  /// That each of them may have.
  var lines = 1
}

extension BookLayout {
  /// Room for the captions of pictures in a row: for as many lines as the longest takes, and no more than there is
  /// room for.
  ///
  /// - Parameters:
  ///   - row: pictures with captions, and what they stand below or above.
  ///   - most: that the strip may take; one line it takes in any case.
  ///   - size: of the page.
  func captionRoom(
    _ row: [(picture: Int, area: PageRectangle)], most: Double, on size: PageSize
  ) throws(PDFError) -> CaptionRoom {
    guard !row.isEmpty else { return CaptionRoom() }
    var room = CaptionRoom(strip: captionStrip)
    guard let ruler, setup.captionPosition != .over else { return room }
    var lines = ruler.mostLines
    while lines > 1 {
      var longest = (lines: 1, height: 0.0)
      for (picture, area) in row {
        let width = captionWidth(beside: area, on: size)
        let one = try ruler.measure(picture, width: width, lines: lines)
        longest = (max(longest.lines, one.lines), max(longest.height, one.height))
      }
      if captionStrip + longest.height <= most {
        room.strip += longest.height
        room.lines = longest.lines
        return room
      }
      lines = min(lines, longest.lines) - 1
    }
    return room
  }

  /// The lines of a caption on its picture, of which it hides no more than the lower half.
  func captionLines(_ picture: Int, on seen: PageRectangle, width: Double) throws(PDFError) -> Int {
    guard let ruler else { return 1 }
    var lines = ruler.mostLines
    while lines > 1 {
      let one = try ruler.measure(picture, width: width, lines: lines)
      if one.height + captionSlotHeight <= seen.height / 2 { return one.lines }
      lines = min(lines, one.lines) - 1
    }
    return 1
  }
}
