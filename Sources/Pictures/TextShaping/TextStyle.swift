import ImageCore

/// The alignment of lines in their block.
package enum TextAlignment: String, Sendable, Hashable, CaseIterable {
  /// The side where lines begin: left, or right for text that runs to the left.
  case start
  case end
  case left
  case centre
  case right
  /// Both sides, except for a paragraph's last line, which is at the start.
  case justify
}

/// The direction of a paragraph.
package enum TextDirection: String, Sendable, Hashable, CaseIterable {
  /// The direction of its first strong character.
  case auto
  case ltr
  case rtl
}

/// The treatment of text that takes more lines than it may.
package enum TextOverflow: String, Sendable, Hashable, CaseIterable {
  /// The last line ends in an ellipsis, and `TextBlock.isShortened` is true.
  case ellipsis
  /// The ellipsis is in the middle of the last line, because file names differ at both ends.
  case middle
  /// Throws `TextError.tooLong`.
  case error
  /// The font shrinks, down to `TextStyle.smallestSize`; then throws `TextError.tooLong`.
  case shrink
}

/// The font and layout of a text.
package struct TextStyle: Sendable, Hashable {
  /// A family with style words, as Pango reads them: `"Noto Serif Bold Italic"`, `"DejaVu Sans"`. Other
  /// installed fonts supply missing letters.
  package var font: String
  /// The font size in points.
  package var size: Double
  package var colour: Colour
  package var alignment: TextAlignment
  /// The distance between lines, as a multiple of the font's own.
  package var lineSpacing = 1.0
  /// The distance of all baselines in points, whatever fonts the lines have; nil for that of the fonts.
  package var leading: Double?
  package var direction = TextDirection.auto
  /// The BCP 47 language tag, such as `"ja"`, which selects Chinese, Japanese or Korean forms; may be empty.
  package var language: String
  /// The maximum number of lines; nil for any number.
  package var maximumLines: Int?
  package var overflow = TextOverflow.ellipsis
  /// The overflow of a caption in a cell. Nil for an ellipsis in the middle of one line, which suits file
  /// names, and at the end of several.
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
