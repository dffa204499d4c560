import PictureTraits

/// A page that a script declares, wholly or in part.
public struct FixedPage: Sendable, Hashable {
  /// A place that the script gives to a picture.
  public struct Slot: Sendable, Hashable {
    /// In shares of the page, or of two facing ones.
    public var area: UnitRectangle
    /// The part that is shown; nil for the one that keeps most of what draws the eye.
    public var crop: UnitRectangle?

    /// The place of its caption beside it; nil for where the captions of the book are.
    public var text: UnitRectangle?

    public init(area: UnitRectangle, crop: UnitRectangle? = nil, text: UnitRectangle? = nil) {
      (self.area, self.crop, self.text) = (area, crop, text)
    }
  }

  /// Its pictures; empty, with the place of the next picture, for a page of text.
  public var pictures: Range<Int>
  /// The name of a template of the style; nil for the one that suits best.
  public var template: String?
  /// The arrangement of the pictures in place of a template; nil for a template.
  public var arrangement: PageArrangement?
  /// The place of each picture; empty if a template decides.
  public var slots: [Slot]
  /// Whether the slots lie on two facing pages.
  public var isSpread: Bool
  /// The height of a text above the pictures, with the space below it, in points. A template with a place for the text
  /// needs none.
  public var textHeight: Double

  public init(
    pictures: Range<Int>, template: String? = nil, arrangement: PageArrangement? = nil, slots: [Slot] = [],
    isSpread: Bool = false, textHeight: Double = 0
  ) {
    (self.pictures, self.template, self.arrangement) = (pictures, template, arrangement)
    (self.slots, self.isSpread, self.textHeight) = (slots, isSpread, textHeight)
  }
}
