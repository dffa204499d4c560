import BookDesign
import ImageCore
import ImagePipeline

/// The options of `img.page`, besides its pictures and slots.
package enum PageParameters {
  /// The arrangements of the pictures of one page.
  package static let layouts = PageArrangement.allCases.map(\.rawValue)

  /// The value of the option `background` that requests a tint.
  static let tint = "pictures"

  /// The options in the order of help.
  package static let all: [ParameterDescriptor] = [
    ParameterDescriptor("title", .text, help: "title at the top of the page, or in its middle if it has nothing else"),
    ParameterDescriptor(
      "text", .text, help: "paragraphs with a blank line between them, on a page of their own or above the pictures"),
    ParameterDescriptor(
      "background", .colour,
      help: "colour of the page, or 'pictures' for a calm tint of their colours; by default the book's",
      synonyms: ["color", "colour", "bg"]
    ).accepting([tint]),
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
