/// The layout of a text: its paragraphs, one below the other.
struct TextLayout {
  private(set) var lines: [TextLine] = []
  private(set) var height = 0.0
  private(set) var width = 0.0
  /// The number of lines that the whole text would need.
  private(set) var wholeLineCount = 0
  /// The missing characters, and their byte ranges in the text.
  private(set) var missing: [(character: MissingCharacter, range: Range<Int>)] = []
  let size: Double
  private let allowed: Int
  private var texts: [String] = []
  private var pitch = 0.0
  var isShortened: Bool { wholeLineCount > allowed }

  /// Lays out the paragraphs of a text. `set` lays out one paragraph in at most the given number of lines.
  init(
    _ text: String, size: Double, maximumLines: Int?,
    set: (_ paragraph: String, _ lines: Int?) throws(TextError) -> TextParagraph
  ) throws(TextError) {
    self.size = size
    allowed = maximumLines ?? .max
    let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
    var start = 0
    for (index, paragraph) in paragraphs.enumerated() {
      let room = allowed - lines.count
      let limit = maximumLines.map { _ in max(1, room) }
      var laidOut = try set(String(paragraph), limit)
      wholeLineCount += laidOut.wholeLineCount
      if room > 0 {
        let isCutAfter = laidOut.lines.count == room && index < paragraphs.count - 1
        if isCutAfter, laidOut.wholeLineCount <= room { laidOut = try set(paragraph + " …", limit) }
        append(laidOut, at: start, byteCount: paragraph.utf8.count)
      }
      start += paragraph.utf8.count + 1
    }
  }

  /// Adds a paragraph whose text begins at `start` and has `byteCount` bytes.
  private mutating func append(_ paragraph: TextParagraph, at start: Int, byteCount: Int) {
    lines += paragraph.lines.map { $0.lowered(by: pitch) }
    height = pitch + paragraph.height
    pitch += paragraph.pitch
    width = max(width, paragraph.width)
    texts.append(paragraph.text)
    // A missing ellipsis is not listed, because it is not part of the text and cannot be removed from it.
    missing += paragraph.missing.filter { $0.range.upperBound <= byteCount }.map {
      (character, range) in
      (character, range.lowerBound + start..<range.upperBound + start)
    }
  }

  func block(_ text: String, _ style: TextStyle, width: Double, _ missing: [MissingCharacter]) -> TextBlock {
    TextBlock(
      text: isShortened ? texts.joined(separator: "\n") : text,
      width: width.isFinite ? width : self.width, height: height, size: size, colour: style.colour,
      lines: lines, missing: missing, isShortened: isShortened)
  }
}

extension TextBlock {
  /// Returns the block with a fixed distance between baselines, in points. The first line does not move.
  func leaded(_ distance: Double) -> TextBlock {
    guard let first = lines.first, let last = lines.last else { return self }
    let moved = lines.enumerated().map { index, line in
      line.lowered(by: first.baseline + Double(index) * distance - line.baseline)
    }
    return TextBlock(
      text: text, width: width, height: height + moved[moved.count - 1].baseline - last.baseline, size: size,
      colour: colour, lines: moved, missing: missing, isShortened: isShortened)
  }
}

extension TextLine {
  fileprivate func lowered(by distance: Double) -> TextLine {
    TextLine(text: text, left: left, baseline: baseline + distance, width: width, runs: runs)
  }
}
