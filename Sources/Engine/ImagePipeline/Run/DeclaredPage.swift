import ImageCore
import PictureTraits

/// A page of a book that a script declares: `img.page{ … }`.
public struct DeclaredPage: Sendable, Hashable {
  /// A place for a picture, in shares of the page, or of two facing pages, from the upper left corner.
  public struct Slot: Sendable, Hashable {
    public var area: UnitRectangle
    /// The part of the upright picture that is shown; nil for the book's choice.
    public var crop: UnitRectangle?
    /// The text that replaces the caption of the book; nil for none.
    public var caption: String?
    /// The place of its caption beside it, in the same shares as `area`; nil for where the captions of the book are.
    public var text: UnitRectangle?

    public init(
      area: UnitRectangle, crop: UnitRectangle? = nil, caption: String? = nil, text: UnitRectangle? = nil
    ) {
      (self.area, self.crop, self.caption, self.text) = (area, crop, caption, text)
    }
  }

  /// Empty for none.
  public var title = ""
  /// Paragraphs with blank lines between them; empty for none.
  public var text = ""
  /// The colour of the page; nil for the book's.
  public var background: Colour?
  /// Whether it has a calm tint of the colours of its pictures.
  public var isTinted = false
  /// The name of a template; nil for the book's choice.
  public var template: String?
  /// The arrangement of its pictures, one of `PageParameters.layouts`; nil for a template.
  public var layout: String?
  /// The place of its title and text, in the shares of slots; nil for above the pictures.
  public var textArea: UnitRectangle?
  /// Whether it covers two facing pages.
  public var isSpread = false
  /// The place of each picture; empty if a template or the book decides.
  public var slots: [Slot] = []
  /// The place in the script.
  public var position: ScriptPosition?

  public init() {}

  /// The word of an option `background` that asks for a tint.
  public static let tint = "pictures"

  public var hasText: Bool { !title.isEmpty || !text.isEmpty }
}

/// A declared page at its place in a book.
public struct PlacedPage: Sendable, Hashable {
  public var page: DeclaredPage
  /// Its pictures among those of the call; empty, with the place of the next picture, for a page of text.
  public var pictures: Range<Int>
  /// Its group among those of the call; nil without groups, and between two of them.
  public var group: Int?

  public init(_ page: DeclaredPage, pictures: Range<Int>, group: Int? = nil) {
    (self.page, self.pictures, self.group) = (page, pictures, group)
  }
}
