import ImageCore

/// The alignment of lines in their block.
package enum TextAlignment: String, Sendable, Hashable, CaseIterable {
  /// The side where lines begin: left, or right for right-to-left text.
  case start
  case end
  case left
  case centre
  case right
  /// Both sides, except that a paragraph's last line is aligned to the start.
  case justify
}

/// The direction of a paragraph.
package enum TextDirection: String, Sendable, Hashable, CaseIterable {
  /// The direction of the paragraph's first strong character.
  case auto
  case ltr
  case rtl
}

/// The treatment of text that needs more lines than allowed.
package enum TextOverflow: String, Sendable, Hashable, CaseIterable {
  /// The last line ends with an ellipsis, and `TextBlock.isShortened` is true.
  case ellipsis
  /// The ellipsis is in the middle of the last line, because file names differ at both ends.
  case middle
  /// Throws `TextError.tooLong`.
  case error
  /// The font shrinks, at most to `TextStyle.smallestSize`; if that is not sufficient, throws `TextError.tooLong`.
  case shrink
}

/// The font and layout of a text.
package struct TextStyle: Sendable, Hashable {
  /// A family with style words in Pango's syntax: `"Noto Serif Bold Italic"`, `"DejaVu Sans"`. Other installed fonts
  /// supply missing letters.
  package var font: String
  /// The font size in points.
  package var size: Double
  package var colour: Colour
  package var alignment: TextAlignment
  /// The distance between lines, as a multiple of the font's own.
  package var lineSpacing = 1.0
  /// The distance between all baselines in points, whatever fonts the lines use; nil for the distance that the fonts
  /// define.
  package var leading: Double?
  package var direction = TextDirection.auto
  /// The BCP 47 language tag, such as `"ja"`, which selects Chinese, Japanese or Korean glyphs; may be empty.
  package var language: String
  /// The maximum number of lines; nil for no limit.
  package var maximumLines: Int?
  package var overflow = TextOverflow.ellipsis
  /// The overflow of a caption in a cell. Nil for an ellipsis in the middle of a single line, which suits file names,
  /// or at the end of several lines.
  package var cellOverflow: TextOverflow?

  /// The smallest readable font size, in points.
  package static let smallestSize = 4.0
  /// The sans serif font that fontconfig chooses.
  package static let defaultFont = "Sans"

  package init(
    font: String = defaultFont, size: Double = 10, colour: Colour = .black, alignment: TextAlignment = .centre,
    language: String = "", maximumLines: Int? = nil
  ) {
    self.font = font
    self.size = size
    self.colour = colour
    self.alignment = alignment
    self.language = language
    self.maximumLines = maximumLines
  }
}
