import TextShaping

/// Clips stacked diacritics, which can extend far beyond their line, over pictures and other texts.
extension TextBlock {
  /// The distance that glyphs may extend beyond the block before they are clipped, as a multiple of the font size. It
  /// is less than the space between a caption and its picture.
  private static let tolerance = 0.25

  /// The vertical range that stays visible, measured downwards from the block's top; nil if all glyphs are within it,
  /// so that nothing is clipped.
  var clip: ClosedRange<Double>? {
    let free = Self.tolerance * size
    let kept = -free...height + free
    let isInside = lines.allSatisfy { line in
      line.runs.allSatisfy { run in
        run.clusters.allSatisfy { cluster in
          cluster.glyphs.allSatisfy { glyph in
            let extent = run.face.verticalExtent(glyph.glyph)
            let (low, high) = (
              glyph.y + extent.lowerBound * run.size / 1_000, glyph.y + extent.upperBound * run.size / 1_000
            )
            return line.baseline - high >= kept.lowerBound && line.baseline - low <= kept.upperBound
          }
        }
      }
    }
    return isInside ? nil : kept
  }
}
