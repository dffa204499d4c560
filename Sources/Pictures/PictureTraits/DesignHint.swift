/// The wishes that a script has for one picture: `img.hint(photo, { ... })`.
package struct DesignHint: Sendable, Hashable {
  /// Whether the picture is to have a page to itself, as large as the style allows.
  package var hero: Bool
  /// The part of the upright picture that no crop may cut; nil if any part may go.
  package var keep: UnitRectangle?
  /// Whether the picture stays out of the book.
  package var skip: Bool
  /// The text that replaces the caption of the book; nil keeps that one.
  package var caption: String?
  /// Whether the picture begins a new page.
  package var startsPage: Bool
  /// The rank that replaces the measured one, from 0 to 1.
  package var score: Double?
  /// The distribution that replaces the measured one.
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
