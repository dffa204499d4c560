import PictureTraits

/// A page that a script declares, wholly or in part.
package struct FixedPage: Sendable, Hashable {
  /// A place that the script gives to a picture.
  package struct Slot: Sendable, Hashable {
    /// The area in shares of the page, or of two facing ones.
    package var area: UnitRectangle
    /// The visible part of the picture; nil for the part that keeps most attention.
    package var crop: UnitRectangle?

    /// The place of the caption next to the picture; nil for the usual place of captions in the book.
    package var text: UnitRectangle?

    package init(area: UnitRectangle, crop: UnitRectangle? = nil, text: UnitRectangle? = nil) {
      (self.area, self.crop, self.text) = (area, crop, text)
    }
  }

  /// The range of the pictures on the page. For a page of text, it is empty and starts at the next picture.
  package var pictures: Range<Int>
  /// The name of a template of the style; nil for the most suitable one.
  package var template: String?
  /// The arrangement of the pictures that replaces a template; nil if a template is used.
  package var arrangement: PageArrangement?
  /// The place of each picture; empty if a template determines it.
  package var slots: [Slot]
  /// Whether the slots refer to two facing pages.
  package var isSpread: Bool
  /// The height of a text above the pictures, with the space below it, in points. It is 0 if a template has a place for
  /// the text.
  package var textHeight: Double

  package init(
    pictures: Range<Int>, template: String? = nil, arrangement: PageArrangement? = nil, slots: [Slot] = [],
    isSpread: Bool = false, textHeight: Double = 0
  ) {
    (self.pictures, self.template, self.arrangement) = (pictures, template, arrangement)
    (self.slots, self.isSpread, self.textHeight) = (slots, isSpread, textHeight)
  }
}
