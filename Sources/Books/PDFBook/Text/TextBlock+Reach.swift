/// Signs that are piled up can reach far from their line, over pictures and other texts.
extension TextBlock {
  /// What letters and their signs may reach beyond the block without being cut, in heights of the letters: less than
  /// what is left free between a caption and its picture.
  private static let tolerance = 0.25

  /// From its top down, what of it may be seen: all of it and a little more; nil where nothing reaches beyond that.
  var clip: ClosedRange<Double>? {
    let free = Self.tolerance * size
    let kept = -free...height + free
    let isInside = lines.allSatisfy { line in
      line.runs.allSatisfy { run in
        run.clusters.allSatisfy { cluster in
          cluster.glyphs.allSatisfy { glyph in
            let reach = run.face.reach(glyph.glyph)
            let (low, high) = (
              glyph.y + reach.lowerBound * run.size / 1_000,
              glyph.y + reach.upperBound * run.size / 1_000
            )
            return line.baseline - high >= kept.lowerBound && line.baseline - low <= kept.upperBound
          }
        }
      }
    }
    return isInside ? nil : kept
  }
}
