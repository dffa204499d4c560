import ImageCore

/// How lines lie between the edges of their block.
public enum TextAlignment: String, Sendable, Hashable, CaseIterable {
  /// Where the paragraph begins: left, or right where its letters run to the left.
  case start
  case end
  case left
  case centre
  case right
  /// Both edges, but for a paragraph's last line, which lies at the start.
  case justify
}

/// Which way a paragraph runs.
public enum TextDirection: String, Sendable, Hashable, CaseIterable {
  /// As its first strong letter does.
  case auto
  case ltr
  case rtl
}

/// What happens to text that takes more lines than it may.
public enum TextOverflow: String, Sendable, Hashable, CaseIterable {
  /// The last line ends in an ellipsis; `TextBlock.isShortened` tells.
  case ellipsis
  /// The same in the middle of the last line, as names of files differ at both ends.
  case middle
  /// `TextError.tooLong`.
  case error
  /// Smaller letters, down to `TextStyle.smallestSize`, then `TextError.tooLong`.
  case shrink
}

/// What a text looks like.
public struct TextStyle: Sendable, Hashable {
  /// A family with style words, as Pango reads them: `"Noto Serif Bold Italic"`, `"DejaVu Sans"`. Letters that
  /// it lacks come from other installed fonts.
  public var font: String
  /// Points.
  public var size: Double
  public var colour: Colour
  public var alignment: TextAlignment
  /// From line to line, as a multiple of the font's own.
  public var lineSpacing: Double
  public var direction: TextDirection
  /// BCP 47, such as `"ja"`: decides between Chinese, Japanese and Korean forms; empty for none.
  public var language: String
  /// Nil for any number.
  public var maximumLines: Int?
  public var overflow: TextOverflow
  /// The same of a caption in a cell; nil for a middle that gives way in one line, as in names of files, which
  /// differ at both ends, and an end in several.
  public var cellOverflow: TextOverflow?

  /// Points: what can still be read.
  public static let smallestSize = 4.0
  /// A sans serif that fontconfig chooses.
  public static let defaultFont = "Sans"

  public init(
    font: String = defaultFont, size: Double = 10, colour: Colour = .black,
    alignment: TextAlignment = .centre, lineSpacing: Double = 1, direction: TextDirection = .auto,
    language: String = "", maximumLines: Int? = nil, overflow: TextOverflow = .ellipsis
  ) {
    self.font = font
    self.size = size
    self.colour = colour
    self.alignment = alignment
    self.lineSpacing = lineSpacing
    self.direction = direction
    self.language = language
    self.maximumLines = maximumLines
    self.overflow = overflow
  }
}
