import ImageCore

/// A text that is laid out: lines of glyphs that can be drawn on any page of any book.
public struct TextBlock: Sendable, Hashable {
  /// The text that is drawn: without missing characters, and with an ellipsis if it was shortened.
  public let text: String
  /// The width it was laid out for, in points.
  public let width: Double
  /// The distance from the top of the first line to the bottom of the last, in points.
  public let height: Double
  /// The font size in points; smaller than the style's if the text had to shrink.
  public let size: Double
  public let colour: Colour
  public let lines: [TextLine]
  /// The characters that were left out, each once, in the order of the text.
  public let missing: [MissingCharacter]
  /// Whether an ellipsis replaces part of the text.
  public let isShortened: Bool
}

/// One line of a block.
public struct TextLine: Sendable, Hashable {
  /// Its part of the text, in reading order.
  public let text: String
  /// The distances from the block's left edge, and from its top down to the baseline, in points.
  public let left: Double
  public let baseline: Double
  public let width: Double
  /// The runs from left to right.
  let runs: [GlyphRun]
}

/// Neighbouring glyphs of one font and size.
struct GlyphRun: Sendable, Hashable {
  let face: FontFace
  /// The font size in points.
  let size: Double
  /// The horizontal shift per unit of height, for a font made oblique.
  let slant: Double
  /// Whether the font is made bold.
  let isEmboldened: Bool
  let isRightToLeft: Bool
  let clusters: [GlyphCluster]
}

/// Glyphs that together stand for some characters.
struct GlyphCluster: Sendable, Hashable {
  /// The characters; empty if they are invisible or were shown already.
  let text: String
  /// The glyphs; never empty.
  let glyphs: [PlacedGlyph]
}

struct PlacedGlyph: Sendable, Hashable {
  let glyph: UInt16
  /// The distances from the line's left end and upwards from its baseline, in points.
  let x: Double
  let y: Double
}

/// A character that could not be drawn.
public struct MissingCharacter: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// No installed font has it.
    case noFont
    /// The only font that has it cannot be embedded.
    case font(String, FontProblem)
  }

  public let character: Unicode.Scalar
  public let reason: Reason
}

extension MissingCharacter: CustomStringConvertible {
  public var description: String {
    let name = "'\(Character(character))' (\(TextError.codePoint(character.value)))"
    switch reason {
    case .noFont: return "no installed font has \(name); it is left out"
    case .font(let font, let problem):
      return "\(name) is left out, because the font '\(font)' cannot be embedded: \(problem)"
    }
  }
}
