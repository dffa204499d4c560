import ImageCore
import PictureTraits

/// A page of a book that a script declares: `img.page{ … }`.
package struct DeclaredPage: Sendable, Hashable {
  /// A place for a picture, in shares of the page, or of two facing pages, from the upper left corner.
  package struct Slot: Sendable, Hashable {
    package var area: UnitRectangle
    /// The part of the upright picture that is shown; nil for the book's choice.
    package var crop: UnitRectangle?
    /// The text that replaces the caption of the book; nil for none.
    package var caption: String?
    /// The place of its caption beside it, in the same shares as `area`; nil for where the captions of the book are.
    package var text: UnitRectangle?

    package init(
      area: UnitRectangle, crop: UnitRectangle? = nil, caption: String? = nil, text: UnitRectangle? = nil
    ) {
      (self.area, self.crop, self.caption, self.text) = (area, crop, caption, text)
    }
  }

  /// Empty for none.
  package var title = ""
  /// Paragraphs with blank lines between them; empty for none.
  package var text = ""
  /// The colour of the page; nil for the book's.
  package var background: Colour?
  /// Whether it has a calm tint of the colours of its pictures.
  package var isTinted = false
  /// The name of a template; nil for the book's choice.
  package var template: String?
  /// The arrangement of its pictures, one of `PageParameters.layouts`; nil for a template.
  package var layout: String?
  /// The place of its title and text, in the shares of slots; nil for above the pictures.
  package var textArea: UnitRectangle?
  /// Whether it covers two facing pages.
  package var isSpread = false
  /// The place of each picture; empty if a template or the book decides.
  package var slots: [Slot] = []
  /// The place in the script.
  package var position: ScriptPosition?

  package init() {}

  /// The word of an option `background` that asks for a tint.
  package static let tint = "pictures"

  package var hasText: Bool { !title.isEmpty || !text.isEmpty }
}

/// A declared page at its place in a book.
package struct PlacedPage: Sendable, Hashable {
  package var page: DeclaredPage
  /// Its pictures among those of the call; empty, with the place of the next picture, for a page of text.
  package var pictures: Range<Int>
  /// Its group among those of the call; nil without groups, and between two of them.
  package var group: Int?

  package init(_ page: DeclaredPage, pictures: Range<Int>, group: Int? = nil) {
    (self.page, self.pictures, self.group) = (page, pictures, group)
  }
}
