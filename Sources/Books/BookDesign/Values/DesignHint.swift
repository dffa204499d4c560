import PictureTraits

/// A script's instructions for one picture: `img.hint(photo, { ... })`.
package struct DesignHint: Sendable, Hashable {
  /// Whether the picture is alone on its page, and as large as the style allows.
  package var hero: Bool
  /// The part of the upright picture that must not be cropped; nil if there is none.
  package var keep: UnitRectangle?
  /// Whether the picture is left out of the book.
  package var skip: Bool
  /// The text that replaces the caption from the book; nil to keep that caption.
  package var caption: String?
  /// Whether the picture starts a new page.
  package var startsPage: Bool
  /// The score that replaces the measured one, from 0 to 1.
  package var score: Double?
  /// The attention map that replaces the measured one.
  package var attention: AttentionMap?

  package init(
    hero: Bool = false, keep: UnitRectangle? = nil, skip: Bool = false, caption: String? = nil,
    startsPage: Bool = false, score: Double? = nil, attention: AttentionMap? = nil
  ) {
    self.hero = hero
    self.keep = keep
    self.skip = skip
    self.caption = caption
    self.startsPage = startsPage
    self.score = score
    self.attention = attention
  }
}
