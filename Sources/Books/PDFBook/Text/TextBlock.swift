import ImageCore

/// A text that is laid out: lines of glyphs, ready to be drawn anywhere on any page of any book.
public struct TextBlock: Sendable, Hashable {
  /// What is drawn, without what no font has and with an ellipsis where it was shortened.
  public let text: String
  /// The width that it was laid out for; points.
  public let width: Double
  /// From the top of the first line to the bottom of the last; points.
  public let height: Double
  /// Of the letters, which is less than asked for where they had to shrink; points.
  public let size: Double
  public let colour: Colour
  public let lines: [TextLine]
  /// Characters that were left out, each once, in the order of the text.
  public let missing: [MissingCharacter]
  /// Whether an ellipsis stands for the rest.
  public let isShortened: Bool
}

/// One line of a block.
public struct TextLine: Sendable, Hashable {
  /// The part of the text in it, in the order of reading.
  public let text: String
  /// From the block's left edge and from its top down; points.
  public let left: Double
  public let baseline: Double
  public let width: Double
  /// From left to right.
  let runs: [GlyphRun]
}

/// Neighbouring glyphs of one font and size.
struct GlyphRun: Sendable, Hashable {
  let face: FontFace
  /// Points.
  let size: Double
  /// Across for each unit up, of a font made oblique.
  let slant: Double
  /// Of a font made bold.
  let isEmboldened: Bool
  let isRightToLeft: Bool
  let clusters: [GlyphCluster]
}

/// Glyphs that stand for some characters together.
struct GlyphCluster: Sendable, Hashable {
  /// Empty where the characters show nothing, or were shown already.
  let text: String
  /// Never empty.
  let glyphs: [PlacedGlyph]
}

struct PlacedGlyph: Sendable, Hashable {
  let glyph: UInt16
  /// From the line's left end and up from its baseline; points.
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
