import PictureTraits

/// A page that a script declares, wholly or in part.
package struct FixedPage: Sendable, Hashable {
  /// A place that the script gives to a picture.
  package struct Slot: Sendable, Hashable {
    /// In shares of the page, or of two facing ones.
    package var area: UnitRectangle
    /// The part that is shown; nil for the one that keeps most of what draws the eye.
    package var crop: UnitRectangle?

    /// The place of its caption beside it; nil for where the captions of the book are.
    package var text: UnitRectangle?

    package init(area: UnitRectangle, crop: UnitRectangle? = nil, text: UnitRectangle? = nil) {
      (self.area, self.crop, self.text) = (area, crop, text)
    }
  }

  /// Its pictures; empty, with the place of the next picture, for a page of text.
  package var pictures: Range<Int>
  /// The name of a template of the style; nil for the one that suits best.
  package var template: String?
  /// The arrangement of the pictures in place of a template; nil for a template.
  package var arrangement: PageArrangement?
  /// The place of each picture; empty if a template decides.
  package var slots: [Slot]
  /// Whether the slots lie on two facing pages.
  package var isSpread: Bool
  /// The height of a text above the pictures, with the space below it, in points. A template with a place for the text
  /// needs none.
  package var textHeight: Double

  package init(
    pictures: Range<Int>, template: String? = nil, arrangement: PageArrangement? = nil, slots: [Slot] = [],
    isSpread: Bool = false, textHeight: Double = 0
  ) {
    (self.pictures, self.template, self.arrangement) = (pictures, template, arrangement)
    (self.slots, self.isSpread, self.textHeight) = (slots, isSpread, textHeight)
  }
}
