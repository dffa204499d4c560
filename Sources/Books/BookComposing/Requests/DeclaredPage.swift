import ImageCore
import ImagePipeline
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
    /// The place of the caption beside the picture, in the same shares as `area`; nil for the usual place of captions
    /// in the book.
    package var text: UnitRectangle?

    package init(
      area: UnitRectangle, crop: UnitRectangle? = nil, caption: String? = nil, text: UnitRectangle? = nil
    ) {
      (self.area, self.crop, self.caption, self.text) = (area, crop, caption, text)
    }
  }

  /// The title; empty for none.
  package var title = ""
  /// Paragraphs with blank lines between them; empty for none.
  package var text = ""
  /// The colour of the page; nil for the book's.
  package var background: Colour?
  /// Whether the page has a calm tint from the colours of its pictures.
  package var isTinted = false
  /// The name of a template; nil for the book's choice.
  package var template: String?
  /// The arrangement of its pictures, one of `PageParameters.layouts`; nil for a template.
  package var layout: String?
  /// The place of the title and text, in the same shares as the slots; nil for a place above the pictures.
  package var textArea: UnitRectangle?
  /// Whether it covers two facing pages.
  package var isSpread = false
  /// The place of each picture; empty if a template or the book decides.
  package var slots: [Slot] = []
  /// The place in the script.
  package var position: ScriptPosition?

  package init() {}

  /// The value of the option `background` that requests a tint.
  package static let tint = "pictures"

  package var hasText: Bool { !title.isEmpty || !text.isEmpty }
}

/// A declared page at its place in a book.
package struct PlacedPage: Sendable, Hashable {
  package var page: DeclaredPage
  /// The range of its pictures in the call. For a page of text, it is empty and starts at the next picture.
  package var pictures: Range<Int>
  /// The index of its group in the call; nil without groups, and between two groups.
  package var group: Int?

  package init(_ page: DeclaredPage, pictures: Range<Int>, group: Int? = nil) {
    (self.page, self.pictures, self.group) = (page, pictures, group)
  }
}

/// The options of `img.page`, besides its pictures and slots.
package enum PageParameters {
  /// The arrangements of the pictures of one page.
  package static let layouts = ["grid", "justified", "masonry"]

  /// The options in the order of help.
  package static let all: [ParameterDescriptor] = [
    ParameterDescriptor("title", .text, help: "title at the top of the page, or in its middle if it has nothing else"),
    ParameterDescriptor(
      "text", .text, help: "paragraphs with a blank line between them, on a page of their own or above the pictures"),
    ParameterDescriptor(
      "background", .colour,
      help: "colour of the page, or 'pictures' for a calm tint of their colours; by default the book's",
      synonyms: ["color", "colour", "bg"]
    ).accepting([DeclaredPage.tint]),
    ParameterDescriptor(
      "template", .text, help: "name of a template for the pictures, as 'imghost ops templates' lists them"),
    ParameterDescriptor(
      "layout", .choice(layouts),
      help: "arrangement of the pictures in place of a template: equal cells, or rows or columns without crops"),
    ParameterDescriptor(
      "text_area", .numbers(4...4),
      help: "place of title and text beside 'slots': left, top, width and height in shares of the page"),
    ParameterDescriptor(
      "spread", .boolean, default: .boolean(false), help: "whether the slots divide two facing pages"),
  ]
}
