import ImageCore

/// The layout of a text: lines of glyphs at their places.
package struct TextBlock: Sendable, Hashable {
  /// The text that is drawn: without missing characters, and with an ellipsis if it was shortened.
  package let text: String
  /// The width that the layout was computed for, in points.
  package let width: Double
  /// The distance from the top of the first line to the bottom of the last, in points.
  package let height: Double
  /// The font size in points, which is smaller than that of the style if the text had to shrink.
  package let size: Double
  package let colour: Colour
  package let lines: [TextLine]
  /// The characters that were left out, each once, in the order of the text.
  package let missing: [MissingCharacter]
  /// Whether an ellipsis replaces a part of the text.
  package let isShortened: Bool
}

/// One line of a block.
package struct TextLine: Sendable, Hashable {
  /// The line's part of the text, in reading order.
  package let text: String
  /// The distances from the block's left edge, and from its top down to the baseline, in points.
  package let left: Double
  package let baseline: Double
  package let width: Double
  /// The runs from left to right.
  package let runs: [GlyphRun]
}

/// Adjacent glyphs with the same font and size.
package struct GlyphRun: Sendable, Hashable {
  package let face: FontFace
  /// The font size in points.
  package let size: Double
  /// The horizontal shift per unit of height, for synthetic italics.
  package let slant: Double
  /// Whether the font is emboldened.
  package let isEmboldened: Bool
  package let isRightToLeft: Bool
  package let clusters: [GlyphCluster]
}

/// Glyphs that together represent some characters.
package struct GlyphCluster: Sendable, Hashable {
  /// The characters; empty if they are invisible or belong to an earlier cluster.
  package let text: String
  /// The glyphs; never empty.
  package let glyphs: [PlacedGlyph]
  /// The characters of each glyph, if the glyphs of several clusters were joined; else empty.
  package private(set) var meanings: [String] = []

  package init(text: String, glyphs: [PlacedGlyph]) { (self.text, self.glyphs) = (text, glyphs) }

  /// The characters that each glyph alone represents; an empty string if only several glyphs together do.
  private var ownMeanings: [String] {
    if !meanings.isEmpty { return meanings }
    return glyphs.count == 1 ? [text] : glyphs.map { _ in "" }
  }

  /// Returns the glyphs of this cluster and of the next one as a single cluster.
  func joined(with next: GlyphCluster) -> GlyphCluster {
    var cluster = GlyphCluster(text: text + next.text, glyphs: glyphs + next.glyphs)
    cluster.meanings = ownMeanings + next.ownMeanings
    return cluster
  }
}

package struct PlacedGlyph: Sendable, Hashable {
  package let glyph: UInt16
  /// The distances from the line's left end and upwards from its baseline, in points.
  package let x: Double
  package let y: Double
}

/// A character that could not be drawn.
package struct MissingCharacter: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// No installed font contains it.
    case noFont
    /// The only font that contains it cannot be embedded.
    case font(String, FontProblem)
    /// The only font that contains it has pictures instead of outlines, and the text is drawn on a picture.
    case noOutlines(String)
  }

  package let character: Unicode.Scalar
  package let reason: Reason
}

extension MissingCharacter: CustomStringConvertible {
  package var description: String {
    let name = "'\(Character(character))' (\(TextError.codePoint(character.value)))"
    switch reason {
    case .noFont: return "no installed font has \(name); it is left out"
    case .font(let font, let problem):
      return "\(name) is left out, because the font '\(font)' cannot be embedded: \(problem)"
    case .noOutlines(let font):
      return "\(name) is left out, because the font '\(font)' has pictures instead of outlines"
    }
  }
}
