import ImageCore
import PictureTraits

/// A page of a book that a script declares: `img.page{ … }`. The design decides what the script leaves open.
package struct DeclaredPage: Sendable, Hashable {
  /// A place for a picture, in shares of the page, or of two facing pages, from the upper left corner.
  package struct Slot: Sendable, Hashable {
    package var area: UnitRectangle
    /// The part of the upright picture to show; nil for the part with the most attention.
    package var crop: UnitRectangle?
    /// The text that replaces the caption from the book; nil to keep that caption.
    package var caption: String?
    /// The place of the caption beside the picture, in the same shares as `area`; nil for the usual place of captions
    /// in the book.
    package var text: UnitRectangle?

    package init(
      area: UnitRectangle, crop: UnitRectangle? = nil, caption: String? = nil, text: UnitRectangle? = nil
    ) {
      (self.area, self.crop, self.caption, self.text) = (area, crop, caption, text)
    }
  }

  /// The indices of the page's pictures in the book. For a page of text, the range is empty and starts at the next
  /// picture.
  package var pictures: Range<Int>
  /// The index of the page's group in the call of `img.book`; nil if the page is outside all groups.
  package var group: Int?
  /// The title; empty for none.
  package var title = ""
  /// Paragraphs with blank lines between them; empty for none.
  package var text = ""
  /// The colour of the page; nil for the colour of the book.
  package var background: Colour?
  /// Whether the page has a calm tint from the colours of its pictures.
  package var isTinted = false
  /// The name of a template of the style; nil for the most suitable one.
  package var template: String?
  /// The arrangement of the pictures, used instead of a template; nil to use a template.
  package var arrangement: PageArrangement?
  /// The place of the title and text, in the same shares as the slots; nil for a place above the pictures.
  package var textArea: UnitRectangle?
  /// Whether the page covers two facing pages.
  package var isSpread: Bool
  /// The place of each picture; empty if a template or the book decides.
  package var slots: [Slot]

  package init(
    pictures: Range<Int> = 0..<0, template: String? = nil, arrangement: PageArrangement? = nil, slots: [Slot] = [],
    isSpread: Bool = false
  ) {
    (self.pictures, self.template, self.arrangement) = (pictures, template, arrangement)
    (self.slots, self.isSpread) = (slots, isSpread)
  }

  package var hasText: Bool { !title.isEmpty || !text.isEmpty }
}
